package open

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/listing"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

const bundleAnswers = `{"csvName": "red.v1.0.0", "packageName": "red", "channelName": "stable", "bundlePath": "quay.io/red/red:1",
 "version": "1.0.0", "providedApis": [{"group": "red.io", "version": "v1", "kind": "Red"}],
 "dependencies": [{"type": "olm.package", "value": "{\"packageName\":\"blue\",\"version\":\">=1\"}"}]}
{
  "csvName": "red.v1.1.0", "packageName": "red", "channelName": "stable", "version": "1.1.0",
  "properties": [{"type": "olm.gvk", "value": "{\"kind\":\"Red\",\"group\":\"red.io\",\"version\":\"v1\"}"}],
  "replaces": "red.v1.0.0", "skips": ["red.v1.0.1"], "skipRange": "<1.1.0", "deprecation": {"message": "old"}
}
{"csvName": "red.v1.1.0", "packageName": "red", "channelName": "fast", "version": "1.1.0"}
`

const packageAnswer = `{"name": "red", "channels": [{"name": "fast", "csvName": "red.v1.1.0"}], "defaultChannelName": "fast"}` + "\n"

const clusterList = `apiVersion: v1
kind: List
items:
- apiVersion: packages.operators.coreos.com/v1
  kind: PackageManifest
  metadata: {name: red}
  status:
    packageName: red
    defaultChannel: stable
    channels:
    - name: stable
      currentCSV: red.v1.1.0
      entries:
      - {name: red.v1.1.0, version: 1.1.0}
      - {name: red.v1.0.0, version: 1.0.0}
    - name: old
      currentCSV: red.v0.9.0
      currentCSVDesc: {version: 0.9.0}
`

func openText(t testing.TB, text string, o form.Options) *catalogs.Catalog {
	t.Helper()
	o.Stdin = bytes.NewReader([]byte(text))
	return openOne(t, "-", o)
}

// TestListBundles wants the graph of what ListBundles says, each object once, at its place.
func TestListBundles(t *testing.T) {
	c := openText(t, bundleAnswers, form.Options{})
	p := c.Package("red")
	if c.Form != catalogs.ListBundles || p == nil || len(c.Problems) > 0 || len(p.Bundles) != 2 {
		t.Fatalf("%s, %+v, %+v", c.Form, p, c.Problems)
	}
	const want = "red, default \nfast: red.v1.1.0\nstable: red.v1.0.0, red.v1.1.0 replaces red.v1.0.0 skips red.v1.0.1 in <1.1.0\n"
	if got := describeChannels(p); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if e := p.Channel("stable").Entries[1]; e.Bundle != p.Bundles[1] || e.Replaces.Pos != (catalogs.Pos{File: "stdin", Line: 7, Col: 15}) {
		t.Errorf("%+v", e)
	}
	for i, requires := range []int{1, 0} {
		if facts, err := bundled.Facts(p.Bundles[i]); err != nil || len(facts.Provides) != 1 || len(facts.Requires) < requires {
			t.Errorf("%+v, %v", facts, err)
		}
	}
	if d := p.Deprecation(catalogs.SchemaBundle, "red.v1.1.0"); d == nil || d.Message.Value != "old" {
		t.Errorf("%+v", d)
	}
	if _, silent := c.FormLimitation(); !strings.Contains(silent, "GetPackage") {
		t.Errorf("nothing of the missing default channel: %q", silent)
	}
}

// TestListingsMixed: documents that are not part of a listing are reported, and one package is found among others.
func TestListingsMixed(t *testing.T) {
	for _, text := range []string{bundleAnswers + clusterList, bundleAnswers + "{}\n", bundleAnswers + "{\"csvName\": "} {
		if c := openText(t, text, form.Options{}); !slices.ContainsFunc(c.Problems, func(p catalogs.Problem) bool { return p.LosesData() }) {
			t.Errorf("nothing is told of the end of\n%s", text)
		}
	}
	blue := strings.ReplaceAll(bundleAnswers, "red", "blue")
	if c := openText(t, bundleAnswers+blue, form.Options{Package: "blue"}); len(c.Packages) != 1 || c.Packages[0].Name.Value != "blue" {
		t.Errorf("%+v", c.Packages)
	}
	if c := openText(t, twoTexts, form.Options{}); c.Form != catalogs.FileBased {
		t.Errorf("a file-based catalog is read as %s", c.Form)
	}
}

func FuzzListing(f *testing.F) {
	for _, text := range []string{bundleAnswers, bundleAnswers + packageAnswer, clusterList, `{"csvName": 1, "packageName": [], "channelName": {}}`,
		"kind: PackageManifest\napiVersion: packages.operators.coreos.com/v1\nstatus: {packageName: a, channels: [{}, 1, {entries: [1, {}]}]}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := listing.OpenListing(t.Context(), &source.Source{Fsys: source.MemoryFile{Name: "x", Text: text}}, "x", form.Options{})
		if c == nil || err != nil {
			return
		}
		if _, silent := c.FormLimitation(); silent == "" {
			t.Error("what is missing is not said")
		}
		for _, p := range c.Packages {
			for _, ch := range p.Channels {
				for _, e := range ch.Entries {
					if e.Bundle == nil || e.Bundle.Name.Value != e.Name.Value {
						t.Errorf("entry %q without its bundle", e.Name.Value)
					}
				}
			}
			for _, b := range p.Bundles {
				if _, err := bundled.Facts(b); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// describeChannels returns the channels of a package with their edges.
func describeChannels(p *catalogs.Package) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s, default %s\n", p.Name.Value, p.DefaultChannel.Value)
	channels := slices.Clone(p.Channels)
	slices.SortFunc(channels, func(a, b *catalogs.Channel) int { return strings.Compare(a.Name.Value, b.Name.Value) })
	for _, ch := range channels {
		for i, e := range ch.Entries {
			fmt.Fprint(&out, []string{ch.Name.Value + ": ", ", "}[min(i, 1)], e.Name.Value)
			if e.Replaces.Value != "" {
				fmt.Fprint(&out, " replaces ", e.Replaces.Value)
			}
			for _, skip := range e.Skips {
				fmt.Fprint(&out, " skips ", skip.Value)
			}
			if e.SkipRange.Value != "" {
				fmt.Fprint(&out, " in ", e.SkipRange.Value)
			}
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}
