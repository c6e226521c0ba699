package object

import (
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

var removedAPIRule = lint.Rule{
	ID: "object/removed-api", Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer, OtherGates: lint.GateAdvice,
	Doc: `an object uses an API that Kubernetes has removed
From that version of Kubernetes on, the API server does not serve the API, and the installation fails. It is an error if the
catalog is for such a version (--kube, kube or openshift in the configuration, or the catalog's folder), or if the minKubeVersion
of the bundle requires one; otherwise it is an info.
Use the newer version of the API.`,
	Reference: "Kubernetes Deprecated API Migration Guide",
	Check:     contents.InHeads(eachObject(checkRemoved)),
}

// removedAPI is an API that Kubernetes 1.minor removed.
type removedAPI struct {
	apiVersion string
	minor      int
	kinds      []string // none: all
}

// removedAPIs are the APIs that Kubernetes removed (Kubernetes: Deprecated API Migration Guide). CRDs are left to crd/v1beta1.
var removedAPIs = []removedAPI{
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
	for _, r := range removedAPIs {
		if r.apiVersion == apiVersion && (r.kinds == nil || slices.Contains(r.kinds, kind)) {
			return r.minor
		}
	}
	return 0
}

func checkRemoved(c *contents.Contents, m *catalogs.Manifest) {
	gone := removedIn(m.APIVersion, m.Kind)
	if gone == 0 {
		return
	}
	target, source := c.Pass.KubeMinor()
	least := 0
	if c.CSV != nil {
		if v, ok := versions.ParseMinKubeVersion(strings.TrimSpace(c.CSV.Spec.MinKubeVersion)); ok && v.Major == 1 && v.Minor < 1000 {
			least = int(v.Minor)
		}
	}
	fix := "use the version of the API that follows " + m.APIVersion
	switch {
	case target >= gone:
		c.ReportOn(m, "apiVersion", fix,
			"contains the %s %q in %s, which Kubernetes 1.%d removed, and %s is 1.%d: it cannot be installed", m.Kind, m.Name, m.APIVersion, gone, source, target).WithCause(m.APIVersion)
	case least >= gone:
		c.ReportOn(m, "apiVersion", fix,
			"contains the %s %q in %s, which Kubernetes 1.%d removed, but needs 1.%d by its minKubeVersion: it cannot be installed", m.Kind, m.Name, m.APIVersion, gone, least).WithCause(m.APIVersion)
	default:
		f := c.ReportOn(m, "apiVersion", fix,
			"contains the %s %q in %s, which Kubernetes removed in 1.%d: it cannot be installed from that version on", m.Kind, m.Name, m.APIVersion, gone).WithCause(m.APIVersion)
		f.Severity, f.Gates = lint.Info, lint.GateAdvice
	}
}
