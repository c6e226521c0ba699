package csv

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var allNamespaces = lint.Rule{
	ID: "csv/all-namespaces", Severity: lint.Info, Gates: lint.GateOLMv1,
	Doc: `OLM v1 installs an operator without AllNamespaces only with a configuration
OLM v1 installs operators that support AllNamespaces. Other operators need a namespace to watch in the configuration of the
ClusterExtension, if the cluster has that feature.
Support AllNamespaces, if the operator can watch all namespaces.`,
	Reference: "operator-controller rukpak/render/registryv1",
	Check:     contents.InHeads(contents.WithCSV(checkAllNamespaces)),
}

func checkAllNamespaces(c *contents.Contents) {
	if modes := c.CSV.InstallModes(); len(modes) > 0 && !slices.Contains(modes, csv.AllNamespaces) {
		c.Report("spec.installModes", "support AllNamespaces, if the operator can watch all namespaces",
			"supports only %s, not AllNamespaces: OLM v1 installs it only with a namespace to watch in the ClusterExtension", words.AllOf(modes))
	}
}
