package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/readiness"
	"github.com/olmgraph/olmgraph/render/report"
	"github.com/olmgraph/olmgraph/render/text"
)

// jsonReadiness is the JSON form of what OLM v1 installs.
type jsonReadiness struct {
	Release   string               `json:"operatorController"`
	Catalogs  []report.JSONCatalog `json:"catalogs"`
	Packages  *[]jsonReadyPackage  `json:"packages,omitzero"`
	Operators *[]jsonReadyOperator `json:"operators,omitzero"`
}

type jsonReadyPackage struct {
	Catalog     string              `json:"catalog"`
	Package     string              `json:"package"`
	Verdict     readiness.Verdict   `json:"verdict"`
	Chosen      *readiness.Bundle   `json:"chosen"`   // null if there is no bundle
	Releases    []string            `json:"releases"` // that install chosen, as far as is known, oldest first
	Installs    *readiness.Bundle   `json:"installs"` // the newest that is installed if its version is requested; null if there is none
	Channels    []readiness.Channel `json:"channels"`
	Deprecation string              `json:"deprecation"`
	Tied        []string            `json:"tied"`
	Instead     string              `json:"instead"`
	Extension   string              `json:"clusterExtension"` // as YAML; "" if there is none
}

type jsonReadyOperator struct {
	readiness.Operator
	Installed    graph.InstalledBundle `json:"installed"`
	Verdict      readiness.Verdict     `json:"verdict"`
	UpgradesTo   *readiness.Bundle     `json:"upgradesTo"`   // null if it stays
	RejectedCRDs []jsonReason          `json:"rejectedCRDs"` // and other objects that the upgrade cannot change
	Extension    string                `json:"clusterExtension"`
	Steps        []jsonReadyStep       `json:"steps"`
}

type jsonReadyStep struct {
	readiness.Step
	Manifest string `json:"manifest"`
}

func (r *Readiness) json() jsonReadiness {
	out := jsonReadiness{Release: r.Release.String(), Catalogs: words.Map(r.Catalogs, report.CatalogJSON)}
	if r.Snapshot == nil {
		out.Packages = &[]jsonReadyPackage{}
		for _, p := range r.Packages {
			*out.Packages = append(*out.Packages, r.packageJSON(p))
		}
		return out
	}
	out.Operators = &[]jsonReadyOperator{}
	for _, o := range r.Operators {
		*out.Operators = append(*out.Operators, r.operatorJSON(o))
	}
	return out
}

func (r *Readiness) packageJSON(p *readiness.Package) jsonReadyPackage {
	out := jsonReadyPackage{Catalog: p.Source, Package: p.Name.Value, Verdict: p.Verdict(), Chosen: p.Choice, Installs: p.Newest,
		Channels: p.Channels, Deprecation: p.Deprecated, Tied: p.Tied, Instead: p.Instead}
	if p.Choice != nil {
		out.Releases = p.Choice.Releases
	}
	if e := r.Release.Extension(p); e != nil {
		out.Extension = extensionYAML(e)
	}
	return out
}

func (r *Readiness) operatorJSON(o *readiness.Operator) jsonReadyOperator {
	out := jsonReadyOperator{Operator: *o, Installed: graph.InstalledBundle{Name: o.Name, Version: o.Version}, Verdict: o.Verdict(), UpgradesTo: o.Next,
		RejectedCRDs: reasonsJSON(o.Rejected)}
	if o.Extension != nil {
		out.Extension = extensionYAML(o.Extension)
	}
	for i := range o.Steps {
		s := &o.Steps[i]
		out.Steps = append(out.Steps, jsonReadyStep{*s, r.manifest(o, s)})
	}
	return out
}

// commentWidth is the width of comments in manifests, in columns.
const commentWidth = 78

// extensionYAML returns a ClusterExtension for kubectl apply.
func extensionYAML(e *readiness.Extension) string {
	var b strings.Builder
	for _, comment := range e.Comments {
		t := text.NewWriter(&b, text.Style{Width: commentWidth})
		t.Wrapped("# ", "# ", text.Plain(comment))
		_ = t.Flush() // a Builder returns no error
	}
	b.WriteString("apiVersion: olm.operatorframework.io/v1\nkind: ClusterExtension\nmetadata:\n")
	fmt.Fprintf(&b, "  name: %s\n", yamlName(e.Name))
	if e.WatchNamespace != "" && e.WatchAnnotation {
		fmt.Fprintf(&b, "  annotations:\n    %s: %s\n", readiness.WatchAnnotation, yamlName(e.WatchNamespace))
	}
	fmt.Fprintf(&b, "spec:\n  namespace: %s\n", yamlName(e.Namespace))
	if e.ServiceAccount != "" {
		fmt.Fprintf(&b, "  serviceAccount:\n    name: %s\n", yamlName(e.ServiceAccount))
	}
	fmt.Fprintf(&b, "  source:\n    sourceType: Catalog\n    catalog:\n      packageName: %s\n", yamlName(e.Package))
	if e.Channel != "" {
		fmt.Fprintf(&b, "      channels: [%s]\n", yamlName(e.Channel))
	}
	if e.Version != "" {
		fmt.Fprintf(&b, "      version: %s\n", yamlString(e.Version))
	}
	if e.Catalog != "" {
		fmt.Fprintf(&b, "      selector:\n        matchLabels:\n          %s: %s\n", readiness.CatalogLabel, yamlName(e.Catalog))
	}
	watch := e.WatchNamespace != "" && !e.WatchAnnotation
	if watch || e.Deployment != nil {
		b.WriteString("  config:\n    configType: Inline\n    inline:\n")
	}
	if watch {
		fmt.Fprintf(&b, "      watchNamespace: %s\n", yamlName(e.WatchNamespace))
	}
	if e.Deployment != nil {
		fmt.Fprintf(&b, "      deploymentConfig: %s\n", words.JSON(e.Deployment))
	}
	return b.String()
}

// catalogYAML returns a ClusterCatalog for kubectl apply.
func catalogYAML(name, image string) string {
	return fmt.Sprintf("apiVersion: olm.operatorframework.io/v1\nkind: ClusterCatalog\nmetadata:\n  name: %s\nspec:\n  source:\n    type: Image\n    image:\n      ref: %s\n",
		yamlName(name), yamlName(image))
}

// readinessYAML writes the ClusterExtensions of all that can be installed, as far as is known.
func readinessYAML(w io.Writer, r *Readiness) error {
	all := words.Map(r.extensions(), extensionYAML)
	if len(all) == 0 {
		all = []string{"# no ClusterExtension: each operator is blocked\n"}
	}
	_, err := io.WriteString(w, strings.Join(all, "---\n"))
	return err
}
