package e2e

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/olmgraph/olmgraph/cli"
)

// suggestedLine matches a command line that an answer or a message suggests, in a line of its own.
var suggestedLine = regexp.MustCompile(`(?m)^(?:next:)? +olmgraph (.+)$`)

// placeholder matches a word that stands for something else.
var placeholder = regexp.MustCompile(`\b[A-Z][A-Z]+\b`)

// TestSuggestions runs each command line that answers and messages suggest to those who type what they expect to work.
func TestSuggestions(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "testdata", "catalogs"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for name, text := range map[string]string{
		"imageset.yaml":    "kind: ImageSetConfiguration\napiVersion: mirror.openshift.io/v2alpha1\nmirror:\n  operators:\n  - catalog: docker://example.com/tide:v1\n    packages: [{name: ferry}]\n",
		"snapshot.yaml":    "openshift: \"4.18\"\nsubscriptions:\n- {package: ferry, channel: stable, installed: ferry.v1.0.0}\n",
		"change.patch":     "diff --git a/tide/ferry.yaml b/tide/ferry.yaml\n--- a/tide/ferry.yaml\n+++ b/tide/ferry.yaml\n@@ -1 +1 @@\n-a\n+b\n",
		"build/Dockerfile": "FROM scratch\nADD tide /configs\n",
	} {
		os.MkdirAll(filepath.Dir(name), 0o700)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	for line := range strings.Lines(typed) {
		args, before := strings.Fields(line), folderContents(t)
		out, status := typeCommand(t, args)
		if status == 2 || status == 3 {
			after := folderContents(t)
			maps.DeleteFunc(after, func(name, text string) bool { was, ok := before[name]; return ok && was == text })
			if len(after) > 0 {
				t.Errorf("olmgraph %s\nfails with status %d, and writes %q", strings.TrimSpace(line), status, slices.Sorted(maps.Keys(after)))
			}
		}
		for _, m := range suggestedLine.FindAllStringSubmatch(out, -1) {
			command, _, _ := strings.Cut(m[1], "  ") // what it does may stand behind it; kubectl has to write cluster.yaml first
			if placeholder.MatchString(command) || strings.HasPrefix(command, "pull ") || command == "lsp" || strings.Contains(command, "cluster.yaml") {
				continue
			}
			ran++
			os.Remove(".olmgraph.yaml")
			again, status := typeCommand(t, splitShell(command))
			if status == 2 || status == 3 {
				t.Errorf("olmgraph %s\nsuggests\nolmgraph %s\nwhich fails with status %d:\n%s", strings.TrimSpace(line), command, status, again)
			}
		}
	}
	t.Log(ran, "suggestions")
	if ran < 40 {
		t.Errorf("only %d suggestions", ran)
	}
}

// folderContents returns the contents of the files and links below the working directory, and "" for its folders.
func folderContents(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		all[name] = ""
		if err == nil && e.Type().IsRegular() {
			var text []byte
			text, err = os.ReadFile(name)
			all[name] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func typeCommand(t *testing.T, args []string) (out string, status int) {
	t.Helper()
	var b bytes.Buffer
	status = cli.Run(t.Context(), append([]string{"olmgraph"}, args...), strings.NewReader(""), &b, &b, fstest.MapFS{})
	return b.String(), status
}

// splitShell splits a command line as a shell does, with single quotes alone.
func splitShell(line string) (args []string) {
	quoted, word, is := false, "", false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted, is = !quoted, true
		case r == ' ' && !quoted:
			if is {
				args = append(args, word)
			}
			word, is = "", false
		default:
			word, is = word+string(r), true
		}
	}
	if is {
		args = append(args, word)
	}
	return args
}

// typed are command lines as people type them before they read: in the folder testdata/catalogs.
const typed = `
tide
list
list tide
list tide ferry
list tide fery
list tide packages ferry
list tide channel
list tide channels ferry
list tide bundles
ls tide
show tide ferry
get tide
packages tide
channels tide ferry
bundles tide ferry
validate tide
check tide
lint
lint tide
lint tid
lint tide --package fery
lint tide --packages ferry
lint tide ferry
lint tide --only stuck
lint tide --only graph
lint tide --rule graph/stuck
lint tide --only grph/stuck
lint tide --skip nothing
lint tide --severity warning
lint tide --min-severity warnings
lint tide --format json
lint tide -o yaml
lint tide --json
lint tide --fix
lint tide --base clean
lint tide --new
lint tide --gate olm
lint tide --pipeline comunity
lint tide/ferry/catalog.yml
lint broken
lint repository
lint marina
path tide
path tide ferry
path tide ferry 1.0.0
path tide ferry 1.0.0 9.9.9
path tide fery 1.0.0
path tide ferry 1.0
path tide ferry v1.0.0
path tide ferry ferry.v1.0.0
path ferry 1.0.0
path tide 1.0.0
path tide ferry --from 1.0.0 --to latest
path tide ferry --channel nothing --from 1.0.0
path tide/ferry 1.0.0
upgrade tide ferry 1.0.0
upgrades tide ferry
route tide ferry 1.0.0
render tide
render tide ferry
render tide fery
render tide ferry -o png
render tide ferry -o pgn
render tide ferry stable
render tide ferry/stable
render tide --package ferry
render tide ferry --format svg
graph tide ferry
draw tide ferry
diagram tide ferry
mermaid tide ferry
diff tide
diff tide clean
diff tide clean ferry
diff tide nowhere
compare tide clean
changes tide clean
explain
explain stuck
explain graph
explain grph/stuck
explain nothing
explain UpgradePendin
rules graph
rules stuck
crds marina
crds marina boat
crds tide ferry
release tide ferry
release tide ferry 2.0.0
release tide fery 2.0.0
readiness tide
readiness tide ferry
cluster
cluster tide
plan tide
mirror tide
mirror
history
history tide
template tide
template repository
pull
pull tide
version
--version
help nothing
completion
completion bash
lsp --help
schema lint
schema
config
init
web tide
serve tide
alpha render-graph tide/ferry
alpha list packages tide
render-template basic repository/operators/ferry/catalog-templates/semver.yaml
alpha render-template semver repository/operators/ferry/catalog-templates/semver.yaml
template repository/operators/ferry
graph tide -p ferry -o dot
graph --package ferry tide
list bundle tide ferry
list operators --catalog tide --package ferry
get packages -f tide
describe ferry.v1.0.0 -f tide
path -f tide -p ferry --channel stable
path --package ferry tide 1.0.0
upgrade ferry --from 1.0.0 tide
release tide ferry 2.0.0 --replaces ferry.v1.0.0
render tide ferry -o json
lint --changed tide
lint tide/*
diff --base clean tide
fmt tide
list-rules
review nothing
readiness versions/v4.18 versions/v4.19
cluster --catalog tide
images tide ferry
changelog tide ferry 1.0.0
crds tide ferry 1.0.0 1.1.0
prune tide -p ferry
graph tide fery --channel stable
html tide ferry
draw tide
check tide --pkg fery
lint ferry
render ferry
lint --list-checks
diff fery tide
release tide/ferry tide ferry
mirror list operators --catalog tide
tide -o json
tide ferry -o svg
tide --base tide
tide --package ferry
lint tide --package ferry -o html
lint tide -o a.png
lint imageset.yaml
check imageset.yaml tide
mirror imageset.yaml snapshot.yaml tide
imageset shrink imageset.yaml --catalog tide
imageset imageset.yaml tide -o yaml
lint snapshot.yaml
explain snapshot.yaml
explain tide
mirror tide imageset.yaml
plan --snapshot snapshot.yaml --to 4.20 4.18=versions/v4.18 4.20=versions/v4.20
cluster snapshto.yaml
plan --snapshot - tide
plan --snapshot - --to tide
plan 4.18 4.20 snapshot.yaml versions ferry
plan snapshot.yaml --to 4.20 --catalogs versions
upgrade --to 4.20 snapshot.yaml
plan snapshot.yaml --to 4.20 --catalog 4.18=versions/v4.18
cluster --catalog catalog=tide snapshot.yaml
diff change.patch
lint change.patch
lint build/Dockerfile
lint ferry
graph tide fery
graph tide --channel stable
html tide ferry
images tide ferry
deps tide ferry
latest ferry tide
prune tide -p ferry
filter tide --package ferry --min 1.0.0
lint -q tide
lint --list-rules
lifecycle tide
bundle validate marina/1.0.0
release tide fery 9.0.0 --write
release tide fery 9.0.0 --replaces ferry.v1.0.0 --write
release tide ferry 9.0.0 --write --replaces x
release tide ferry stable 9.0.0 --write
lint tide --fix --packag ferry
lint --fix tid
lint tid --fix
lint tide --write-baseline --baseline b.json --packge x
lint tid --write-baseline --baseline b.json
path tide fery 1.0.0 -o json=x.json
render tide fery -o a.svg
render tide fery -o drawings/
render tid -o svg=drawings/
mirror imageset.yam tide -o json=m.json
template repository/operators/fery -o t.yaml
config init tide/ferry
bundle validate marina/1.0.0 --select-optional suite=operatorframework
add ferry.v3.0.0 --replaces ferry.v2.0.0 --channel stable
new-version ferry 3.0.0
suggest ferry 3.0.0
what-if tide/ferry --add ferry.v3.0.0
convert repository/operators -o catalog
describe package ferry
dot tide/ferry
html tide -o report.html
report tide --html
report tide
serve tide
analyze snapshot.yaml
size imageset.yaml
graph tide --html site/
graph tide/ferry --chanel stable
draw tide/ferry ferry.png
paths tide/ferry from 1.0.0 to 1.1.0
route tide ferry 1.0.0..1.1.0
explain dangling-replaces
imageset generate snapshot.yaml
mirror generate --package ferry --from 1.0.0 --to 2.0.0
mirror plan --imageset imageset.yaml --catalog tide
path --imageset imageset.yaml ferry 1.0.0 2.0.0
image-set imageset.yaml --lifecycle lifecycles.yaml
deprecate ferry.v1.0.0
index prune -f tide -p ferry -t registry.local/index:v4.18
lint --errors-only tide
lint --rules
ci
diff --stat
generate catalog repository/operators
generate imageset snapshot.yaml
create imageset --from 1.0.0 --to 1.1.0 ferry
bump ferry --from 1.0.0 --to 3.0.0 tide
head ferry
graph tide/ferry.yaml
graph tide/fery
check snapshot.yaml --catalog tide
update snapshot.yaml --to 4.20 versions
explain snapshot.yaml ferry
imageset diff imageset.yaml tide
imageset imageset.yaml tide -o new-imageset.yaml
mirror ferry 1.0.0 1.1.0
plan --cluster snapshot.yaml --from 4.18 --to 4.20
fmt tide/ferry/catalog.yaml
list operators --catalog tide
`
