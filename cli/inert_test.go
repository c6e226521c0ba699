package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/report"
)

// strange is a name with control sequences for terminals, readers and runners.
const strange = "x\x1b[2J\u009b31m\u202ey\n::stop-commands::a\n##[add-mask]b ##vso[c] ::error::d"

// obeyed matches what a runner executes as a command: at the start of a line, or anywhere.
var obeyed = regexp.MustCompile(`(?m)^\s*::|##[A-Za-z]*\[`)

// TestStrangeNames uses such names everywhere: in a catalog, as a file name, in a flag, in git.
func TestStrangeNames(t *testing.T) {
	t.Chdir(t.TempDir())
	files := map[string]string{
		"red/" + strings.ReplaceAll(strange, "/", "") + ".yaml": "a: [\n",
		"red/catalog.yaml": fmt.Sprintf("schema: olm.package\nname: %[1]q\ndefaultChannel: %[1]q\n---\nschema: olm.channel\npackage: %[1]q\nname: %[1]q\n"+
			"entries:\n- name: %[1]q\n  replaces: %[2]q\n  skips: [\"::error::a\", \"::error::a\", %[2]q]\n- name: b\n  skipRange: %[1]q\n---\nschema: olm.bundle\nimage: %[1]q\npackage: %[1]q\nname: %[1]q\n---\nschema: %[1]q\n",
			strange, strange+"2"),
		"plain/catalog.yaml": "schema: olm.package\nname: red\n",
		".git":               "gitdir: " + strange + "\n",
		"config.yaml":        fmt.Sprintf("rules:\n  %q: off\n%q: 1\n", strange, strange),
		"baseline.json":      fmt.Sprintf("{%q: 1, \"version\": %q}", strange, strange),
		"imageset.yaml":      fmt.Sprintf("kind: ImageSetConfiguration\n%[1]q: 1\nmirror:\n  operators:\n  - catalog: %[1]q\n    packages:\n    - {name: %[1]q, minVersion: %[1]q, defaultChannel: %[1]q}\n    - {name: red}\n", strange),
		"set.yaml":           fmt.Sprintf("kind: ImageSetConfiguration\nmirror:\n  operators:\n  - catalog: a/%[1]s:v1\n    full: true\n    packages:\n    - {name: %[2]q}\n", "b", strange),
		"namespace.yaml":     fmt.Sprintf("apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: %[1]q, namespace: %[1]q}\nspec: {name: %[1]q, source: %[1]q, channel: %[1]q}\n", strange),
		"cluster.yaml":       strangeCluster(),
		"wrong.yaml":         fmt.Sprintf("apiVersion: operators.coreos.com/v1alpha1\nkind: Subscription\nmetadata: {name: %[1]q, namespace: %[1]q}\nspec: {channel: [%[1]q]}\n", strange),
		"kind.yaml":          fmt.Sprintf("apiVersion: operators.coreos.com/v9\nkind: Subscription\nmetadata: {name: %[1]q, namespace: %[1]q}\nspec: {name: a, source: b, sourceNamespace: c}\n", strange),
		"foreign.yaml":       fmt.Sprintf("apiVersion: %[1]q\nkind: Subscription\nmetadata: {name: %[1]q}\n", strange),
		"list.yaml":          fmt.Sprintf("items:\n- a: 1\nkind: %q\n", strange),
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Skip(err)
		}
	}
	said := "error using catalogsource a/" + strange + " is forbidden: User \"" + strange + "\" cannot get resource \"b\" in API group \"\""
	calls := [][]string{{"list", "red"}, {"list", "red", "channels"}, {"list", "red", "bundles"}, {"list", "red", "-o", "json"}, {"list", "red", strange},
		{"path", "red", "x"}, {"path", "red", strange, "--from", "all"}, {"path", "red", strange, "--from", "b", "-o", "json"},
		{"red"}, {"red", strange}, {"path", "red", strange, "--from", strange + "3"}, {"path", "red", strange, "--from", "b", "--channel", strange + "4"},
		{"render", "red", "-o", "dot"}, {"render", "red", "-o", "mermaid"}, {"render", "red", "y", "-o", "dot"}, {"crds", "red", strange},
		{"release", "red", strange, "9.0.0"}, {"release", "red", strange, "9.0.0", "--channel", strange, "-o", "json"}, {"release", "red", strange, strange + "@9.0.0", "--instead-of", strange},
		{"diff", "plain", "red"}, {"diff", "plain", "red", "-o", "json"}, {"diff", "red", "git:" + strange}, {"lint", "git:HEAD:" + strange},
		{"lint", "red", "--fix", "--diff"}, {"lint", strange}, {strange}, {"lint", "red", "--" + strange}, {"explain", strange}, {"explain", said}, {"explain", said, "-o", "json"}, {"explain", said, "-o", "markdown"}, {"lint", "red", "--only", strange},
		{"lint", "docker://127.0.0.1:1/" + strange}, {"lint", "oci:" + strange}, {"cluster", "red", "--snapshot", "namespace.yaml"},
		{"cluster", "--snapshot", "cluster.yaml", strange + "=red"}, {"cluster", "--snapshot", "cluster.yaml", strange + "=red", "-o", "json"}, {"cluster", "--snapshot", "cluster.yaml", strange + "=red", "-o", "markdown"},
		{"cluster", "--snapshot", "cluster.yaml"}, {"cluster", "--snapshot", "wrong.yaml", "red"}, {"cluster", "--snapshot", "kind.yaml", "red"}, {"cluster", "--snapshot", "foreign.yaml", "red"}, {"cluster", "--snapshot", "list.yaml", "red"},
		{"cluster", "--snapshot", "cluster.yaml", strange + "3=red"}, {"cluster", "--snapshot", strange, "red"}, {"cluster", "--snapshot", "cluster.yaml", strange + "=red"},
		{"cluster", "red", "--snapshot", "namespace.yaml", "-o", "json"}, {"cluster", "red", "--snapshot", "red/catalog.yaml"},
		{"mirror", "imageset.yaml", "red"}, {"mirror", "imageset.yaml", "red", "-o", "json"}, {"mirror", "imageset.yaml", "red", "-o", "markdown"}, {"mirror", "set.yaml", "red"},
		{"mirror", "set.yaml", "red", "-o", "catalog"}, {"mirror", "set.yaml", "red", "-o", "markdown"}, {"mirror", "set.yaml", strange + "=red"},
		{"mirror", strange, "red"}, {"mirror", "red/catalog.yaml", "red"}, {"mirror", "set.yaml", "red", "--snapshot", "namespace.yaml", "-o", "json"},
		{"plan", "--snapshot", "namespace.yaml", "--from", "4.14", "--to", "4.15", strange + "@4.15=red"}, {"plan", "--snapshot", "namespace.yaml", "--from", "4.14", "--to", "4.15", strange + "=red", "-o", "json"},
		{"plan", "--snapshot", "namespace.yaml", "--from", strange, "--to", "4.15", strange + "=red"}, {"plan", "--snapshot", "namespace.yaml", "--from", "4.14", "--to", "4.15", strange + "=red", "-o", "markdown"},
		{"lint", "red", "--config", "config.yaml"}, {"lint", "red", "--baseline", "baseline.json"}, {"lint", "red", "-o", strange},
		{"lint", "plain", "--bundles", "red"}, {"lint", "red", "--baseline", "written.json", "--write-baseline"}}
	for _, f := range report.Formats() {
		calls = append(calls, []string{"lint", "red", "-o", f.Name}, []string{"lint", "red", "-o", f.Name + "=report." + f.Name})
	}
	for _, args := range calls {
		var out, errs bytes.Buffer
		Run(context.Background(), append([]string{"olmgraph"}, args...), nil, &out, &errs, fstest.MapFS{})
		checkInert(t, fmt.Sprintf("standard error of %q", args), errs.String(), false)
		checkInert(t, fmt.Sprintf("standard output of %q", args), out.String(), strings.HasSuffix(strings.Join(args, " "), "github"))
		for line := range strings.Lines(errs.String()) {
			goesOn := strings.HasPrefix(line, "    ")
			if !strings.HasPrefix(line, "olmgraph: ") && !strings.HasPrefix(line, "  olmgraph ") && !goesOn {
				t.Errorf("%q begins a line of its own on standard error: %s", args, line)
			}
		}
	}
	written, _ := filepath.Glob("report.*")
	for _, name := range append(written, "written.json") {
		text, err := os.ReadFile(name)
		if err != nil || len(text) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		checkInert(t, name, string(text), name == "report.github")
	}
}

func checkInert(t *testing.T, what, text string, runs bool) {
	t.Helper()
	if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && words.Unsafe(r) }) {
		t.Errorf("%s commands a terminal: %.2000q", what, text)
	}
	if command := obeyed.FindString(text); command != "" && !(runs && strings.HasPrefix(command, "::")) {
		t.Errorf("%s: a runner obeys %q in %.2000s", what, command, text)
	}
}

// TestNextCommand: the command for the next step of a report is one that a shell reads as it was meant, whatever the folder is called.
func TestNextCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	const dir = "=a\x1b[2J b"
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Skip(err)
	}
	catalog := `{schema: olm.package, name: p, defaultChannel: c}
---
{schema: olm.channel, package: p, name: c, entries: [{name: p.v1, skips: [""]}]}
---
{schema: olm.bundle, package: p, name: p.v1, image: i, properties: [{type: olm.package, value: {packageName: p, version: 1.0.0}}]}
`
	catalogtest.Write(t, filepath.Join(dir, "catalog.yaml"), catalog)
	var out, errs bytes.Buffer
	Run(context.Background(), []string{"olmgraph", "lint", dir}, strings.NewReader(""), &out, &errs, fstest.MapFS{})
	if want := `olmgraph lint --fix --diff $'=a\x1b\x5b2J b'`; !strings.Contains(out.String(), want) {
		t.Errorf("%s%s, want %s", out.String(), errs.String(), want)
	}
}

// strangeCluster returns the objects of a cluster with such names, most of which are blocked.
func strangeCluster() string {
	const v0, v1 = "operators.coreos.com/v1alpha1", "olm.operatorframework.io/v1"
	var text strings.Builder
	add := func(version, kind, spec, status string) {
		fmt.Fprintf(&text, "---\napiVersion: %s\nkind: %s\nmetadata: {name: %q, namespace: %q, generation: 1}\nspec: {%s}\nstatus: {%s}\n", version, kind, strange, strange,
			strings.ReplaceAll(spec, "$", fmt.Sprintf("%q", strange)), strings.ReplaceAll(status, "$", fmt.Sprintf("%q", strange)))
	}
	add(v0, "Subscription", "name: $, source: $, sourceNamespace: $, channel: $, installPlanApproval: Manual",
		"installedCSV: $, currentCSV: x, installPlanRef: {name: $}, conditions: [{type: BundleUnpackFailed, status: 'True', message: $}]")
	add(v0, "ClusterServiceVersion", "version: $, minKubeVersion: $, installModes: [{type: $}]", "phase: $, reason: $")
	add(v0, "CatalogSource", "image: $", "connectionState: {lastObservedState: READY}")
	add("operators.coreos.com/v1", "OperatorGroup", "targetNamespaces: [$]", "")
	add("operators.coreos.com/v2", "OperatorCondition", "", "conditions: [{type: Upgradeable, status: 'False', observedGeneration: 1, reason: $, message: $}]")
	add(v0, "InstallPlan", "clusterServiceVersionNames: [x, $]", "phase: RequiresApproval")
	add("config.openshift.io/v1", "ClusterVersion", "", "history: [{state: Completed, version: $}]")
	add("config.openshift.io/v1", "ClusterOperator", "", "conditions: [{type: Upgradeable, status: 'False', message: $}]")
	add("v1", "Node", "", "nodeInfo: {kubeletVersion: $}")
	add(v1, "ClusterCatalog", "", "")
	add(v1, "ClusterExtension", "source: {catalog: {packageName: $, channels: [$]}}", "install: {bundle: {name: $, version: $}}, conditions: [{type: Progressing, status: 'False', message: $}]")
	return text.String()
}
