package judge

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
)

// The feature gates of operator-controller that decide what it installs.
const (
	FeatureNamespaces   = "SingleOwnNamespaceInstallSupport"
	FeatureCertManager  = "WebhookProviderCertManager"
	FeatureServiceCA    = "WebhookProviderOpenshiftServiceCA"
	FeatureDeployment   = "DeploymentConfig"
	FeatureReleaseField = "BundleReleaseSupport"
)

// NewestRelease is the minor of the newest release of operator-controller that is known.
const NewestRelease = 11

// The minor releases of operator-controller that began to check bundles (rukpak render registryv1 BundleValidator; before, they were converted
// only), and webhooks for what they can block, and conversion webhooks for install modes.
const (
	validating         = 3
	validatingWebhooks = 6
)

// oldestKubernetesV1 is the minor of a version of Kubernetes that is older than each on which OLM v1 runs.
const oldestKubernetesV1 = 22

// Release is a minor release of operator-controller.
type Release struct {
	Minor int
	Gates map[string]bool // feature gates; none that the release does not have
}

var newest = NewRelease(NewestRelease)

// NewRelease returns a release with its feature gates as they are by default (operator-controller at each tag: internal/operator-controller/features
// features.go).
func NewRelease(minor int) Release {
	r := Release{Minor: minor, Gates: map[string]bool{}}
	for _, change := range []struct {
		since int
		on    bool
		gates []string
	}{
		{2, false, []string{FeatureNamespaces}},
		{validating, false, []string{FeatureCertManager, FeatureServiceCA}},
		{6, true, []string{FeatureCertManager, FeatureServiceCA}},
		{8, true, []string{FeatureNamespaces}},
		{9, false, []string{FeatureNamespaces, FeatureDeployment, FeatureReleaseField}},
	} {
		for _, gate := range change.gates {
			if minor >= change.since {
				r.Gates[gate] = change.on
			}
		}
	}
	return r
}

func (r Release) String() string { return fmt.Sprintf("v1.%d", r.Minor) }

// Releases are the releases of operator-controller that reject something.
type Releases struct {
	From, Before int      // minors; 0: no limit
	Unless       []string // feature gates; one that is on is enough
}

func (r Release) isIn(s Releases) bool {
	return r.Minor >= s.From && (s.Before == 0 || r.Minor < s.Before) && !slices.ContainsFunc(s.Unless, func(gate string) bool { return r.Gates[gate] })
}

// Rejects reports whether the release rejects a bundle for a reason, or the API server what it makes of the bundle.
func (r Release) Rejects(reason *Reason) bool {
	return r.isIn(reason.Releases) && reason.mayStop(graph.V1) &&
		!slices.ContainsFunc(reason.Where, func(c Condition) bool { return c.Kind != KubernetesFrom || c.Minor > oldestKubernetesV1 })
}

// Enables returns the feature gate of the release with which it does not reject a bundle for a reason; "" if there is none.
func (r Release) Enables(reason *Reason) string {
	for _, gate := range reason.Releases.Unless {
		if _, has := r.Gates[gate]; has {
			return gate
		}
	}
	return ""
}
