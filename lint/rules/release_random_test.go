package rules_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/release"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
)

// writeCatalog writes a package as a catalog.
func writeCatalog(t *testing.T, p *catalogs.Package) string {
	t.Helper()
	type object = map[string]any
	all := []object{{"schema": "olm.package", "name": "red", "defaultChannel": p.DefaultChannel.Value}}
	for _, c := range p.Channels {
		var entries []object
		for i := range c.Entries {
			e := &c.Entries[i]
			o := object{"name": e.Name.Value}
			if e.Replaces.Value != "" {
				o["replaces"] = e.Replaces.Value
			}
			if e.SkipRange.Value != "" {
				o["skipRange"] = e.SkipRange.Value
			}
			var skips []string
			for _, skip := range e.Skips {
				skips = append(skips, skip.Value)
			}
			if skips != nil {
				o["skips"] = skips
			}
			entries = append(entries, o)
		}
		all = append(all, object{"schema": "olm.channel", "package": "red", "name": c.Name.Value, "entries": entries})
	}
	for _, b := range p.Bundles {
		all = append(all, object{"schema": "olm.bundle", "package": "red", "name": b.Name.Value, "image": "quay.io/red/red:" + b.Version.Value,
			"properties": []object{{"type": "olm.package", "value": object{"packageName": "red", "version": b.Version.Value}}}})
	}
	var deprecated []object
	for _, d := range p.DeprecationEntries() {
		deprecated = append(deprecated, object{"reference": object{"schema": d.Schema.Value, "name": d.Name.Value}, "message": "old"})
	}
	if deprecated != nil {
		all = append(all, object{"schema": "olm.deprecations", "package": "red", "entries": deprecated})
	}
	dir := t.TempDir()
	var text strings.Builder
	for _, o := range all {
		line, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString(string(line) + "\n")
	}
	catalogtest.Write(t, filepath.Join(dir, "catalog.json"), text.String())
	return dir
}

// randomPackage returns a package of some channels, each a chain of versions with a few skips and skipRanges.
func randomPackage(r *rand.Rand) *catalogs.Package {
	versions := []string{"1.0.0", "1.1.0-rc1", "1.1.0", "1.1.1", "1.2.0-rc1", "1.2.0", "1.2.1", "1.3.0", "2.0.0"}
	p := &catalogs.Package{Name: catalogs.Text{Value: "red"}, DefaultChannel: catalogs.Text{Value: "c0"}}
	deprecations := &catalogs.Deprecations{}
	for i := range 1 + r.IntN(3) {
		c := &catalogs.Channel{Name: catalogs.Text{Value: fmt.Sprint("c", i)}}
		for n, v := range versions {
			if r.IntN(2) == 0 && (n < len(versions)-1 || c.Entries != nil) {
				continue
			}
			c.Entries = append(c.Entries, randomEntry(r, p, c, v))
		}
		p.Channels = append(p.Channels, c)
	}
	for _, b := range p.Bundles {
		if r.IntN(12) == 0 {
			deprecations.Entries = append(deprecations.Entries, catalogs.Deprecation{Schema: catalogs.Text{Value: "olm.bundle"}, Name: b.Name})
		}
	}
	if r.IntN(8) == 0 {
		deprecations.Entries = append(deprecations.Entries, catalogs.Deprecation{Schema: catalogs.Text{Value: "olm.channel"}, Name: p.Channels[0].Name})
	}
	if deprecations.Entries != nil {
		p.Deprecations = append(p.Deprecations, deprecations)
	}
	return p
}

// randomEntry returns an entry above those of a channel: it replaces the last one, or skips it and replaces the one before.
func randomEntry(r *rand.Rand, p *catalogs.Package, c *catalogs.Channel, version string) catalogs.Entry {
	name := catalogs.Text{Value: "red.v" + version}
	if p.Bundle(name.Value) == nil {
		p.Bundles = append(p.Bundles, &catalogs.Bundle{Name: name, Version: catalogs.Text{Value: version}})
	}
	e := catalogs.Entry{Name: name, Bundle: p.Bundle(name.Value)}
	if n := len(c.Entries); n > 0 {
		last := c.Entries[n-1]
		e.Replaces = last.Name
		if r.IntN(4) == 0 {
			e.Replaces, e.Skips = last.Replaces, append(slices.Clone(last.Skips), last.Name)
		}
		if r.IntN(4) == 0 {
			e.SkipRange.Value = fmt.Sprintf(">=%s <%s", c.Entries[0].Name.Value[5:], version)
		}
	} else if r.IntN(3) == 0 {
		e.Replaces.Value = "red.v0.9.0"
	}
	return e
}

func randomRelease(r *rand.Rand, p *catalogs.Package) release.Request {
	versions := []string{"1.1.2", "1.2.2-rc1", "1.2.2", "1.3.1", "2.1.0"}
	q := release.Request{Version: versions[r.IntN(len(versions))]}
	q.Name = "red.v" + q.Version
	for _, c := range p.Channels {
		if r.IntN(2) == 0 {
			q.Channels = append(q.Channels, c.Name.Value)
		}
	}
	if q.Channels == nil || r.IntN(8) == 0 {
		q.Channels = append(q.Channels, "new")
	}
	if c := p.Channel(q.Channels[0]); c != nil {
		if r.IntN(3) == 0 {
			q.InsteadOf = []string{c.Entries[r.IntN(len(c.Entries))].Name.Value}
		}
		if r.IntN(3) == 0 {
			for _, e := range c.Entries[:1+r.IntN(len(c.Entries))] {
				q.Prune = append(q.Prune, e.Name.Value)
			}
		}
	}
	return q
}

// TestPlannedReleases applies planned releases: lint finds no new errors of graphs, or of what was published.
func TestPlannedReleases(t *testing.T) {
	n := catalogtest.Rounds(300)
	counts := map[string]int{}
	r, planned, changed := rand.New(rand.NewPCG(5, 23)), 0, 0
	for i := range n {
		base := opentest.Open(t, writeCatalog(t, randomPackage(r)))[0]
		q := randomRelease(r, base.Packages[0])
		plan := release.NewPlan(graph.NewPackageGraph(base.Packages[0]), q)
		if plan.Refusal != nil {
			continue
		}
		planned++
		now := opentest.Open(t, writeCatalog(t, plan.After.Package))[0]
		pairs, _ := compare.Pairs(context.Background(), repo.FromCatalogs(now), repo.FromCatalogs(base), false)
		if err := pairs[0].Read(context.Background()); err != nil {
			t.Fatal(err)
		}
		changed += len(pairs[0].Changed)
		found, err := lint.Run(context.Background(), []*catalogs.Catalog{now}, lint.Options{Rules: rules.All(), Base: pairs, OnlyNew: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			counts[f.Rule]++
			if f.Severity == lint.Error && (strings.HasPrefix(f.Rule, "graph/") || strings.HasPrefix(f.Rule, "published/")) {
				t.Errorf("%d: %+v: plan %+v: %s: %s", i, q, plan.Edits, f.Rule, f.Message)
			}
		}
	}
	if changed < planned/2 {
		t.Errorf("of %d releases only %d change a package", planned, changed)
	}
	t.Logf("%d of %d planned; findings %v", planned, n, counts)
}
