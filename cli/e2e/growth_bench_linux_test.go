package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// growing are inputs that strangers write, as large as somebody wants, with a command that reads each. The input is the file in.yaml, beside
// base.yaml with a package of two versions.
var growing = []struct {
	name  string
	sizes [3]int
	args  string
	text  func(n int) string
}{
	{"packages", [3]int{1000, 2000, 4000}, "lint in.yaml", grownPackages},
	{"packages-diff", [3]int{1000, 2000, 4000}, "diff base.yaml in.yaml", func(n int) string {
		return each(n, `{"schema":"olm.package","name":"p%[1]d","defaultChannel":"c"}{"schema":"olm.channel","package":"p%[1]d","name":"c","entries":[{"name":"p%[1]d.v1"}]}`)
	}},
	{"channels", [3]int{2500, 5000, 10000}, "lint in.yaml", grownChannels},
	{"channels-drawn", [3]int{1000, 2000, 4000}, "render in.yaml p -o dot", grownChannels},
	{"channels-picture", [3]int{2500, 5000, 10000}, "render in.yaml p", grownChannels}, // an error that says its size
	{"channels-page", [3]int{2500, 5000, 10000}, "render in.yaml -o html", grownChannels},
	{"channels-with-bundles", [3]int{2500, 5000, 10000}, "render in.yaml -o html", func(n int) string {
		return base + each(n, `{"schema":"olm.channel","package":"p","name":"c%[1]d","entries":[{"name":"p.v3.%[1]d.0"}]}`) + each(n, grownBundle)
	}},
	{"channels-apart", [3]int{5000, 10000, 20000}, "list in.yaml", grownApart},
	{"channels-apart-page", [3]int{5000, 10000, 20000}, "render in.yaml -o html", grownApart},
	{"chain", [3]int{25000, 50000, 100000}, "lint in.yaml", grownChain},
	{"chain-drawn", [3]int{25000, 50000, 100000}, "render in.yaml p -o dot", grownChain},
	{"chain-page", [3]int{2500, 5000, 10000}, "render in.yaml -o html", grownChain},
	{"chain-no-page", [3]int{25000, 50000, 100000}, "render in.yaml -o html", grownChain}, // an error that says its size
	{"packages-page", [3]int{2500, 5000, 10000}, "render in.yaml -o html", grownPackages},
	{"square-page", [3]int{50, 100, 200}, "render in.yaml -o html", func(n int) string { // n channels of n entries
		return base + each(n, `{"schema":"olm.channel","package":"p","name":"b%d","entries":[`+grownEntries(n)+`{"name":"p.v1"}]}`) + each(n, grownBundle)
	}},
	{"skips-square-page", [3]int{100, 200, 400}, "render in.yaml -o html", func(n int) string { // each entry skips all before
		var entries, names strings.Builder
		for i := range n {
			fmt.Fprintf(&entries, `{"name":"p.v3.%d.0","replaces":"p.v3.%d.0","skips":["p.v1"%s]},`, i, i-1, &names)
			fmt.Fprintf(&names, `,"p.v3.%d.0"`, i)
		}
		return base + `{"schema":"olm.channel","package":"p","name":"b","entries":[` + entries.String() + `{"name":"p.v1"}]}` + each(n, grownBundle)
	}},
	{"chain-removed", [3]int{5000, 10000, 20000}, "diff in.yaml base.yaml", grownChain},
	{"heads", [3]int{5000, 10000, 20000}, "lint in.yaml", func(n int) string {
		return base + `{"schema":"olm.channel","package":"p","name":"b","entries":[{"name":"p.v1"}` + each(n, `,{"name":"p.v3.%d.0"}`) + "]}" + each(n, grownBundle)
	}},
	{"twins", [3]int{500, 1000, 2000}, "render in.yaml -o html", func(n int) string { // of one version, with a skipRange of their own
		entry := `,{"name":"p.v3.%[1]d.0%[2]s","skipRange":"<3.%[1]d.0 !=9.%[1]d.0-%[2]s"}`
		bundle := strings.ReplaceAll(strings.ReplaceAll(grownBundle, `.0","image`, `.0%[2]s","image`), `.0"}}`, `.0+%[2]s"}}`)
		both := func(format string) string {
			return each(n/2, strings.ReplaceAll(format, "%[2]s", "a")+strings.ReplaceAll(format, "%[2]s", "b"))
		}
		return base + `{"schema":"olm.channel","package":"p","name":"b","entries":[{"name":"p.v1"}` + both(entry) + "]}" + both(bundle)
	}},
	{"skips", [3]int{25000, 50000, 100000}, "lint in.yaml", func(n int) string {
		return base + `{"schema":"olm.channel","package":"p","name":"b","entries":[{"name":"p.v2","skips":["x"` + each(n, `,"p.v0.%d.0"`) + `]}]}`
	}},
	{"skips-removed", [3]int{2000, 4000, 8000}, "lint in.yaml", func(n int) string { // each of an entry of its own
		return base + `{"schema":"olm.channel","package":"p","name":"b","entries":[{"name":"p.v1"}` + each(n, `,{"name":"p.v3.%[1]d.0","skips":["p.v3.%[1]d.1"]}`) + "]}" + each(n, grownBundle)
	}},
	{"skips-of-wrong-types", [3]int{2500, 5000, 10000}, "lint in.yaml", func(n int) string {
		return base + `{"schema":"olm.channel","package":"p","name":"b","entries":[{"name":"p.v2","skips":["x"` + each(n, `,%d`) + `]}]}`
	}},
	{"versions-of-wrong-types", [3]int{5000, 10000, 20000}, "lint in.yaml", func(n int) string {
		return base + each(n, `{"schema":"olm.bundle","package":"p","name":"p.v3.%[1]d","image":"i/i:1","properties":[{"type":"olm.package","value":{"packageName":"p","version":%[1]d}}]}`)
	}},
	{"keys", [3]int{250000, 500000, 1000000}, "lint in.yaml", func(n int) string { return base + `{"schema":"x"` + each(n, `,"k%d":1`) + `}` }},
	{"comments", [3]int{25000, 50000, 100000}, "lint in.yaml", func(n int) string { return each(n, "# olmgraph:ignore graph/stuck r%d\n---\n") + base }},
	{"depth", [3]int{10000, 100000, 1000000}, "list in.yaml", func(n int) string { return base + strings.Repeat("[", n) }},
	{"depth-in-flow-style", [3]int{1000, 10000, 100000}, "list in.yaml", func(n int) string { return "a: " + strings.Repeat("{a: ", n) }},
	{"anchors", [3]int{10, 20, 40}, "list in.yaml", func(n int) string { return "a0: &a0 [x]\n" + each(n, "a1%[1]d: &a1%[1]d [*a0, *a0, *a0]\n") }},
	{"subscriptions", [3]int{4000, 8000, 16000}, "cluster --snapshot in.yaml base.yaml", grownSubscriptions},
	{"subscriptions-readiness", [3]int{4000, 8000, 16000}, "readiness --snapshot in.yaml base.yaml", grownSubscriptions},
	{"namespaces-with-all-objects", [3]int{4000, 8000, 16000}, "cluster --snapshot in.yaml base.yaml", grownNamespaces},
	{"namespaces-with-all-objects-readiness", [3]int{4000, 8000, 16000}, "readiness --snapshot in.yaml base.yaml", grownNamespaces},
	{"catalog-sources", [3]int{250, 500, 990}, "cluster --snapshot in.yaml catalog=base.yaml", func(n int) string { // each namespace sees all
		return grownSubscriptions(n) + each(n, "- {apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: c%d, namespace: olm}, spec: {sourceType: grpc}}\n") +
			"- {apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: catalog, namespace: olm}, spec: {sourceType: grpc}}\n"
	}},
	{"image-set", [3]int{10000, 20000, 40000}, "mirror in.yaml base.yaml", func(n int) string {
		return "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: r/c:v1\n    packages:\n" + each(n, "    - name: p%d\n")
	}},
	{"image-set-channels", [3]int{25000, 50000, 100000}, "mirror in.yaml base.yaml", func(n int) string {
		return "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: r/c:v1\n    packages:\n    - name: p\n      channels:\n" + each(n, "      - name: c%d\n")
	}},
	{"operators-in-a-namespace", [3]int{500, 1000, 2000}, "cluster --snapshot in.yaml base.yaml", grownOperators},
	{"operators-in-a-namespace-plan", [3]int{500, 1000, 2000}, "plan --snapshot in.yaml --to 4.15 catalog@4.14=base.yaml catalog@4.15=base.yaml", grownOperators},
	{"chain-path", [3]int{25000, 50000, 100000}, "path in.yaml p p.v3.0.0", grownChain},
	{"chain-release", [3]int{2500, 5000, 10000}, "release in.yaml p 9.0.0", grownChain},
	{"cel-long", [3]int{10000, 20000, 40000}, "lint in.yaml", func(n int) string { return constrained("true" + strings.Repeat(" && true", n)) }},
	{"cel-nested", [3]int{10000, 20000, 40000}, "lint in.yaml", func(n int) string { return constrained(strings.Repeat("(", n) + "true" + strings.Repeat(")", n)) }},
	{"template", [3]int{10000, 20000, 40000}, "lint in.yaml", func(n int) string {
		return "schema: olm.template.basic\nentries:\n" + each(n, "- {schema: olm.bundle, image: i/i:%d}\n")
	}},
}

const base = `{"schema":"olm.package","name":"p","defaultChannel":"c"}{"schema":"olm.channel","package":"p","name":"c","entries":[{"name":"p.v1"},{"name":"p.v2","replaces":"p.v1"}]}` +
	`{"schema":"olm.bundle","package":"p","name":"p.v1","image":"i/i:1","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}}]}` +
	`{"schema":"olm.bundle","package":"p","name":"p.v2","image":"i/i:2","properties":[{"type":"olm.package","value":{"packageName":"p","version":"2.0.0"}}]}` + "\n"

func grownChannels(n int) string {
	return base + each(n, `{"schema":"olm.channel","package":"p","name":"c%d","entries":[{"name":"p.v2"}]}`)
}

// grownApart is a package of channels with an entry each, that no other has.
func grownApart(n int) string {
	return base + each(n, `{"schema":"olm.channel","package":"p","name":"c%[1]d","entries":[{"name":"p.v3.%[1]d.0"}]}`)
}

const grownBundle = `{"schema":"olm.bundle","package":"p","name":"p.v3.%[1]d.0","image":"i/i:1","properties":[{"type":"olm.package","value":{"packageName":"p","version":"3.%[1]d.0"}}]}`

func grownPackages(n int) string {
	return each(n, `{"schema":"olm.package","name":"p%[1]d","defaultChannel":"c"}{"schema":"olm.channel","package":"p%[1]d","name":"c","entries":[{"name":"p%[1]d.v1"}]}{"schema":"olm.bundle","package":"p%[1]d","name":"p%[1]d.v1","image":"i/i:1","properties":[{"type":"olm.package","value":{"packageName":"p%[1]d","version":"1.0.0"}}]}`)
}

func grownEntries(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"name":"p.v3.%d.0","replaces":"p.v3.%d.0"},`, i, i-1)
	}
	return b.String()
}

func grownChain(n int) string {
	return strings.Replace(base, `{"name":"p.v1"},{"name":"p.v2","replaces":"p.v1"}`, grownEntries(n)+fmt.Sprintf(`{"name":"p.v2","replaces":"p.v3.%d.0"}`, n-1), 1) + each(n, grownBundle)
}

// constrained is a bundle with a rule in CEL.
func constrained(rule string) string {
	return base + fmt.Sprintf(`{"schema":"olm.bundle","package":"p","name":"p.v3","image":"i/i:3","properties":[{"type":"olm.package","value":{"packageName":"p","version":"3.0.0"}},`+
		`{"type":"olm.constraint","value":{"failureMessage":"m","cel":{"rule":%q}}}]}`, rule)
}

func grownOperators(n int) string {
	return "openshift: '4.14'\nsubscriptions:\n" + each(n, "- {package: p%[1]d, channel: c, installed: p%[1]d.v1}\n")
}

func grownSubscriptions(n int) string {
	return "kind: List\nitems:\n" + each(n, "- {apiVersion: operators.coreos.com/v1alpha1, kind: Subscription, metadata: {name: s, namespace: ns%d}, spec: {name: p, channel: c, source: catalog, sourceNamespace: olm}, status: {installedCSV: p.v1}}\n")
}

func grownNamespaces(n int) string {
	return grownSubscriptions(n) +
		each(n, "- {apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: p.v1, namespace: ns%d}, spec: {version: 1.0.0}, status: {phase: Succeeded}}\n") +
		each(n, "- {apiVersion: operators.coreos.com/v1, kind: OperatorGroup, metadata: {name: g, namespace: ns%[1]d}, spec: {targetNamespaces: [ns%[1]d]}}\n")
}

// each writes a format for each number.
func each(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// BenchmarkGrowth reports the processor time and the peak of memory of a process for inputs of three sizes, each twice the one before or more:
// neither is to grow faster than the input.
func BenchmarkGrowth(b *testing.B) {
	for _, g := range growing {
		for _, n := range g.sizes {
			b.Run(fmt.Sprintf("%s/n=%d", g.name, n), func(b *testing.B) {
				dir := b.TempDir()
				for name, text := range map[string]string{"in.yaml": g.text(n), "base.yaml": base} {
					catalogtest.Write(b, filepath.Join(dir, name), text)
				}
				var took float64
				var peak int64
				for b.Loop() {
					cmd := exec.Command("olmgraph", strings.Fields(g.args)...)
					cmd.Dir = dir
					out, err := cmd.CombinedOutput()
					if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 || cmd.ProcessState.ExitCode() > 3 || len(out) == 0 {
						b.Fatalf("%s: %v: %s", g.args, err, out)
					}
					took += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
					peak = max(peak, cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss/1024)
				}
				b.ReportMetric(took/float64(b.N), "cpu-s/op")
				b.ReportMetric(float64(peak), "MiB-peak")
			})
		}
	}
}
