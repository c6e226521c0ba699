package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// TestOverviewCounts: a problem counts in each catalog and each channel that has it, and a package that is called like a flag is in no
// command.
func TestOverviewCounts(t *testing.T) {
	t.Chdir(t.TempDir())
	const catalog = `{schema: olm.package, name: -p, defaultChannel: a}
---
{schema: olm.channel, package: -p, name: a, entries: [{name: p.v1, skips: [""]}]}
---
{schema: olm.channel, package: -p, name: b, entries: [{name: p.v1, skips: [""]}]}
---
{schema: olm.bundle, package: -p, name: p.v1, image: i, properties: [{type: olm.package, value: {packageName: -p, version: 1.0.0}}]}
`
	for _, name := range []string{"v4.18", "v4.19"} {
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(name, "catalog.yaml"), []byte(catalog), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		var out, errs bytes.Buffer
		Run(context.Background(), append([]string{"olmgraph"}, args...), strings.NewReader(""), &out, &errs, fstest.MapFS{})
		return out.String() + errs.String()
	}
	all := run(".")
	if rows := regexp.MustCompile(`(?m)^v4\.1[89] +-p .* [1-9]\d* +\S+$`).FindAllString(all, -1); len(rows) != 2 || strings.Contains(all, " path ") {
		t.Errorf("%s\nwant errors in both catalogs, and no path of -p", all)
	}
	one := run("v4.18", "--", "-p")
	if rows := regexp.MustCompile(`(?m)^[ab] +1\.0\.0 +1 +\S+ +[1-9]\d* .*$`).FindAllString(one, -1); len(rows) != 2 {
		t.Errorf("%s\nwant errors in both channels", one)
	}
}
