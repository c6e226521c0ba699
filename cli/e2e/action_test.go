package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// release serves the files of the release v1.2.3 as GitHub does: an archive for each system, with a program that is the text, and their
// checksums. It returns the address of the releases.
func release(t *testing.T, program string) string {
	t.Helper()
	files := map[string][]byte{}
	sums := ""
	for _, system := range []string{"linux_amd64", "linux_arm64", "darwin_arm64", "windows_amd64", "linux_unlisted"} {
		name := "olmgraph"
		if strings.HasPrefix(system, "windows") {
			name += ".exe"
		}
		archive := "olmgraph_1.2.3_" + system + ".tar.gz"
		files["/v1.2.3/"+archive] = packed(t, map[string]string{"LICENSE": "text", name: program})
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256(files["/v1.2.3/"+archive]), archive)
	}
	files["/v1.2.3/checksums.txt"] = []byte(sums)
	files["/v1.2.4/checksums.txt"] = []byte(strings.ReplaceAll(sums, "_1.2.3_linux_arm64", "_1.2.4_other"))
	files["/v1.2.4/olmgraph_1.2.4_linux_amd64.tar.gz"] = packed(t, map[string]string{"olmgraph": "changed"})
	files["/v1.2.5/checksums.txt"] = []byte(strings.ReplaceAll(sums, "1.2.3", "1.2.5"))
	files["/v1.2.5/olmgraph_1.2.5_linux_amd64.tar.gz"] = packed(t, map[string]string{"olmgraph": "changed"})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if file, ok := files[r.URL.Path]; ok {
			w.Write(file)
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// packed returns a tar.gz of executables.
func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	w.Close()
	z.Close()
	return out.Bytes()
}

// TestInstall downloads releases for each system, and none that is not what checksums.txt says.
func TestInstall(t *testing.T) {
	needs(t, "bash", "curl", "tar")
	releases := release(t, "#!/bin/sh\n")
	for _, test := range []struct {
		version, system, arch string
		status                int
		program, says         string
	}{
		{"v1.2.3", "Linux", "X64", 0, "olmgraph", "olmgraph_1.2.3_linux_amd64.tar.gz, with the checksum"},
		{"v1.2.3", "Linux", "ARM64", 0, "olmgraph", "linux_arm64"},
		{"v1.2.3", "macOS", "ARM64", 0, "olmgraph", "darwin_arm64"},
		{"v1.2.3", "Windows", "X64", 0, "olmgraph.exe", "windows_amd64"},
		{"v1.2.3", "Windows", "ARM64", 3, "", "cannot download " + releases + "/v1.2.3/olmgraph_1.2.3_windows_arm64.tar.gz"},
		{"v1.2.3", "Linux", "ARM", 3, "", "no releases for ARM"},
		{"v9.9.9", "Linux", "X64", 3, "", "cannot download " + releases + "/v9.9.9/checksums.txt"},
		{"v1.2.4", "Linux", "X64", 1, "", "checksums.txt has none"},
		{"v1.2.5", "Linux", "X64", 1, "", "checksums.txt has "},
		{"main", "Linux", "X64", 3, "", "main is not the tag of a release"},
		{"v1", "Linux", "X64", 3, "", "v1 is not the tag of a release"},
		{"latest\n::error::x", "Linux", "X64", 3, "", `$'latest\n::error::x' is not`},
		{"v1.2.3/../../x", "Linux", "X64", 3, "", "is not the tag"},
	} {
		folder := filepath.Join(t.TempDir(), "a b")
		c := exec.Command("bash", filepath.Join(os.Getenv("ROOT"), ".ci", "install"), test.version, folder)
		c.Env = append(os.Environ(), "RUNNER_OS="+test.system, "RUNNER_ARCH="+test.arch, "OLMGRAPH_RELEASES="+releases)
		out, _ := c.CombinedOutput()
		entries, _ := os.ReadDir(folder)
		var programs []string
		for _, e := range entries {
			programs = append(programs, e.Name())
		}
		if status := c.ProcessState.ExitCode(); status != test.status || strings.Join(programs, " ") != test.program || !strings.Contains(string(out), test.says) {
			t.Errorf("%+v: status %d, %q:\n%s", test, status, programs, out)
		}
	}
}

// needs skips a test of shell scripts where a command is missing.
func needs(t *testing.T, commands ...string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs of the test are shell scripts")
	}
	for _, command := range commands {
		if _, err := exec.LookPath(command); err != nil {
			t.Skip(err)
		}
	}
}

// pathWithGo returns a variable PATH on which the Go command is this script.
func pathWithGo(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return "PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")
}

// step is a step of a workflow or of a composite action of GitHub.
type step struct {
	ID, If, Run, Uses string
	Env, With         map[string]string
}

// job is what a runner of GitHub does with the steps of action.yml.
type job struct {
	t      *testing.T
	values map[string]string // of the expressions
	temp   string            // RUNNER_TEMP
	dir    string            // the checkout
	env    []string

	failed bool
	out    string
	used   []step // of other actions
}

// newJob returns a job that uses action.yml at a ref, in a folder.
func newJob(t *testing.T, ref, dir string, inputs map[string]string) *job {
	t.Helper()
	temp := t.TempDir()
	action := filepath.Join(temp, "_actions", "olmgraph", "olmgraph", ref)
	if err := os.MkdirAll(filepath.Dir(action), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.Getenv("ROOT"), action); err != nil {
		t.Fatal(err)
	}
	j := &job{t: t, temp: temp, dir: dir, values: map[string]string{"github.action_path": action}}
	for name, input := range actionFile(t).Inputs {
		j.values["inputs."+name] = input.Default
	}
	for name, value := range inputs {
		if _, known := j.values["inputs."+name]; !known {
			t.Fatalf("action.yml has no input %s", name)
		}
		j.values["inputs."+name] = value
	}
	j.env = append(os.Environ(), "RUNNER_TEMP="+temp, "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "GITHUB_STEP_SUMMARY="+filepath.Join(temp, "summary"))
	return j
}

type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct{ Steps []step }
}

func actionFile(t *testing.T) (a action) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(os.Getenv("ROOT"), "action.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// run runs the steps.
func (j *job) run() {
	j.t.Helper()
	for _, s := range actionFile(j.t).Runs.Steps {
		switch {
		case !j.runs(s):
		case s.Uses != "":
			with := map[string]string{}
			for name, value := range s.With {
				with[name] = j.expand(value)
			}
			j.used = append(j.used, step{Uses: s.Uses, With: with})
		default:
			j.script(s)
		}
	}
}

// runs evaluates the condition of a step: comparisons joined by &&. Without !cancelled() it also needs that no step has failed.
func (j *job) runs(s step) bool {
	yes := !j.failed || strings.Contains(s.If, "!cancelled()")
	for part := range strings.SplitSeq(s.If, "&&") {
		m := regexp.MustCompile(`^(\S+) (==|!=) '(.*)'$`).FindStringSubmatch(strings.TrimSpace(part))
		if m != nil {
			yes = yes && (j.value(m[1]) == m[3]) == (m[2] == "==")
		} else if part = strings.TrimSpace(part); part != "" && part != "!cancelled()" {
			j.t.Fatalf("the test cannot evaluate %q", part)
		}
	}
	return yes
}

func (j *job) script(s step) {
	outputs := filepath.Join(j.temp, "outputs")
	os.Remove(outputs)
	c := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
	c.Dir, c.Env = j.dir, append(j.env, "GITHUB_OUTPUT="+outputs)
	for name, value := range s.Env {
		c.Env = append(c.Env, name+"="+j.expand(value))
	}
	out, err := c.CombinedOutput()
	j.out += string(out)
	j.failed = j.failed || err != nil
	written, _ := os.ReadFile(outputs)
	for line := range strings.Lines(string(written)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		j.values["steps."+s.ID+".outputs."+name] = value
	}
}

var expression = regexp.MustCompile(`\$\{\{ (.*?) \}\}`)

func (j *job) expand(s string) string {
	return expression.ReplaceAllStringFunc(s, func(e string) string { return j.value(expression.FindStringSubmatch(e)[1]) })
}

func (j *job) value(name string) string {
	value, known := j.values[name]
	if !known && !strings.HasPrefix(name, "steps.") {
		j.t.Fatalf("the test knows no %s", name)
	}
	return value
}

// summary returns the summary of the job.
func (j *job) summary() string {
	text, _ := os.ReadFile(filepath.Join(j.temp, "summary"))
	return string(text)
}

// uses returns the names of the other actions that the job used.
func (j *job) uses() string {
	var names []string
	for _, s := range j.used {
		names = append(names, s.Uses)
	}
	return strings.Join(names, " ")
}

// TestActionArguments checks what the inputs of the action become.
func TestActionArguments(t *testing.T) {
	needs(t, "bash", "curl", "tar")
	releases := release(t, "#!/bin/sh\nprintf '%s|' \"$@\"\nexit 1\n")
	for _, test := range []struct {
		inputs map[string]string
		want   string
	}{
		{nil, ".|"},
		{map[string]string{"catalog": "a b\n  c\n\n", "args": "--gate opm\n--skip 'x'\n"}, "--gate|opm|--skip|'x'|a|b|c|"},
		{map[string]string{"catalog": "*", "base": "git:HEAD:a b", "sarif": "x y"}, "--base|git:HEAD:a b|--new|-o|sarif=x y|*|"},
		{map[string]string{"base": "old", "new-only": "false"}, "--base|old|.|"},
		{map[string]string{"new-only": "true", "upload-sarif": "true"}, "-o|sarif=TEMP/olmgraph/olmgraph.sarif|.|"},
	} {
		j := newJob(t, "v1.2.3", t.TempDir(), test.inputs)
		j.env = append(j.env, "OLMGRAPH_RELEASES="+releases)
		j.run()
		always := "lint|-o|github|-o|text=TEMP/olmgraph/report.txt|-o|markdown=TEMP/olmgraph/summary.md|"
		if got := strings.ReplaceAll(j.out, j.temp, "TEMP"); !strings.HasSuffix(got, "\n"+always+test.want) || !j.failed || j.uses() != "" {
			t.Errorf("%+v: olmgraph gets %s", test.inputs, got)
		}
	}
}

// TestActionVersion checks what is downloaded, what is built, and that nothing runs that has another checksum.
func TestActionVersion(t *testing.T) {
	needs(t, "bash", "curl", "tar")
	releases := release(t, "#!/bin/sh\necho released\n")
	const goCommand = "#!/bin/sh\nif [ $1 = build ]; then pwd -L; fi\necho \"go $*\"\nmkdir -p \"$RUNNER_TEMP/olmgraph\"\n" +
		"printf '#!/bin/sh\\necho built\\n' >\"$RUNNER_TEMP/olmgraph/olmgraph\"\nchmod +x \"$RUNNER_TEMP/olmgraph/olmgraph\"\n"
	path := pathWithGo(t, goCommand)
	for _, test := range []struct{ ref, version, says, uses string }{
		{"v1.2.3", "", "in checksums.txt\nreleased\n", ""},
		{"main", "v1.2.3", "in checksums.txt\nreleased\n", ""},
		{"main", "", "_actions/olmgraph/olmgraph/main\ngo build -trimpath -o TEMP/olmgraph/ .\nbuilt\n", "actions/setup-go@v5"},
		{"v9.9.9", "", "/v9.9.9\ngo build -trimpath -o TEMP/olmgraph/ .\nbuilt\n", "actions/setup-go@v5"},
		{"v1.2.3", "latest", "go install github.com/olmgraph/olmgraph@latest\nbuilt\n", "actions/setup-go@v5"},
		{"v1.2.5", "", "checksums.txt has ", ""},
	} {
		j := newJob(t, test.ref, t.TempDir(), map[string]string{"version": test.version})
		j.env = append(j.env, "OLMGRAPH_RELEASES="+releases, path)
		j.run()
		got, wrong := strings.ReplaceAll(j.out, j.temp, "TEMP"), test.ref == "v1.2.5"
		if j.uses() != test.uses || j.failed != wrong || !strings.Contains(got, test.says) || wrong && strings.Contains(got, "released\n") {
			t.Errorf("%+v: uses %s, failed %v:\n%s", test, j.uses(), j.failed, got)
		}
	}
}
