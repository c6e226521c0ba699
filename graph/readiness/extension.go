package readiness

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/csv"
)

// Extension is a ClusterExtension to apply.
type Extension struct {
	Name, Namespace string
	Package         string
	Channel         string // "" if it names none
	Version         string // "" if it names none
	Catalog         string // the ClusterCatalog that it selects, or ""
	ServiceAccount  string // "" where OLM v1 installs with its own
	WatchNamespace  string // "" for all
	WatchAnnotation bool   // WatchNamespace is in an annotation, and not in spec.config
	Deployment      json.RawMessage
	Comments        []string // what must be known before it is applied
}

// Cluster-wide names of the ClusterCatalog and of an annotation.
const (
	// CatalogLabel is the label that each ClusterCatalog has with its name (operator-controller: api/v1 MetadataNameLabel).
	CatalogLabel = "olm.operatorframework.io/metadata.name"
	// WatchAnnotation is the annotation by which a ClusterExtension names the namespace to watch before v1.5.
	WatchAnnotation = string(watchAnnotation)
)

// extension returns a ClusterExtension with what the release requires of each.
func (r Release) extension(name, namespace, pkg string) *Extension {
	e := &Extension{Name: name, Namespace: namespace, Package: pkg}
	if r.Minor < 11 {
		e.ServiceAccount = name + "-installer"
	}
	return e
}

// watch sets the namespace to watch.
func (r Release) watch(e *Extension, namespace string) {
	e.WatchNamespace, e.WatchAnnotation = namespace, r.watchField() == watchAnnotation
}

// Extension returns the ClusterExtension that installs a package, nil if no bundle of it can be installed: what OLM v1 chooses, or else the
// newest version that it can install.
func (r Release) Extension(p *Package) *Extension {
	b := p.Newest
	if b == nil || len(p.Tied) > 0 {
		return nil
	}
	name := p.Name.Value
	e := r.extension(name, cmp.Or(b.Namespace, name), name)
	if b != p.Choice {
		e.Version = b.Version
		e.Comments = append(e.Comments, "without a version OLM v1 chooses "+p.Choice.Name+", which it does not install")
	}
	if p.Instead != "" {
		e.Catalog = p.Source
		e.Comments = append(e.Comments, "without the selector OLM v1 chooses from catalog "+p.Instead)
	}
	for _, what := range b.NotKnown {
		e.Comments = append(e.Comments, "not known: "+what)
	}
	if len(b.Modes) > 0 && !slices.Contains(b.Modes, csv.AllNamespaces) {
		r.watch(e, e.Namespace)
		if !slices.Contains(b.Modes, "OwnNamespace") {
			e.WatchNamespace = ""
			e.Comments = append(e.Comments, "set the namespace to watch in "+string(r.watchField())+": one other than spec.namespace")
		}
	}
	return e
}
