package plan

import (
	"context"
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// dependencies are what packages may need of each other, in any catalog at any minor version.
type dependencies struct {
	providers map[string][]string
	apis      map[string][]catalogs.API
	named     map[string][]string // what requirements name: an operator that no catalog has any more can be what meets them
}

// visibleSources returns the sources that the namespace sees.
func (w *world) visibleSources() map[resolve.SourceKey]bool {
	seen := map[resolve.SourceKey]bool{}
	for i := range w.base.Sources {
		if key := w.base.Sources[i].SourceKey; w.base.Sees(key.Namespace) {
			seen[key] = true
		}
	}
	return seen
}

// dependencies finds them in the catalogs of some sources. Namespaces mostly see the same ones.
func (c *content) dependencies(ctx context.Context, seen map[resolve.SourceKey]bool) (*dependencies, error) {
	var all []*resolve.Catalog
	key := ""
	for i := range c.all {
		if seen[c.all[i].Source] {
			all = append(all, c.all[i].Content)
			key += fmt.Sprintf("%d ", i)
		}
	}
	if known := c.needs[key]; known != nil {
		return known, nil
	}
	index, err := resolve.NewDependencyIndex(ctx, all...)
	if err != nil {
		return nil, err
	}
	d := &dependencies{providers: map[string][]string{}, apis: map[string][]catalogs.API{}, named: map[string][]string{}}
	for _, p := range index.PackageDependencies() {
		if !p.IsMissing() {
			d.providers[p.From] = append(d.providers[p.From], p.To)
		}
	}
	for _, n := range index.Dependencies {
		for _, b := range n.Dependents {
			d.named[b.Package()] = append(d.named[b.Package()], namedBy(n.Requirement)...)
		}
	}
	for b := range index.Bundles {
		d.apis[b.Package()] = append(d.apis[b.Package()], b.Facts().Provides...)
	}
	c.needs[key] = d
	return d, nil
}

// tokens returns what a package, or an installed operator of it, has to do with: operators that share one are not independent. found are the packages
// of which all tokens were returned before, together with that of the package itself.
func (d *dependencies) tokens(pkg string, facts *catalogs.Facts, found map[string]bool) []string {
	var all []string
	add := func(list []catalogs.API) {
		for _, a := range list {
			all = append(all, "api "+a.String())
		}
	}
	if facts != nil {
		add(facts.Provides)
		for _, label := range facts.Labels {
			all = append(all, "label "+label)
		}
		for i := range facts.Requires {
			all = append(all, namedBy(&facts.Requires[i])...)
		}
	}
	todo := []string{pkg}
	for _, token := range all {
		if name, ok := strings.CutPrefix(token, "package "); ok {
			todo = append(todo, name)
		}
	}
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if name != "" {
			all = append(all, "package "+name)
		}
		if !found[name] {
			found[name] = true
			add(d.apis[name])
			todo = append(todo, d.providers[name]...)
			all = append(all, d.named[name]...)
		}
	}
	return all
}

// namedBy returns the tokens of what a requirement names. What meets a rule is only known of bundles in the catalogs.
func namedBy(r *catalogs.Requirement) []string {
	var all []string
	switch {
	case r.API != nil:
		all = append(all, "api "+r.API.String())
	case r.Package != "":
		all = append(all, "package "+r.Package)
	case r.Label != "":
		all = append(all, "label "+r.Label)
	}
	for i := range r.Of {
		all = append(all, namedBy(&r.Of[i])...)
	}
	return all
}
