package fbcwriter

import (
	"bytes"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// nodes parses documents that lines --- separate.
func nodes(t testing.TB, text string) []tree.Node {
	t.Helper()
	var all []tree.Node
	for _, document := range strings.Split("\n"+text, "\n---\n") {
		n, _, err := tree.ParseYAML([]byte(document), tree.Place{Line: 1, Col: 1}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n.Kind != tree.Null {
			all = append(all, n)
		}
	}
	return all
}

func newCatalog(t testing.TB, text string) *Catalog {
	t.Helper()
	c := &Catalog{}
	all := nodes(t, text)
	for i := range all {
		c.Add(&all[i])
	}
	return c
}

func writeYAML(t testing.TB, c *Catalog) string {
	t.Helper()
	var out strings.Builder
	if err := c.WriteYAML(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// written is in opm's order: packages by name, in each the package, the channels and bundles by name, others by schema, deprecations.
const written = `---
defaultChannel: ""
name: a
schema: olm.package
---
entries: null
name: alpha
package: a
schema: olm.channel
---
entries:
- name: a.v1
- name: a.v2
  replaces: a.v1
  skipRange: <2
  skips:
  - a.v0
name: beta
package: a
schema: olm.channel
---
image: registry/a:1
name: a.v1
package: a
properties:
- type: olm.package
  value:
    packageName: a
    version: "1.0"
- type: other
  value: null
relatedImages:
- image: registry/a:1
  name: ""
schema: olm.bundle
---
a: 1
package: a
schema: my.extra
---
b: 1
package: a
schema: my.extra
---
package: a
schema: my.more
---
entries:
- message: gone
  reference:
    name: a.v1
    schema: olm.bundle
- message: ""
  reference:
    schema: olm.package
package: a
schema: olm.deprecations
---
defaultChannel: stable
icon:
  base64data: YWI=
  mediatype: image/svg+xml
name: b
schema: olm.package
---
schema: lone
`

func TestWriteYAML(t *testing.T) {
	c := newCatalog(t, `
schema: lone
---
schema: olm.package
name: b
DefaultChannel: stable
unknown: left out
icon: {mediatype: image/svg+xml, base64data: "YWI\n="}
properties: []
---
schema: olm.deprecations
package: a
entries:
- {message: gone, reference: {schema: olm.bundle, name: a.v1}}
- {reference: {schema: olm.package}}
---
schema: my.more
package: a
---
schema: my.extra
package: a
a: 1
---
schema: my.extra
package: a
b: 1
---
schema: olm.channel
package: a
name: beta
entries:
- {name: a.v1, replaces: "", skips: []}
- {name: a.v2, Replaces: a.v1, skiprange: <2, skips: [a.v0], unknown: x}
---
Schema: olm.bundle
package: a
name: a.v1
image: registry/a:1
relatedImages:
- image: registry/a:1
properties:
- type: olm.package
  value: {version: "1.0", packageName: a}
- type: other
---
schema: olm.channel
package: a
name: alpha
---
schema: olm.package
name: a
---
schema: olm.channel
name: of no package
`)
	if got := writeYAML(t, c); got != written {
		t.Errorf("got\n%s\nwant\n%s", got, written)
	}
	if got := writeYAML(t, newCatalog(t, written)); got != written {
		t.Errorf("a second time\n%s\nwant\n%s", got, written)
	}
}

func TestWriteJSON(t *testing.T) {
	c := newCatalog(t, `
package: p
name: "<x>"
schema: olm.bundle
properties:
- type: t
  value: {b: [1, "a<b\n"], a: {}}
`)
	const want = `{
    "schema": "olm.bundle",
    "name": "<x>",
    "package": "p",
    "image": "",
    "properties": [
        {
            "type": "t",
            "value": {
                "a": {},
                "b": [
                    1,
                    "a<b\n"
                ]
            }
        }
    ]
}
`
	var out strings.Builder
	if err := c.WriteJSON(&out); err != nil || out.String() != want {
		t.Errorf("%v %s", err, out.String())
	}
}

// TestWriteInert: what a terminal or a CI runner would interpret is escaped, and the values are the same.
func TestWriteInert(t *testing.T) {
	c := newCatalog(t, "schema: mine\npackage: p\na: \"x\\u202ey\"\nb: |\n  ##[set-env]\n  ::error::\n  1::2\nc: é\n\"::stop::\": word\n")
	const want = `---
"\x3A\x3Astop\x3A\x3A": word
a: "x\u202Ey"
b: "\x23\x23[set-env]\n\x3A\x3Aerror\x3A\x3A\n1\x3A\x3A2\n"
c: é
package: p
schema: mine
`
	var out strings.Builder
	if err := c.WriteInertYAML(&out); err != nil || out.String() != want {
		t.Errorf("%v got\n%s\nwant\n%s", err, out.String(), want)
	}
	if got, exact := writeYAML(t, newCatalog(t, want)), writeYAML(t, c); got != exact {
		t.Errorf("read again it is\n%s\nand not\n%s", got, exact)
	}
	out.Reset()
	if err := c.WriteInertJSON(&out); err != nil || strings.ContainsRune(out.String(), '\u202e') || strings.Contains(out.String(), "##[") {
		t.Errorf("%v %s", err, out.String())
	}
}

// TestMetadataOfRealBundles compares bundles that were published with olm.bundle.object, and converted, with the same ones as they were
// published with olm.csv.metadata.
func TestMetadataOfRealBundles(t *testing.T) {
	byImage := map[string]tree.Node{}
	for _, file := range catalogtest.Match(t, "fbc/community-v4.14/*/*.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range nodes(t, string(text)) {
			if objects, _ := ManifestProperties(&n); objects {
				byImage[n.Str("image")] = n
			}
		}
	}
	equal, differ := 0, 0
	for _, file := range catalogtest.Match(t, "fbc/community-v4.18/*/*.yaml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, published := range nodes(t, string(text)) {
			older, found := byImage[published.Str("image")]
			if _, metadata := ManifestProperties(&published); !metadata || !found {
				continue
			}
			converted := WithMetadata(older)
			if bytes.Equal(converted.AppendYAML(nil), published.AppendYAML(nil)) {
				equal++
			} else if differ++; differ <= 3 {
				t.Logf("%s differs", published.Str("name"))
			}
		}
	}
	t.Logf("%d equal, %d differ", equal, differ)
	if equal == 0 || differ*100 > equal {
		t.Errorf("%d of %d bundles differ", differ, equal+differ)
	}
}

// TestManyPackages: the objects of a package are not copied once for each further package.
func TestManyPackages(t *testing.T) {
	catalogtest.CheckGrowth(t, 1, 7500, func(n int) {
		var c Catalog
		for i := range n {
			c.AddPackage(strconv.Itoa(i), "stable", "", nil)
		}
		if err := c.WriteJSON(io.Discard); err != nil {
			t.Error(err)
		}
	})
}
