package readiness

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/olmgraph/olmgraph/graph"
)

// The feature gates of operator-controller that decide what it installs.
const (
	GateNamespaces   = "SingleOwnNamespaceInstallSupport"
	gateCertManager  = "WebhookProviderCertManager"
	gateServiceCA    = "WebhookProviderOpenshiftServiceCA"
	gateDeployment   = "DeploymentConfig"
	gateReleaseField = "BundleReleaseSupport"
)

// Release is a minor release of operator-controller, with its feature gates.
type Release struct {
	Minor int
	gates map[string]bool // those that decide what it installs; none that the release does not have
	// watchField is where a ClusterExtension says which namespace the operator watches, if GateNamespaces is on; "" if nowhere.
	watchField watchField
	// deployment says that spec.config of a Subscription can become the deploymentConfig of a ClusterExtension, if its gate is on.
	deployment bool
	// serviceAccount says that a ClusterExtension must name the service account that installs it.
	serviceAccount bool
	// validates says that registry+v1 bundles are validated (rukpak render registryv1 BundleValidator), before they were converted only.
	validates bool
	// webhookRules says that conversion webhooks and the rules of webhooks are validated.
	webhookRules bool
	order        graph.ReleaseOrder
	// kinds are those that OLM v1 installs since this release or an earlier one.
	kinds []string
}

type watchField string

const (
	watchAnnotation watchField = "olm.operatorframework.io/watch-namespace"
	watchConfig     watchField = "spec.config.inline.watchNamespace"
)

func (r Release) String() string { return fmt.Sprintf("v1.%d", r.Minor) }

// releases are the minor releases, oldest first (operator-controller at each tag: internal/operator-controller/features features.go; the
// ClusterExtension CRD of the standard set; rukpak render and convert; the version of operator-registry in go.mod for the kinds).
func releases() []Release {
	all := []Release{
		{gates: map[string]bool{}, order: graph.ReleaseOrder{Ignored: true}, serviceAccount: true, kinds: []string{"ClusterServiceVersion", "CustomResourceDefinition",
			"ClusterRole", "ClusterRoleBinding", "Service", "ServiceAccount", "Role", "RoleBinding", "PrometheusRule", "ServiceMonitor", "Secret",
			"ConfigMap", "PodDisruptionBudget", "PriorityClass", "VerticalPodAutoscaler", "ConsoleYAMLSample", "ConsoleQuickStart",
			"ConsoleCLIDownload", "ConsoleLink"}},
	}
	changes := []func(r *Release){
		1: func(*Release) {},
		2: func(r *Release) { r.gates[GateNamespaces], r.watchField = false, watchAnnotation },
		3: func(r *Release) {
			r.gates[gateCertManager], r.gates[gateServiceCA], r.validates = false, false, true
			r.kinds = append(slices.Clone(r.kinds), "ConsolePlugin", "NetworkPolicy")
		},
		4: func(*Release) {},
		5: func(r *Release) { r.watchField = watchConfig },
		6: func(r *Release) {
			r.gates[gateCertManager], r.gates[gateServiceCA], r.webhookRules = true, true, true
			r.kinds = append(slices.Clone(r.kinds), "PodMonitor")
		},
		7: func(*Release) {},
		8: func(r *Release) { r.gates[GateNamespaces], r.deployment, r.order = true, true, graph.ReleaseOrder{} },
		9: func(r *Release) {
			r.gates[GateNamespaces], r.gates[gateDeployment], r.gates[gateReleaseField] = false, false, false
		},
		10: func(*Release) {},
		11: func(r *Release) { r.serviceAccount, r.order.MaxLength = false, 20 },
	}
	for minor, change := range changes[1:] {
		r := all[minor]
		r.Minor, r.gates = minor+1, maps.Clone(r.gates)
		change(&r)
		all = append(all, r)
	}
	return all
}

// ReleaseNames returns the names of the releases that are known, the newest first.
func ReleaseNames() []string {
	var names []string
	for _, r := range slices.Backward(releases()) {
		names = append(names, r.String())
	}
	return names
}

// Newest returns the newest release that is known.
func Newest() Release {
	all := releases()
	return all[len(all)-1]
}

var releaseText = regexp.MustCompile(`^v?1\.(\d{1,3})(\.\d+)?$`)

// ParseRelease parses a release such as v1.6 or 1.6.0.
func ParseRelease(text string) (Release, error) {
	all := releases()
	m := releaseText.FindStringSubmatch(text)
	if m == nil {
		return Release{}, fmt.Errorf("want a release of operator-controller, as %s", all[len(all)-1])
	}
	if minor, _ := strconv.Atoi(m[1]); minor < len(all) {
		return all[minor], nil
	}
	return Release{}, fmt.Errorf("want one of %s to %s: what a later release installs is not known", all[0], all[len(all)-1])
}

// GateNames returns the names of the feature gates of a release that decide what it installs.
func (r Release) GateNames() []string {
	return slices.Sorted(maps.Keys(r.gates))
}

// With returns the release with a feature gate on or off. It is an error if the release has no such gate.
func (r Release) With(gate string, on bool) (Release, error) {
	if _, ok := r.gates[gate]; !ok {
		return r, fmt.Errorf("operator-controller %s has no feature gate %q that affects what it installs", r, gate)
	}
	r.gates = maps.Clone(r.gates)
	r.gates[gate] = on
	return r, nil
}

// changed returns the names of the gates that are not as they are by default.
func (r Release) changed() []string {
	standard := releases()[r.Minor].gates
	return slices.DeleteFunc(r.GateNames(), func(name string) bool { return r.gates[name] == standard[name] })
}

// Title names the release with the gates that are not as they are by default.
func (r Release) Title() string {
	title := "operator-controller " + r.String()
	before := " with "
	for _, name := range r.changed() {
		title += fmt.Sprintf("%s%s=%t", before, name, r.gates[name])
		before = ", "
	}
	return title
}

// as returns another release with the gates that this one has changed, as far as that one has them.
func (r Release) as(other Release) Release {
	for _, name := range r.changed() {
		if with, err := other.With(name, r.gates[name]); err == nil {
			other = with
		}
	}
	return other
}

// webhooks reports whether webhooks are installed; gate turns them on where they are not, "" if none does.
func (r Release) webhooks() (ok bool, gate string) {
	if r.gates[gateCertManager] || r.gates[gateServiceCA] {
		return true, ""
	}
	if _, has := r.gates[gateCertManager]; has {
		gate = gateCertManager
	}
	return false, gate
}

// certificates says who makes the certificates of webhooks: cert-manager comes first (operator-controller: main getCertificateProvider).
func (r Release) certificates() string {
	if r.gates[gateCertManager] {
		return "cert-manager"
	}
	return "the service CA of OpenShift"
}

// namespaces reports whether operators that cannot watch all namespaces are installed, and the gate that turns it on.
func (r Release) namespaces() (ok bool, gate string) {
	on, has := r.gates[GateNamespaces]
	if has && !on {
		gate = GateNamespaces
	}
	return on, gate
}

// releaseOrder returns what orders bundles of one version.
func (r Release) releaseOrder() graph.ReleaseOrder {
	order := r.order
	order.Explicit = r.gates[gateReleaseField]
	return order
}

// deploymentConfig reports whether a ClusterExtension can configure deployments.
func (r Release) deploymentConfig() bool {
	on, gated := r.gates[gateDeployment]
	return r.deployment && r.gates[GateNamespaces] && !gated || on
}
