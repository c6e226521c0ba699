package resolve

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
)

func openReal(t testing.TB, version string) *catalogs.Catalog {
	t.Helper()
	root := catalogtest.Data(t, "fbc/community-"+version)
	return opentest.Open(t, root)[0]
}

// TestRealNext installs every entry of the real catalogs, alone and without requirements: the upgrade must be that of OLM's own
// resolver.
func TestRealNext(t *testing.T) {
	for _, version := range []string{"v4.14", "v4.18", "v4.20", "v4.22"} {
		t.Run(version, func(t *testing.T) {
			c, err := readWithout(t.Context(), openReal(t, version))
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(catalogtest.Data(t, "expected/olm-v0-next-"+version+".tsv"))
			if err != nil {
				t.Skip("no expectations: ", err)
			}
			compared := 0
			for line := range strings.Lines(string(data)) {
				fields := strings.Fields(line)
				if got := nextIn(t, c, fields); got != fields[3] {
					t.Errorf("%v: next is %s", fields, got)
				}
				compared++
			}
			t.Logf("%d entries compared", compared)
		})
	}
}

// nextIn returns what is installed instead of an entry of a package and channel.
func nextIn(t *testing.T, c *Catalog, fields []string) string {
	t.Helper()
	in, ok := c.InstalledOperator(fields[0], fields[2])
	if !ok {
		t.Fatalf("no entry for %v", fields)
	}
	key := SourceKey{"main", "olm"}
	r := resolve(t, Namespace{Name: "ns", Sources: []Source{{SourceKey: key, Catalog: c}}, Installed: []InstalledOperator{in},
		Subscriptions: []Subscription{{Name: "s", Package: fields[0], Channel: fields[1], Source: key, InstalledCSV: fields[2]}}})
	switch {
	case !r.Resolvable():
		return "unresolvable: " + faults(r) + reasons(r.Conflict)
	case len(r.Installs) == 0:
		return "-"
	}
	return r.Installs[0].Name
}

// crowd subscribes a namespace to packages of catalogs, every second one with its oldest entry installed, as long as no
// two of them provide the same API and each could be there alone.
func crowd(t testing.TB, most int, from ...*Catalog) Namespace {
	t.Helper()
	n := Namespace{Name: "ns"}
	taken := map[catalogs.API]string{}
	for i, c := range from {
		n.Sources = append(n.Sources, Source{SourceKey: SourceKey{fmt.Sprintf("catalog%d", i), "olm"}, Catalog: c})
	}
	for _, source := range n.Sources {
		for _, name := range slices.Sorted(maps.Keys(source.Catalog.packages)) {
			known := slices.ContainsFunc(n.Subscriptions, func(s Subscription) bool { return s.Package == name })
			if len(n.Subscriptions) < most && !known {
				n = n.with(t, source, source.Catalog.packages[name], taken)
			}
		}
	}
	return n
}

// with returns the namespace with one operator more, or as it is.
func (n Namespace) with(t testing.TB, source Source, p *catalogPackage, taken map[catalogs.API]string) Namespace {
	ch := p.channels[0]
	sub := Subscription{Name: p.name, Package: p.name, Channel: ch.name, Source: source.SourceKey}
	more := n
	order, err := ch.graph.Order()
	if err != nil {
		return n
	}
	if len(n.Subscriptions)%2 == 0 {
		b := ch.entries[order[len(order)-1]].bundle
		sub.InstalledCSV = b.name
		more.Installed = append(slices.Clip(n.Installed), b.asInstalled())
	}
	more.Subscriptions = append(slices.Clip(n.Subscriptions), sub)
	alone := more
	alone.Subscriptions, alone.Installed = more.Subscriptions[len(n.Subscriptions):], more.Installed[len(n.Installed):]
	if !resolve(t, alone).Resolvable() || !claim(taken, p) {
		return n
	}
	return more
}

// claim claims the APIs of a package; it returns false if one of them is claimed already.
func claim(taken map[catalogs.API]string, p *catalogPackage) bool {
	for _, ch := range p.channels {
		for _, i := range ch.graph.Entries() {
			for _, api := range ch.entries[i].bundle.facts.Provides {
				if by, ok := taken[api]; ok && by != p.name {
					return false
				}
			}
		}
	}
	for _, ch := range p.channels {
		for _, i := range ch.graph.Entries() {
			for _, api := range ch.entries[i].bundle.facts.Provides {
				taken[api] = p.name
			}
		}
	}
	return true
}

// TestRealManyOperators runs many operators of a real catalog to a fixed point.
func TestRealManyOperators(t *testing.T) {
	for _, version := range []string{"v4.14", "v4.18", "v4.20", "v4.22"} {
		c, err := NewCatalog(t.Context(), openReal(t, version))
		if err != nil {
			t.Fatal(err)
		}
		n := crowd(t, 50, c)
		course, err := runToFixedPoint(t.Context(), n, 100)
		if err != nil {
			t.Fatal(err)
		}
		if course.End != fixedPoint {
			t.Errorf("%s ends %v: %s", version, course.End, reasons(course.Steps[len(course.Steps)-1].Conflict))
		}
		t.Logf("%s: %d subscriptions, %d installed, %d steps", version, len(n.Subscriptions), len(course.Last.Installed), len(course.Steps))
	}
}

// BenchmarkRead reads a real catalog with NewCatalog.
func BenchmarkRead(b *testing.B) {
	c := openReal(b, "v4.20")
	for b.Loop() {
		if _, err := NewCatalog(b.Context(), c); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkResolve resolves a namespace of fifty operators, and runs it to a fixed point, with a catalog of some three thousand
// bundles: four real ones one after the other.
func BenchmarkResolve(b *testing.B) {
	n := large(b)
	b.Run("step", func(b *testing.B) {
		for b.Loop() {
			if r := resolve(b, n); !r.Resolvable() {
				b.Fatal(faults(r), reasons(r.Conflict))
			}
		}
	})
	b.Run("settle", func(b *testing.B) {
		for b.Loop() {
			if _, err := runToFixedPoint(b.Context(), n, 100); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// large is a namespace of fifty operators that may draw from four catalogs.
func large(b *testing.B) Namespace {
	var from []*Catalog
	bundles := 0
	for _, version := range []string{"v4.20", "v4.14", "v4.18", "v4.22"} {
		c, err := NewCatalog(b.Context(), openReal(b, version))
		if err != nil {
			b.Fatal(err)
		}
		bundles += len(c.bundles)
		from = append(from, c)
	}
	n := crowd(b, 50, from...)
	b.Logf("%d bundles, %d subscriptions", bundles, len(n.Subscriptions))
	return n
}

// BenchmarkBlocked resolves a namespace in which each of fifty operators is blocked by another one, and explains it.
func BenchmarkBlocked(b *testing.B) {
	text := "catalog main\npackage hub\nhub.v1\nhub.v2 replaces hub.v1\nsub hub has hub.v1\n"
	for i := range 50 {
		text += fmt.Sprintf("package p%d\np%d.v1 needs hub '<2.0.0'\n", i, i)
		for v := 2; v < 60; v++ {
			text += fmt.Sprintf("p%d.v%d replaces p%d.v%d range '<%d.0.0' needs hub '>=2.0.0' provides X\n", i, v, i, v-1, v)
		}
		text += fmt.Sprintf("sub p%d has p%d.v1\n", i, i)
	}
	n := parseNamespace(b, text)
	for b.Loop() {
		if r := resolve(b, n); len(r.Choices) < 50 || len(r.Installs) > 0 {
			b.Fatal(installs(r))
		}
	}
}

// readWithout is NewCatalog without requirements.
func readWithout(ctx context.Context, c *catalogs.Catalog) (*Catalog, error) {
	read, err := NewCatalog(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, b := range read.bundles {
		b.requires, b.faults = nil, nil
		b.facts.Requires, b.facts.Faults = nil, nil
	}
	return read, nil
}
