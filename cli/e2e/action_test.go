package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// releasedFile is .ci/released of the release v1.2.3, whose executables are a text.
func releasedFile(program string) string {
	text := "version v1.2.3\n"
	for _, system := range []string{"linux_amd64", "linux_arm64", "darwin_arm64", "windows_amd64"} {
		text += fmt.Sprintf("%s %x\n", system, sha256.Sum256([]byte(program)))
	}
	return text
}

// pathWithCurl returns a variable PATH on which curl answers as GitHub does for the release v1.2.3: with an archive for each system but
// linux_arm64. It refuses to be called without the flags that let nothing redirect it.
func pathWithCurl(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	for _, system := range []string{"linux_amd64", "darwin_arm64", "windows_amd64"} {
		name := "olmgraph"
		if strings.HasPrefix(system, "windows") {
			name += ".exe"
		}
		archive := packed(t, map[string]string{"LICENSE": "text", name: program})
		catalogtest.Write(t, filepath.Join(dir, "olmgraph_1.2.3_"+system+".tar.gz"), string(archive))
	}
	script := "#!/bin/sh\n[ \"$1 $2 $3 $4 $5\" = '--disable --proto =https --proto-redir =https' ] || exit 99\n" +
		"while [ $# -gt 1 ]; do [ \"$1\" != -o ] || out=$2; shift; done\n" +
		"case $1 in https://github.com/olmgraph/olmgraph/releases/download/v1.2.3/*) cp \"" + dir + "/${1##*/}\" \"$out\" ;; *) exit 98 ;; esac\n"
	if err := os.WriteFile(filepath.Join(dir, "curl"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return "PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH")
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

// TestInstall downloads the release of a commit for each system, and none that has another digest.
func TestInstall(t *testing.T) {
	needCommands(t, "bash", "tar")
	const program = "#!/bin/sh\n"
	good, path := releasedFile(program), pathWithCurl(t, program)
	for _, test := range []struct {
		released, system, arch string
		status                 int
		program, says          string
	}{
		{good, "Linux", "X64", 0, "olmgraph", "olmgraph v1.2.3: olmgraph_1.2.3_linux_amd64.tar.gz, with the digest of this release"},
		{good, "macOS", "ARM64", 0, "olmgraph", "darwin_arm64"},
		{good, "Windows", "X64", 0, "olmgraph.exe", "windows_amd64"},
		{good, "Linux", "ARM64", 3, "", "cannot download https://github.com/olmgraph/olmgraph/releases/download/v1.2.3/olmgraph_1.2.3_linux_arm64.tar.gz"},
		{good, "Windows", "ARM64", 3, "", "release v1.2.3 has no executable for windows_arm64"},
		{good, "Linux", "ARM", 3, "", "no releases for ARM"},
		{releasedFile("another"), "Linux", "X64", 1, "", "the SHA-256 digest of olmgraph in "},
		{"", "Linux", "X64", 3, "", "this commit is not a release"},
	} {
		folder := filepath.Join(t.TempDir(), "a b")
		c := exec.Command("bash", filepath.Join(actionFolder(t, t.TempDir(), test.released), ".ci", "install"), folder)
		c.Env = append(os.Environ(), "RUNNER_OS="+test.system, "RUNNER_ARCH="+test.arch, "OLMGRAPH_RELEASES=http://127.0.0.1:1", path)
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

// actionFolder makes a folder the checkout of the action, with .ci/released if that is not "".
func actionFolder(t *testing.T, folder, released string) string {
	t.Helper()
	ci := filepath.Join(folder, ".ci")
	if err := os.MkdirAll(ci, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(os.Getenv("ROOT"), ".ci", "install"), filepath.Join(ci, "install")); err != nil {
		t.Fatal(err)
	}
	if released != "" {
		catalogtest.Write(t, filepath.Join(ci, "released"), released)
	}
	return folder
}

// needCommands skips a test of shell scripts where a command is missing.
func needCommands(t *testing.T, commands ...string) {
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

// newJob returns a job that uses action.yml at a ref with a .ci/released, "" for none, in a folder.
func newJob(t *testing.T, ref, released, dir string, inputs map[string]string) *job {
	t.Helper()
	temp := t.TempDir()
	action := actionFolder(t, filepath.Join(temp, "_actions", "olmgraph", "olmgraph", ref), released)
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
	needCommands(t, "bash", "tar")
	const program = "#!/bin/sh\nprintf '%s|' \"$@\"\nexit 1\n"
	path := pathWithCurl(t, program)
	for _, test := range []struct {
		inputs map[string]string
		want   string
	}{
		{nil, "--|.|"},
		{map[string]string{"catalog": "a b\n  c\n\n", "args": "--gate opm\n--skip 'x'\n"}, "--gate|opm|--skip|'x'|--|a|b|c|"},
		{map[string]string{"catalog": "*", "base": "git:HEAD:a b", "sarif": "x y"}, "--base|git:HEAD:a b|--new|-o|sarif=x y|--|*|"},
		{map[string]string{"base": "old", "new-only": "false"}, "--base|old|--|.|"},
		{map[string]string{"new-only": "true", "upload-sarif": "true"}, "-o|sarif=TEMP/olmgraph/olmgraph.sarif|--|.|"},
	} {
		j := newJob(t, "v1.2.3", releasedFile(program), t.TempDir(), test.inputs)
		j.env = append(j.env, path)
		j.run()
		always := "lint|-o|github|-o|text=TEMP/olmgraph/report.txt|-o|markdown=TEMP/olmgraph/summary.md|"
		if got := strings.ReplaceAll(j.out, j.temp, "TEMP"); !strings.HasSuffix(got, "\n"+always+test.want) || !j.failed || j.uses() != "" {
			t.Errorf("%+v: olmgraph gets %s", test.inputs, got)
		}
	}
}

// TestActionVersion checks what is downloaded, what is built, and that nothing runs that has another digest.
func TestActionVersion(t *testing.T) {
	needCommands(t, "bash", "tar")
	const program = "#!/bin/sh\necho released\n"
	const goCommand = "#!/bin/sh\npwd -L; echo \"go $* with ${GOFLAGS-}${GOPROXY-}\"\nmkdir -p \"$RUNNER_TEMP/olmgraph\"\n" +
		"printf '#!/bin/sh\\necho built\\n' >\"$RUNNER_TEMP/olmgraph/olmgraph\"\nchmod +x \"$RUNNER_TEMP/olmgraph/olmgraph\"\n"
	const setup = "actions/setup-go@d35c59abb061a4a6fb18e82ac0862c26744d6ab5"
	t.Setenv("PATH", strings.TrimPrefix(pathWithCurl(t, program), "PATH="))
	path := pathWithGo(t, goCommand)
	for _, test := range []struct{ ref, released, says, uses string }{
		{"v1.2.3", releasedFile(program), "with the digest of this release\nreleased\n", ""},
		{"main", releasedFile(program), "with the digest of this release\nreleased\n", ""}, // the ref says nothing
		{"v1.2.3", "", "_actions/olmgraph/olmgraph/v1.2.3\ngo build -trimpath -o TEMP/olmgraph/ . with \nbuilt\n", setup},
		{"v1.2.3", releasedFile("another"), "the SHA-256 digest of olmgraph in ", ""},
	} {
		j := newJob(t, test.ref, test.released, t.TempDir(), nil)
		j.env = append(j.env, "GOFLAGS=-toolexec=evil", "GOPROXY=evil", path)
		j.run()
		got, wrong := strings.ReplaceAll(j.out, j.temp, "TEMP"), test.released == releasedFile("another")
		if j.uses() != test.uses || j.failed != wrong || !strings.Contains(got, test.says) || wrong && strings.Contains(got, "released\n") {
			t.Errorf("%+v: uses %s, failed %v:\n%s", test, j.uses(), j.failed, got)
		}
	}
}

// TestPinned checks that actions are used at commits, by the workflows, the action and the documentation.
func TestPinned(t *testing.T) {
	root := os.Getenv("ROOT")
	files, _ := filepath.Glob(filepath.Join(root, ".github", "workflows", "*.yml"))
	uses := regexp.MustCompile(`uses: (\S+)`)
	for _, file := range append(files, filepath.Join(root, "action.yml"), filepath.Join(root, "docs", "ci.md")) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range uses.FindAllStringSubmatch(string(text), -1) {
			if !regexp.MustCompile(`@([0-9a-f]{40}|COMMIT)$`).MatchString(m[1]) {
				t.Errorf("%s uses %s, which is no commit", file, m[1])
			}
		}
	}
}
