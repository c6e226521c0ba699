package readiness

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// Release is a minor release of operator-controller, with its feature gates.
type Release struct{ judge.Release }

type watchField string

const (
	watchAnnotation watchField = "olm.operatorframework.io/watch-namespace"
	watchConfig     watchField = "spec.config.inline.watchNamespace"
)

// watchField is where a ClusterExtension says which namespace the operator watches, if judge.FeatureNamespaces is on (operator-controller at each tag: the
// ClusterExtension CRD of the standard set).
func (r Release) watchField() watchField {
	if r.Minor < 5 {
		return watchAnnotation
	}
	return watchConfig
}

// releases are the minor releases, oldest first.
func releases() (all []Release) {
	for minor := range judge.NewestRelease + 1 {
		all = append(all, Release{judge.NewRelease(minor)})
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

// NewestRelease returns the newest release that is known.
func NewestRelease() Release {
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
	return slices.Sorted(maps.Keys(r.Gates))
}

// WithGate returns the release with a feature gate on or off. It is an error if the release has no such gate.
func (r Release) WithGate(gate string, on bool) (Release, error) {
	if _, ok := r.Gates[gate]; !ok {
		return r, fmt.Errorf("operator-controller %s has no feature gate %q that affects what it installs", r, gate)
	}
	r.Gates = maps.Clone(r.Gates)
	r.Gates[gate] = on
	return r, nil
}

// changedGates returns the names of the gates that are not as they are by default.
func (r Release) changedGates() []string {
	standard := releases()[r.Minor].Gates
	return slices.DeleteFunc(r.GateNames(), func(name string) bool { return r.Gates[name] == standard[name] })
}

// Title names the release with the gates that are not as they are by default.
func (r Release) Title() string {
	title := "operator-controller " + r.String()
	before := " with "
	for _, name := range r.changedGates() {
		title += fmt.Sprintf("%s%s=%t", before, name, r.Gates[name])
		before = ", "
	}
	return title
}

// carryGates returns another release with the gates that this one has changed, as far as that one has them.
func (r Release) carryGates(other Release) Release {
	for _, name := range r.changedGates() {
		if with, err := other.WithGate(name, r.Gates[name]); err == nil {
			other = with
		}
	}
	return other
}

// certificates says who makes the certificates of webhooks: cert-manager comes first (operator-controller: main getCertificateProvider).
func (r Release) certificates() string {
	if r.Gates[judge.FeatureCertManager] {
		return "cert-manager"
	}
	return "the service CA of OpenShift"
}

// releaseOrder returns what orders bundles of one version.
func (r Release) releaseOrder() graph.ReleaseOrder {
	order := graph.ReleaseOrder{Ignored: r.Minor < 8, Explicit: r.Gates[judge.FeatureReleaseField]}
	if r.Minor >= 11 {
		order.MaxLength = 20
	}
	return order
}

// deploymentConfig reports whether a ClusterExtension can configure deployments: v1.8 has that with the namespace to watch, later ones by a feature
// gate of its own.
func (r Release) deploymentConfig() bool {
	return r.Minor == 8 && r.Gates[judge.FeatureNamespaces] || r.Gates[judge.FeatureDeployment]
}
