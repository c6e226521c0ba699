package e2e

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/cli"
)

// TestResolveTooHard subscribes to one operator more than there are APIs, each of which one operator provides: the answer is
// unknown, not that OLM cannot resolve it.
func TestResolveTooHard(t *testing.T) {
	const holes = 11
	var catalog, space strings.Builder
	space.WriteString("subscriptions:\n")
	for p := range holes + 1 {
		fmt.Fprintf(&space, "- {package: p%d, channel: stable}\n", p)
		fmt.Fprintf(&catalog, "---\nschema: olm.package\nname: p%d\ndefaultChannel: stable\n---\nschema: olm.channel\nname: stable\npackage: p%d\nentries:\n", p, p)
		for v := 1; v <= holes; v++ {
			fmt.Fprintf(&catalog, "- {name: p%d.v%d, replaces: p%d.v%d}\n", p, v, p, v-1)
		}
		for v := 1; v <= holes; v++ {
			fmt.Fprintf(&catalog, "---\nschema: olm.bundle\nname: p%d.v%d\npackage: p%d\nimage: i.example/p\nproperties:\n", p, v, p)
			fmt.Fprintf(&catalog, "- {type: olm.package, value: {packageName: p%d, version: %d.0.0}}\n", p, v)
			fmt.Fprintf(&catalog, "- {type: olm.gvk, value: {group: g, version: v1, kind: Hole%d}}\n", v)
		}
	}
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "namespace.yaml"), filepath.Join(dir, "catalog.yaml")}
	for i, text := range []string{space.String(), catalog.String()} {
		catalogtest.Write(t, files[i], text)
	}
	for format, want := range map[string][]string{
		"text": {"the answer is not known", "within the limit of olmgraph"},
		"json": {`"kind": "limit"`, `"state": "unknown"`},
	} {
		var out, errs bytes.Buffer
		args := []string{"olmgraph", "cluster", "-o", format, "--snapshot", files[0], files[1]}
		if got := cli.Run(context.Background(), args, nil, &out, &errs, fstest.MapFS{}); got != 3 || errs.Len() > 0 {
			t.Errorf("%s: status %d: %s", format, got, &errs)
		}
		for _, w := range want {
			if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), w) {
				t.Errorf("%s: no %q in\n%s", format, w, &out)
			}
		}
		if strings.Contains(out.String(), "OLM cannot") {
			t.Errorf("%s says that OLM rejects:\n%s", format, &out)
		}
	}
}
