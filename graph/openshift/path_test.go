package openshift

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/plan"
)

// newCatalog makes the catalog of a version with package p: CHANNEL: ENTRIES, where each entry replaces the one before it, and limits are the
// olm.maxOpenShiftVersion of bundles. Without channels it does not have the package.
func newCatalog(t *testing.T, minor plan.Minor, limits map[string]string, channels ...string) Version {
	t.Helper()
	text := "schema: olm.package\nname: other\ndefaultChannel: a\n"
	if len(channels) > 0 {
		text += "---\nschema: olm.package\nname: p\ndefaultChannel: a\n"
	}
	has := map[string]bool{}
	for _, channel := range channels {
		name, entries, _ := strings.Cut(channel, ":")
		text += fmt.Sprintf("---\nschema: olm.channel\npackage: p\nname: %s\nentries:\n", name)
		before := ""
		for _, version := range strings.Fields(entries) {
			text += fmt.Sprintf("- {name: p.v%s, replaces: '%s'}\n", version, before)
			before, has[version] = "p.v"+version, true
		}
	}
	for _, version := range slices.Sorted(maps.Keys(has)) {
		text += fmt.Sprintf("---\nschema: olm.bundle\npackage: p\nname: p.v%[1]s\nimage: sea.example/p:%[1]s\nproperties:\n- {type: olm.package, value: {packageName: p, version: %[1]s}}\n", version)
		if limits[version] != "" {
			text += fmt.Sprintf("- {type: olm.maxOpenShiftVersion, value: '%s'}\n", limits[version])
		}
	}
	cats := opentest.Text(t, text)
	cats.OpenShift = minor.String()
	v, _ := NewVersion(cats)
	return v
}

func TestPath(t *testing.T) {
	limits := map[string]string{"1.2.0": "4.15"}
	for _, test := range []struct {
		name, from, to string
		all            []Version
		want           string // what is installed at each version, and why it ends
	}{
		{"upgrades at each", "1.0.0", "", []Version{newCatalog(t, 14, nil, "a: 1.0.0 1.1.0"), newCatalog(t, 15, nil, "a: 1.0.0 1.1.0 1.3.0")}, "1.1.0, 1.3.0"},
		{"kept", "1.0.0", "p.v1.1.0", []Version{newCatalog(t, 14, nil, "a: 1.0.0"), newCatalog(t, 15, nil, "a: 1.0.0 1.1.0 1.3.0"), newCatalog(t, 16, nil)}, "1.0.0, 1.1.0, 1.1.0"},
		{"not reached", "1.0.0", "p.v9.0.0", []Version{newCatalog(t, 14, nil, "a: 1.0.0")}, "1.0.0; ends at 4.14"},
		{"blocked", "1.0.0", "", []Version{newCatalog(t, 14, limits, "a: 1.0.0 1.2.0"), newCatalog(t, 15, limits, "a: 1.0.0 1.2.0"), newCatalog(t, 16, limits, "a: 1.2.0 1.3.0")},
			"1.2.0, 1.2.0 limit 4.15; ends at 4.15"},
		{"blocked by an invalid limit", "1.0.0", "", []Version{newCatalog(t, 14, map[string]string{"1.0.0": "4.15.1"}, "a: 1.0.0"), newCatalog(t, 15, nil)},
			`1.0.0 limit "4.15.1" (invalid); ends at 4.14`},
		{"upgraded out of the limit", "1.2.0", "", []Version{newCatalog(t, 14, limits, "a: 1.2.0"), newCatalog(t, 15, limits, "a: 1.2.0 1.3.0"), newCatalog(t, 16, limits, "a: 1.3.0")},
			"1.2.0, 1.3.0, 1.3.0"},
		{"channel gone", "1.0.0", "", []Version{newCatalog(t, 14, nil, "a: 1.0.0"), newCatalog(t, 15, nil, "b: 1.0.0 1.1.0"), newCatalog(t, 16, nil, "b: 1.1.0")},
			"1.0.0, 1.0.0 end 1 others b, 1.0.0 end 1; ends at 4.15"},
		{"channel gone, another one leads on before", "1.0.0", "", []Version{newCatalog(t, 14, nil, "a: 1.0.0", "b: 1.0.0 1.1.0"), newCatalog(t, 15, nil, "b: 1.1.0 1.2.0")},
			"1.0.0, 1.0.0 end 1 before b; ends at 4.15"},
		{"nor does another one", "1.0.0", "", []Version{newCatalog(t, 14, nil, "a: 1.0.0", "b: 1.0.0 1.1.0"), newCatalog(t, 15, nil, "b: 1.2.0")}, "1.0.0, 1.0.0 end 1; ends at 4.15"},
		{"package gone for a while", "1.0.0", "", []Version{newCatalog(t, 14, nil, "a: 1.0.0"), newCatalog(t, 15, nil), newCatalog(t, 16, nil, "a: 1.0.0 1.1.0")},
			"1.0.0, 1.0.0 end 0, 1.1.0"},
		{"lower head", "1.1.0", "", []Version{newCatalog(t, 14, nil, "a: 1.0.0 1.1.0"), newCatalog(t, 15, nil, "a: 1.0.0")}, "1.1.0, 1.1.0 end 2; ends at 4.15"},
		{"no edge", "1.0.0", "", []Version{newCatalog(t, 14, nil, "a: 1.0.0"), newCatalog(t, 15, nil, "a: 1.1.0")}, "1.0.0, 1.0.0 end 3; ends at 4.15"},
	} {
		v := &Versions{Package: "p", All: test.all}
		path, err := v.Follow("a", graph.InstalledBundle{Name: "p.v" + test.from, Version: test.from}, test.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := describePath(path); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
	}
}

func describePath(path *Path) string {
	var all []string
	for i := range path.Stages {
		s := &path.Stages[i]
		one := s.At.Version
		if s.End != nil {
			one += fmt.Sprintf(" end %d", s.End.Kind)
		}
		if len(s.Others) > 0 {
			one += " others " + strings.Join(s.Others, " ")
		}
		if len(s.OthersBefore) > 0 {
			one += " before " + strings.Join(s.OthersBefore, " ")
		}
		if s.Limit != "" {
			one += " limit " + s.Limit
		}
		all = append(all, one)
	}
	out := strings.Join(all, ", ")
	if end := path.EndStage(); end != nil {
		out += "; ends at " + path.StageVersion(end).String()
	}
	return out
}

// TestPathEnds compares with Ends: what is installed and not upgraded in the older catalog ends in the newer one where Ends says so.
func TestPathEnds(t *testing.T) {
	compare := func(t *testing.T, v *Versions) {
		ends, err := v.Ends(0, 1, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range v.PackageIn(0).Channels {
			g := graph.New(v.PackageIn(0), c)
			i, ok := g.Head()
			if !ok || c.Entries[i].Bundle == nil {
				continue
			}
			path, err := v.Follow(c.Name.Value, graph.InstalledBundle{Name: g.Name(i), Version: c.Entries[i].Bundle.Version.Value}, "")
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(ends, func(e End) bool { return e.Channel == c.Name.Value && e.Entry == g.Name(i) })
			switch {
			case path.Stages[0].Limit != "":
				if at >= 0 {
					t.Errorf("%s %s: blocked, but Ends has it", v.Package, g.Name(i))
				}
			case at < 0 && path.Stages[1].End != nil && len(path.Stages[1].Upgrades) == 0:
				t.Errorf("%s, channel %s: %s ends, but Ends does not have it", v.Package, c.Name.Value, g.Name(i))
			case at >= 0 && (path.Stages[1].End == nil || path.Stages[1].End.Kind != ends[at].Kind || path.Complete()):
				t.Errorf("%s, channel %s: %s ends (%d), but the path does not", v.Package, c.Name.Value, g.Name(i), ends[at].Kind)
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	some := func() []string {
		var channels []string
		for _, name := range []string{"a", "b"}[:random.IntN(3)] {
			versions := slices.DeleteFunc([]string{"1.0.0", "1.1.0", "1.2.0", "1.3.0"}, func(string) bool { return random.IntN(3) == 0 })
			if len(versions) > 0 {
				channels = append(channels, name+": "+strings.Join(versions, " "))
			}
		}
		return channels
	}
	for range catalogtest.Rounds(400) {
		limits := map[string]string{[]string{"1.0.0", "1.1.0", "1.2.0", "1.3.0"}[random.IntN(4)]: "4.14"}
		if v := (&Versions{Package: "p", All: []Version{newCatalog(t, 14, limits, some()...), newCatalog(t, 15, limits, some()...)}}); v.PackageIn(0) != nil {
			compare(t, v)
		}
	}
	t.Run("real", func(t *testing.T) {
		var all []Version
		for _, name := range []string{"community-v4.14", "community-v4.20"} {
			cats := opentest.Open(t, catalogtest.Data(t, "fbc/"+name))
			one, ok := NewVersion(cats[0])
			if !ok {
				t.Fatal(name)
			}
			all = append(all, one)
		}
		for name := range all[0].Packages {
			compare(t, &Versions{Package: name, All: all})
		}
	})
}

// TestEndsCost wants the graph of the newer channel to be built once: an entry costs the same in a long channel.
func TestEndsCost(t *testing.T) {
	perEntry := func(n int) float64 {
		var entries strings.Builder
		for i := range n {
			fmt.Fprintf(&entries, " 1.%d.0", i)
		}
		v := &Versions{Package: "p", All: []Version{newCatalog(t, 14, nil, "a:"+entries.String()), newCatalog(t, 15, nil, "a:"+entries.String())}}
		return testing.AllocsPerRun(1, func() {
			if ends, err := v.Ends(0, 1, false); err != nil || len(ends) > 0 {
				t.Errorf("%d ends, %v", len(ends), err)
			}
		}) / float64(n)
	}
	if few, many := perEntry(100), perEntry(400); many > 2*few {
		t.Errorf("an entry of 100 takes %.0f allocations, one of 400 %.0f", few, many)
	}
}
