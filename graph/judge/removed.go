package judge

import "slices"

// removedAPI is an API that Kubernetes 1.minor removed.
type removedAPI struct {
	apiVersion string
	minor      int
	kinds      []string // none: all
}

// crdV1beta1Removed is the minor version of Kubernetes that removed v1beta1 of CustomResourceDefinitions.
const crdV1beta1Removed = 22

// apis are the APIs that Kubernetes removed (Kubernetes: Deprecated API Migration Guide). CRDs are left to crd/v1beta1.
var apis = []removedAPI{
	{"extensions/v1beta1", 16, []string{"DaemonSet", "Deployment", "NetworkPolicy", "PodSecurityPolicy", "ReplicaSet"}},
	{"apps/v1beta1", 16, nil},
	{"apps/v1beta2", 16, nil},
	{"admissionregistration.k8s.io/v1beta1", 22, []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"}},
	{"apiregistration.k8s.io/v1beta1", 22, nil},
	{"authentication.k8s.io/v1beta1", 22, []string{"TokenReview"}},
	{"authorization.k8s.io/v1beta1", 22, nil},
	{"certificates.k8s.io/v1beta1", 22, []string{"CertificateSigningRequest"}},
	{"coordination.k8s.io/v1beta1", 22, []string{"Lease"}},
	{"extensions/v1beta1", 22, []string{"Ingress"}},
	{"networking.k8s.io/v1beta1", 22, []string{"Ingress", "IngressClass"}},
	{"rbac.authorization.k8s.io/v1beta1", 22, nil},
	{"scheduling.k8s.io/v1beta1", 22, nil},
	{"storage.k8s.io/v1beta1", 22, []string{"CSIDriver", "CSINode", "StorageClass", "VolumeAttachment"}},
	{"autoscaling/v2beta1", 25, nil},
	{"batch/v1beta1", 25, []string{"CronJob"}},
	{"discovery.k8s.io/v1beta1", 25, nil},
	{"events.k8s.io/v1beta1", 25, nil},
	{"node.k8s.io/v1beta1", 25, nil},
	{"policy/v1beta1", 25, []string{"PodDisruptionBudget", "PodSecurityPolicy"}},
	{"autoscaling/v2beta2", 26, nil},
	{"flowcontrol.apiserver.k8s.io/v1beta1", 26, nil},
	{"storage.k8s.io/v1beta1", 27, []string{"CSIStorageCapacity"}},
	{"flowcontrol.apiserver.k8s.io/v1beta2", 29, nil},
	{"flowcontrol.apiserver.k8s.io/v1beta3", 32, nil},
}

// removedIn returns the minor version of Kubernetes that removed an API, 0 if it is not known to be removed.
func removedIn(apiVersion, kind string) int {
	for _, r := range apis {
		if r.apiVersion == apiVersion && (r.kinds == nil || slices.Contains(r.kinds, kind)) {
			return r.minor
		}
	}
	return 0
}
