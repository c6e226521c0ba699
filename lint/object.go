package lint

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
)

// eachObject makes a check of a question about one object of a bundle.
func eachObject(check func(*bundleContents, *catalogs.Manifest)) func(*bundleContents) {
	return func(c *bundleContents) {
		for _, m := range c.objects() {
			check(c, m)
		}
	}
}

func checkBudget(c *bundleContents, m *catalogs.Manifest) {
	var budget struct {
		Spec struct{ MaxUnavailable, MinAvailable any }
	}
	if m.Kind != "PodDisruptionBudget" || json.Unmarshal(m.JSON(), &budget) != nil {
		return
	}
	if v := budget.Spec.MaxUnavailable; v == 0.0 || v == "0%" {
		c.reportOn(m, "spec.maxUnavailable", "allow at least one",
			"contains the PodDisruptionBudget %q with maxUnavailable %v: no node that such a pod is on can be drained", m.Name, v)
	}
	if v := budget.Spec.MinAvailable; v == "100%" {
		c.reportOn(m, "spec.minAvailable", "allow at least one to be unavailable",
			"contains the PodDisruptionBudget %q with minAvailable 100%%: no node that such a pod is on can be drained", m.Name)
	}
}

func checkPriority(c *bundleContents, m *catalogs.Manifest) {
	var class struct{ GlobalDefault bool }
	if m.Kind == "PriorityClass" && json.Unmarshal(m.JSON(), &class) == nil && class.GlobalDefault {
		c.reportOn(m, "globalDefault", "set globalDefault: false",
			"contains the PriorityClass %q as the default of the whole cluster: it changes which pods all other pods may preempt", m.Name)
	}
}

// checkAccount looks for service accounts that OLM makes too, for the deployments.
func checkAccount(c *bundleContents, m *catalogs.Manifest) {
	if m.Kind != "ServiceAccount" || m.Name == "" {
		return
	}
	uses := func(d csv.Deployment) bool { return d.Spec.Template.Spec.ServiceAccountName == m.Name }
	if slices.ContainsFunc(c.csv.Spec.Install.Spec.Deployments, uses) {
		c.reportOn(m, "metadata.name", "remove it: OLM creates the service accounts of deployments itself",
			"contains the ServiceAccount %q, which one of its deployments uses: OLM creates that itself, and the two conflict", m.Name)
	}
}

// removedAPI says since which minor version of Kubernetes 1 an API is gone.
type removedAPI struct {
	apiVersion string
	gone       int
	kinds      []string // none: all
}

// removedAPIs are the APIs that Kubernetes no longer serves (Kubernetes: Deprecated API Migration Guide). That of CRDs is
// crd/v1beta1.
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

// removedIn returns the minor version of Kubernetes that serves an API no more, 0 if none is known.
func removedIn(apiVersion, kind string) int {
	for _, r := range removedAPIs {
		if r.apiVersion == apiVersion && (r.kinds == nil || slices.Contains(r.kinds, kind)) {
			return r.gone
		}
	}
	return 0
}

func checkRemoved(c *bundleContents, m *catalogs.Manifest) {
	gone := removedIn(m.APIVersion, m.Kind)
	if gone == 0 {
		return
	}
	target, source := c.pass.kube()
	least := 0
	if c.csv != nil {
		if v, ok := plainVersion(strings.TrimSpace(c.csv.Spec.MinKubeVersion)); ok && v.Major == 1 && v.Minor < 1000 {
			least = int(v.Minor)
		}
	}
	fix := "use the version of the API that follows " + m.APIVersion
	switch {
	case target >= gone:
		c.reportOn(m, "apiVersion", fix,
			"contains the %s %q in %s, which Kubernetes 1.%d removed, and %s is 1.%d: it cannot be installed", m.Kind, m.Name, m.APIVersion, gone, source, target).withCauses(m.APIVersion)
	case least >= gone:
		c.reportOn(m, "apiVersion", fix,
			"contains the %s %q in %s, which Kubernetes 1.%d removed, but needs 1.%d by its minKubeVersion: it cannot be installed", m.Kind, m.Name, m.APIVersion, gone, least).withCauses(m.APIVersion)
	default:
		f := c.reportOn(m, "apiVersion", fix,
			"contains the %s %q in %s, which Kubernetes removed in 1.%d: it cannot be installed from that version on", m.Kind, m.Name, m.APIVersion, gone).withCauses(m.APIVersion)
		f.Severity, f.Gates = Info, GateAdvice
	}
}
