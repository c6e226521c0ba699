package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// read returns a catalog with a package of lines "CHANNEL: ENTRY [replaces NAME] [skips NAME]… [range RANGE]", or "bundle NAME IMAGE".
// The first channel is the default.
func read(lines ...string) *catalogs.Catalog {
	text := func(s string) catalogs.Text { return catalogs.Text{Value: s} }
	p := &catalogs.Package{Name: text("boat")}
	for _, line := range lines {
		words := strings.Fields(line)
		if words[0] == "bundle" {
			p.Bundles = append(p.Bundles, &catalogs.Bundle{Name: text(words[1]), Image: text(words[2])})
			continue
		}
		name := strings.TrimSuffix(words[0], ":")
		if p.DefaultChannel.Value == "" {
			p.DefaultChannel = text(name)
		}
		ch := p.Channel(name)
		if ch == nil {
			ch = &catalogs.Channel{Name: text(name)}
			p.Channels = append(p.Channels, ch)
		}
		e := catalogs.Entry{Name: text(words[1])}
		for i := 2; i+1 < len(words); i += 2 {
			switch words[i] {
			case "replaces":
				e.Replaces = text(words[i+1])
			case "skips":
				e.Skips = append(e.Skips, text(words[i+1]))
			case "range":
				e.SkipRange = text(words[i+1])
			}
		}
		ch.Entries = append(ch.Entries, e)
	}
	c := &catalogs.Catalog{}
	if len(lines) > 0 {
		c.Packages = []*catalogs.Package{p}
	}
	return c
}

// TestCorrections tells what the last of three catalogs corrects of the change from the first to the second; "" is nothing.
func TestCorrections(t *testing.T) {
	one, two := "s: boat.v1", "s: boat.v2 replaces boat.v1"
	six := []string{"s: boat.v2", "s: boat.v3 replaces boat.v2", "s: boat.v4 replaces boat.v3", "s: boat.v5 replaces boat.v4"}
	for _, test := range []struct {
		name          string
		was, is, then []string
		want          string
	}{
		{"edges", []string{one}, []string{one, "s: boat.v2"}, []string{one, two}, "entry changed"},
		{"a renamed entry", []string{one}, []string{one, "s: boat.v2-typo replaces boat.v1"}, []string{one, two}, "entry removed"},
		{"a withdrawn entry", []string{one}, []string{one, two}, []string{one}, "entry removed"},
		{"a restored entry", []string{one, two}, []string{"s: boat.v2"}, []string{one, "s: boat.v2"}, "entry restored"},
		{"a restored package", []string{one}, nil, []string{one}, "package restored"},
		{"a channel", []string{one}, []string{one, "t: boat.v1"}, []string{one}, "channel removed"},
		{"the default channel", []string{one, "t: boat.v1"}, []string{"t: boat.v1", one}, []string{one, "t: boat.v1"}, "package changed"},
		{"the next default channel", []string{one, "t: boat.v1", "u: boat.v1"}, []string{"t: boat.v1", one, "u: boat.v1"}, []string{"u: boat.v1", one, "t: boat.v1"}, ""},
		{"an image", []string{one}, []string{one, "bundle boat.v1 a/b@sha256:1"}, []string{one, "bundle boat.v1 c/b@sha256:1"}, "bundle changed"},
		{"a rebuild", []string{one}, []string{one, "bundle boat.v1 a/b@sha256:1"}, []string{one, "bundle boat.v1 a/b@sha256:2"}, ""},
		{"the next release", []string{one}, []string{one, two}, []string{one, two, "s: boat.v3 replaces boat.v2"}, ""},
		{"edges taken over", []string{one}, []string{one, "s: boat.v2 skips boat.v1 range <2"}, []string{one, "s: boat.v2", "s: boat.v3 skips boat.v1 skips boat.v2 range <3"}, ""},
		{"edges corrected with a release", []string{one}, []string{one, "s: boat.v2"}, []string{one, two, "s: boat.v3 replaces boat.v2"}, "entry changed"},
		{"a release between", []string{one}, []string{one, "s: boat.v3 replaces boat.v1"}, []string{one, two, "s: boat.v3 replaces boat.v2"}, ""},
		{"a channel of one entry", []string{one}, []string{"s: boat.v2 range <2"}, []string{"s: boat.v3 range <3"}, ""},
		{"pruned", []string{two}, append(six, "s: boat.v1"), six, ""},
		{"not pruned enough", []string{two}, append(six[:2:2], "s: boat.v1"), six[:2], "entry removed"},
		{"an edge to what is pruned", six[1:], append(six[1:4:4], "s: boat.v1", "s: boat.v2 replaces boat.v1"), append(six[1:4:4], "s: boat.v2"), ""},
		{"the end of a catalog", nil, []string{one}, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			cats := []*catalogs.Catalog{read(test.was...), read(test.is...), read(test.then...)}
			var changes []Change
			for i := range 2 {
				changes = append(changes, Change{Date: int64(i), Steps: Steps([]Pair{{Was: cats[i], Is: cats[i+1]}})})
			}
			var got []string
			for _, c := range Corrections(changes)[0] {
				for _, s := range c.Steps {
					got = append(got, s.Kind+" "+s.How)
				}
			}
			if slices.Sort(got); strings.Join(slices.Compact(got), ", ") != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			changes[1].Date = window + 1
			if late := Corrections(changes)[0]; len(late) > 0 {
				t.Errorf("corrected after the window: %v", late)
			}
		})
	}
}

// TestCopied checks that what another catalog had before is not corrected in its copy.
func TestCopied(t *testing.T) {
	old, wrong, right := "s: boat.v1", "s: boat.v2", "s: boat.v2 replaces boat.v1"
	copied := Steps([]Pair{{Name: "4.19", Was: read(old), Is: read(old, wrong), Others: []*catalogs.Catalog{read(old, wrong)}}})
	then := Steps([]Pair{{Name: "4.19", Was: read(old, wrong), Is: read(old, right)}})
	if found := Corrections([]Change{{Steps: copied}, {Steps: then}}); len(found[0]) > 0 {
		t.Errorf("a copy is corrected: %v", found[0])
	}
}

// TestChannelTwice has two channels of one name, of which the first one counts.
func TestChannelTwice(t *testing.T) {
	twice := func(edge string) *catalogs.Catalog {
		c := read("s: boat.v1", "t: boat.v2 replaces "+edge)
		c.Packages[0].Channels[1].Name.Value = "s"
		return c
	}
	if found := Steps([]Pair{{Was: twice("boat.v0"), Is: twice("boat.v1")}}); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

func TestStepsCost(t *testing.T) {
	catalogtest.CheckGrowth(t, 1, 400, func(n int) {
		var was, is []string
		for i := range n {
			was = append(was, fmt.Sprintf("s: boat.v1.%d.0 replaces boat.v1.%d.0", i+2, i+1))
			is = append(is, fmt.Sprintf("s: boat.v1.%d.0 replaces boat.v1.%d.0", i+2, i))
		}
		if found := Steps([]Pair{{Was: read(was...), Is: read(is...)}}); len(found) != n {
			t.Errorf("%d steps", len(found))
		}
	})
}
