package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/inert"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/readiness"
	"github.com/olmgraph/olmgraph/render/text"
)

// yamlScalar is yamlName without backticks, which would end a code block.
func yamlScalar(s string) string { return strings.ReplaceAll(yamlName(s), "`", `\x60`) }

// commentWidth is the width of comments in manifests, in columns.
const commentWidth = 78

// extensionYAML returns a ClusterExtension for kubectl apply.
func extensionYAML(e *readiness.Extension) string {
	var b strings.Builder
	for _, comment := range e.Comments {
		t := text.NewWriter(&b, text.Style{Width: commentWidth})
		t.Wrapped("# ", "# ", text.Plain(strings.ReplaceAll(comment, "`", "'")))
		_ = t.Flush() // a Builder returns no error
	}
	b.WriteString("apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata:\n")
	fmt.Fprintf(&b, "  name: %s\n", yamlScalar(e.Name))
	if e.WatchNamespace != "" && e.WatchAnnotation {
		fmt.Fprintf(&b, "  annotations:\n    %s: %s\n", readiness.WatchAnnotation, yamlScalar(e.WatchNamespace))
	}
	fmt.Fprintf(&b, "spec:\n  namespace: %s\n", yamlScalar(e.Namespace))
	if e.ServiceAccount != "" {
		fmt.Fprintf(&b, "  serviceAccount:\n    name: %s\n", yamlScalar(e.ServiceAccount))
	}
	fmt.Fprintf(&b, "  source:\n    sourceType: Catalog\n    catalog:\n      packageName: %s\n", yamlScalar(e.Package))
	if e.Channel != "" {
		fmt.Fprintf(&b, "      channels: [%s]\n", yamlScalar(e.Channel))
	}
	if e.Version != "" {
		fmt.Fprintf(&b, "      version: %s\n", strconv.Quote(e.Version))
	}
	if e.Catalog != "" {
		fmt.Fprintf(&b, "      selector:\n        matchLabels:\n          %s: %s\n", readiness.CatalogLabel, yamlScalar(e.Catalog))
	}
	watch := e.WatchNamespace != "" && !e.WatchAnnotation
	if watch || e.Deployment != nil {
		b.WriteString("  config:\n    configType: Inline\n    inline:\n")
	}
	if watch {
		fmt.Fprintf(&b, "      watchNamespace: %s\n", yamlScalar(e.WatchNamespace))
	}
	if e.Deployment != nil {
		fmt.Fprintf(&b, "      deploymentConfig: %s\n", strings.ReplaceAll(string(inert.JSON(e.Deployment)), "`", `\u0060`))
	}
	return b.String()
}

// catalogYAML returns a ClusterCatalog for kubectl apply.
func catalogYAML(name, image string) string {
	return fmt.Sprintf("apiVersion: olm.operatorframework.io/v1\nkind: ClusterCatalog\nmetadata:\n  name: %s\nspec:\n  source:\n    type: Image\n    image:\n      ref: %s\n",
		yamlScalar(name), yamlScalar(image))
}

// readinessYAML writes the ClusterExtensions of all that can be installed, as far as is known.
func readinessYAML(w io.Writer, r *Readiness) error {
	all := phrase.Of(r.extensions(), extensionYAML)
	if len(all) == 0 {
		all = []string{"# no ClusterExtension: each operator is blocked\n"}
	}
	_, err := io.WriteString(w, strings.Join(all, "---\n"))
	return err
}
