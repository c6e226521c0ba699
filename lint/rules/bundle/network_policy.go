package bundle

import (
	"strings"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var networkPolicy = lint.Rule{
	ID: "bundle/network-policy", Severity: lint.Error, Gates: lint.GatePipelines,
	Doc: `a bundle contains a NetworkPolicy
OLM installs network policies, but the pipelines of all catalog repositories reject a bundle that contains one.
Let the operator create it, or submit the bundle elsewhere.`,
	Reference: "operator-pipelines static_tests/common check_network_policy_presence",
	Check:     contents.InHeads(contents.InFolder(checkNetworkPolicy)),
}

func checkNetworkPolicy(c *contents.Contents) {
	for _, m := range c.Objects() {
		if m.Kind == "NetworkPolicy" && strings.HasPrefix(m.APIVersion, "networking.k8s.io/") {
			c.ReportOn(m, "", "let the operator create it", "contains the NetworkPolicy %q: the pipelines reject it, although OLM installs it", m.Name)
		}
	}
}
