package open

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/configmap"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/memfs"
	"github.com/olmgraph/olmgraph/catalogs/source"
)

// configMapText is a ConfigMap with a catalog whose texts are block scalars.
const configMapText = `apiVersion: v1
kind: ConfigMap
metadata: {name: red-catalog, namespace: olm}
data:
  customResourceDefinitions: |-
    - apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: buoys.sea.example}
      spec:
        group: sea.example
        names: {kind: Buoy, plural: buoys}
        versions: [{name: v1, served: true, storage: true}]
  clusterServiceVersions: |

    - apiVersion: operators.coreos.com/v1alpha1
      kind: ClusterServiceVersion
      metadata:
        name: red.v1.1.0
        annotations: {olm.skipRange: ">=1.0.0 <1.1.0"}
      spec:
        version: 1.1.0
        replaces: red.v1.0.0
        skips: [red.v1.0.1]
        customresourcedefinitions:
          owned:
          - {name: buoys.sea.example, version: v1, kind: Buoy}
    - kind: ClusterServiceVersion
      metadata: {name: red.v1.0.0}
      spec: {version: 1.0.0}
    - kind: ClusterServiceVersion
      metadata: {name: red.v1.0.1}
      spec: {version: 1.0.1}
  packages: |
    - packageName: red
      defaultChannel: stable
      channels:
      - {name: stable, currentCSV: red.v1.1.0}
      - {name: old, currentCSV: red.v1.0.0}
`

// openAll opens a text on standard input.
func openAll(t testing.TB, text string, o form.Options) []*catalogs.Catalog {
	t.Helper()
	o.Stdin = strings.NewReader(text)
	cats, err := Open(t.Context(), "-", o)
	if err != nil {
		t.Fatal(err)
	}
	return cats
}

// asJSON writes the ConfigMap as kubectl get -o json does.
func asJSON(t testing.TB, text string) string {
	t.Helper()
	for root := range form.DecoderOf(&source.File{}, []byte(text)).Documents() {
		var out bytes.Buffer
		json.Indent(&out, root.AppendJSON(nil), "", "    ")
		return out.String()
	}
	t.Fatal("no object")
	return ""
}

// TestConfigMap wants the graph that configmap-server makes of a ConfigMap, whatever the file is like that it is in.
func TestConfigMap(t *testing.T) {
	indented := strings.ReplaceAll("\n"+strings.TrimSuffix(configMapText, "\n"), "\n", "\n  ")
	folded := strings.ReplaceAll(configMapText, ": |\n\n", ": >\n\n")
	source := "apiVersion: operators.coreos.com/v1alpha1\nkind: CatalogSource\nspec: {sourceType: configmap, configMap: red-catalog}\n"
	for name, text := range map[string]string{
		"alone":   configMapText,
		"json":    asJSON(t, configMapText),
		"list":    "apiVersion: v1\nkind: List\nitems:\n-" + indented[2:] + "\n",
		"typed":   "apiVersion: v1\nkind: ConfigMapList\nitems:\n-" + strings.Replace(indented[2:], "kind: ConfigMap", "immutable: false", 1) + "\n",
		"stream":  source + "---\n" + configMapText + "---\n" + source,
		"crlf":    strings.ReplaceAll(configMapText, "\n", "\r\n"),
		"folded":  folded,
		"comment": "# red\n" + strings.Replace(configMapText, "customResourceDefinitions: |-", "customResourceDefinitions: !!str |2-  # CRDs", 1),
	} {
		cats := openAll(t, text, form.Options{})
		c := cats[0]
		if len(cats) != 1 || c.Form != catalogs.ConfigMap || c.Name != "" || len(c.Packages) != 1 || name != "folded" && problemLines(c) != "" {
			t.Errorf("%s: %s, %s", name, c.Form, problemLines(c))
			continue
		}
		if name != "folded" {
			wantRed(t, name, c)
		}
	}
}

// wantRed wants the package of configMapText.
func wantRed(t *testing.T, name string, c *catalogs.Catalog) {
	t.Helper()
	p := c.Packages[0]
	if got, want := shapeOf(p), "red, default stable\nold: red.v1.0.0\nstable: red.v1.1.0 replaces red.v1.0.0 skips red.v1.0.1 in >=1.0.0 <1.1.0, red.v1.0.0, red.v1.0.1\n"; got != want {
		t.Errorf("%s: %s\nwant %s", name, got, want)
	}
	facts, err := bundled.Facts(p.Bundle("red.v1.1.0"))
	if err != nil || len(facts.Provides) != 1 || facts.Provides[0].Kind != "Buoy" {
		t.Errorf("%s: %+v, %v", name, facts, err)
	}
	var reader bundled.Manifests
	manifests, err := reader.Of(p.Bundle("red.v1.1.0"))
	if err != nil || len(manifests) != 2 || manifests[1].Kind != "CustomResourceDefinition" || p.Bundle("red.v1.1.0").Folder != nil {
		t.Errorf("%s: %+v, %v", name, manifests, err)
	}
	if _, silent := c.FormLimitation(); !strings.Contains(silent, "no deprecations") {
		t.Errorf("%s: %q", name, silent)
	}
}

// shapeOf is a package in a few words.
func shapeOf(p *catalogs.Package) string {
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

// TestConfigMapPlaces wants places in a literal text to be those in the file, and else that of the text's key.
func TestConfigMapPlaces(t *testing.T) {
	at := func(text, what string) catalogs.Pos {
		before, _, _ := strings.Cut(text, what)
		return catalogs.Pos{File: "stdin", Line: 1 + strings.Count(before, "\n"), Col: len(before) - strings.LastIndexByte(before, '\n')}
	}
	wide := strings.ReplaceAll(configMapText, "\n    ", "\n        ")
	for _, text := range []string{configMapText, wide, "---\n" + configMapText, strings.ReplaceAll(configMapText, "\n", "\r\n"),
		strings.Replace(configMapText, ": |\n", ": &x |2+\n", 1)} {
		p := openAll(t, text, form.Options{})[0].Packages[0]
		head := p.Channel("stable").Entries[0]
		if want := at(text, "red.v1.0.0\n"); strings.Contains(text, "\r") {
			want = at(text, "red.v1.0.0\r\n")
			if head.Replaces.Pos != want {
				t.Errorf("%v, want %v", head.Replaces.Pos, want)
			}
		} else if head.Replaces.Pos != want {
			t.Errorf("%v, want %v", head.Replaces.Pos, want)
		}
		if want := at(text, `">=1.0.0 <1`); head.SkipRange.Pos != want {
			t.Errorf("%v, want %v", head.SkipRange.Pos, want)
		}
		var reader bundled.Manifests
		manifests, _ := reader.Of(head.Bundle)
		if got, want := manifests[1].At("spec.names.plural"), at(text, "plural: buoys"); got != want {
			t.Errorf("%v, want %v", got, want)
		}
		if want := at(text, "old, currentCSV"); p.Channel("old").Pos != want {
			t.Errorf("%v, want %v", p.Channel("old").Pos, want)
		}
	}
	text := asJSON(t, configMapText)
	head := openAll(t, text, form.Options{})[0].Packages[0].Channel("stable").Entries[0]
	if want := at(text, `"clusterServiceVersions"`); head.Replaces.Pos != want {
		t.Errorf("%v, want %v", head.Replaces.Pos, want)
	}
}

// TestConfigMapFaults: what keeps the pod of a catalog in a ConfigMap from starting is reported at its place.
func TestConfigMapFaults(t *testing.T) {
	replaced := func(old, text string) string {
		t.Helper()
		if !strings.Contains(configMapText, old) {
			t.Fatalf("no %q", old)
		}
		return strings.Replace(configMapText, old, text, 1)
	}
	again := "    - kind: ClusterServiceVersion\n      metadata: {name: red.v1.0.1}\n      spec: {version: 1.0.1}\n"
	crds := configMapText[strings.Index(configMapText, "    - apiVersion: api"):strings.Index(configMapText, "  clusterServiceV")]
	for text, want := range map[string]string{
		replaced("packages:", "pakages:"):                                                                        "stdin:1:1 the ConfigMap has no data.packages: the catalog's pod does not start",
		replaced("    - packageName: red\n", "    packageName: red\n    x:\n"):                                   "stdin:34:5 data.packages is not a list (object)",
		replaced("defaultChannel: stable", "defaultChannel: {"):                                                  "stdin:37:5 data.packages cannot be read: did not find expected node content",
		replaced("defaultChannel: stable", "x: y"):                                                               "stdin:34:7 there are 2 channels, but no defaultChannel",
		replaced(again, again+again):                                                                             `stdin:34:24 a ClusterServiceVersion without a name, or with that of another one, "red.v1.0.1": the catalog's pod does not start`,
		replaced(crds, crds+crds):                                                                                "stdin:13:7 the CRD buoys.sea.example, version v1, stands a second time: the catalog's pod does not start",
		replaced("version: v1, kind: Buoy", "version: v2, kind: Buoy"):                                           `stdin:26:13 "red.v1.1.0" owns the CRD buoys.sea.example, version v2, kind Buoy, but data.customResourceDefinitions does not have that`,
		replaced("name: buoys.sea.example, v", "name: buoys, v"):                                                 `stdin:26:13 "red.v1.1.0" owns the CRD buoys, version v1, kind Buoy, but data.customResourceDefinitions does not have that`,
		replaced("red.v1.0.1]", "red.v1.0.2]"):                                                                   `stdin:31:24 no channel of a package comes to "red.v1.0.1": nobody can install it`,
		replaced("replaces: red.v1.0.0", "replaces: red.v0.9.0"):                                                 `stdin:22:19 "red.v1.1.0" replaces "red.v0.9.0", which is no CSV of the package`,
		configMapText + "---\nschema: olm.package\nname: blue\n":                                                 "stdin:40:1 neither a ConfigMap, as what stands before it, nor another object of Kubernetes: it was not read",
		configMapText + "    ---\n    - packageName: blue\n":                                                     "stdin:39:5 only the first document of data.packages is read, and what begins here is silently dropped",
		configMapText + "    - 1\n    - packageName: red\n      channels: [{name: a, currentCSV: red.v1.1.0}]\n": "stdin:34:7 package \"red\" stands again in line 40: this first one is silently dropped\nstdin:39:7 an item of data.packages is not an object (number)",
	} {
		if got := problemLines(openAll(t, text, form.Options{})[0]); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestConfigMaps wants several ConfigMaps to be as many catalogs.
func TestConfigMaps(t *testing.T) {
	other := strings.ReplaceAll(configMapText, "name: red-catalog", "name: red-catalog, namespace: other")
	other = strings.Replace(other, ", namespace: olm}", "}", 1)
	cats := openAll(t, configMapText+"---\n"+strings.ReplaceAll(configMapText, "red", "blue")+"---\n"+other, form.Options{Package: "red"})
	var names []string
	for _, c := range cats {
		names = append(names, fmt.Sprint(c.Name, len(c.Packages), c.Stats.Files))
	}
	if got := strings.Join(names, " "); got != "red-catalog1 1 blue-catalog0 0 other/red-catalog1 0" {
		t.Error(got)
	}
}

// TestConfigMapElsewhere: without the keys of a catalog it is none, and in a folder neither.
func TestConfigMapElsewhere(t *testing.T) {
	for _, text := range []string{"apiVersion: v1\nkind: ConfigMap\ndata: {a: b}\n", "apiVersion: v1\nkind: ConfigMap\nbinaryData: {packages: e30=}\n",
		"schema: olm.package\nname: red\nkind: ConfigMap\n", "kind: ConfigMap\ndata: [\n"} {
		if c := openAll(t, text, form.Options{})[0]; c.Form != catalogs.FileBased {
			t.Errorf("%s: %s", text, c.Form)
		}
	}
}

func FuzzConfigMap(f *testing.F) {
	f.Add([]byte(configMapText))
	f.Add([]byte(asJSON(f, configMapText)))
	f.Add([]byte(strings.ReplaceAll(configMapText, "\n", "\r\n")))
	f.Add([]byte("kind: ConfigMapList\nitems: [{data: {packages: \"[{packageName: a, channels: [{name: b, currentCSV: c}]}]\"}}, {data: 1}, 2]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		cats, err := configmap.OpenConfigMaps(t.Context(), &source.Source{Fsys: memfs.File{Name: "x", Text: text}}, "x", form.Options{})
		if err != nil {
			t.Fatal(err)
		}
		lines := 1 + bytes.Count(text, []byte("\n"))
		var reader bundled.Manifests
		for _, c := range cats {
			for _, p := range c.Problems {
				if p.Pos.Line < 0 || p.Pos.Line > lines {
					t.Errorf("%s in a text of %d lines", p.Pos, lines)
				}
			}
			for _, p := range c.Packages {
				for _, b := range p.Bundles {
					if _, err := bundled.Facts(b); err != nil {
						t.Error(err)
					}
					manifests, err := reader.Of(b)
					if err != nil || len(manifests) == 0 || b.Pos.Line < 1 || b.Pos.Line > lines {
						t.Errorf("%s at %s: %d manifests, %v", b.Name.Value, b.Pos, len(manifests), err)
					}
				}
			}
		}
	})
}
