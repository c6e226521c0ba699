package graphviz

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// program is the test program, with nothing in its environment but what is given.
func program(env ...string) *exec.Cmd {
	name, err := os.Executable()
	if err != nil {
		panic(err)
	}
	c := exec.Command(name)
	c.Env = env
	return c
}

// drawAs has a child draw a small graph.
func drawAs(t *testing.T, env ...string) {
	t.Helper()
	c := program(append(env, timeoutVariable+"=30s")...)
	c.Stdin = newRequest(t, "digraph { a -> b }")
	if out, err := c.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("</svg>")) {
		t.Fatalf("%v\n%.300s", err, out)
	}
}

// newRequest is what a child reads to draw a graph.
func newRequest(t *testing.T, dot string) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(request{SVG, []byte(dot)}); err != nil {
		t.Fatal(err)
	}
	return &b
}

// listFiles lists the files below a folder.
func listFiles(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(name string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestCacheIsPrivate fails if go-graphviz starts before its folder is chosen, and if what it finds there can do harm.
func TestCacheIsPrivate(t *testing.T) {
	if raced {
		t.Skip("it takes long, and nothing runs at the same time")
	}
	home, temp := t.TempDir(), t.TempDir()
	env := []string{"XDG_CACHE_HOME=" + home, "TMPDIR=" + temp}
	files := func() []string {
		if left := listFiles(t, temp); len(left) > 0 {
			t.Fatalf("in TMPDIR there are %v", left)
		}
		return listFiles(t, home)
	}
	drawAs(t, env...)
	made := files()
	if len(made) != 2 {
		t.Fatalf("cached is %v", made)
	}
	code := made[0]
	if info, err := os.Stat(filepath.Join(home, "olmgraph", "drawing")); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("the cache is %v, %v", info, err)
	}
	whole, err := os.ReadFile(code)
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string][]byte{"cut off": whole[:len(whole)/2], "garbage": bytes.Repeat([]byte("x"), len(whole))} {
		t.Run(name, func(t *testing.T) {
			catalogtest.Write(t, code, string(damage))
			drawAs(t, env...)
			if again, err := os.ReadFile(code); err != nil || !bytes.Equal(again, whole) || len(files()) != 2 {
				t.Fatalf("the cache is not as it was: %v", err)
			}
		})
	}
}

// TestNoCache draws where there can be no cache.
func TestNoCache(t *testing.T) {
	if testing.Short() {
		t.Skip("Graphviz is compiled several times")
	}
	if raced {
		t.Skip("it takes long, and nothing runs at the same time")
	}
	temp, home := t.TempDir(), t.TempDir()
	for name, env := range map[string][]string{
		"nothing in the environment": nil,
		"the home is not there":      {"HOME=/not-there", "TMPDIR=" + temp},
		"the cache is a file":        {"XDG_CACHE_HOME=/dev/null", "TMPDIR=" + temp},
	} {
		t.Run(name, func(t *testing.T) {
			before := exists("/tmp/go-graphviz")
			drawAs(t, env...)
			if left := append(listFiles(t, temp), listFiles(t, home)...); len(left) > 0 || exists("/not-there") || exists("/tmp/go-graphviz") != before {
				t.Errorf("there are %v", left)
			}
		})
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// TestChildTimeout runs the child with so few processors that nothing runs besides the WebAssembly, and then with enough.
func TestChildTimeout(t *testing.T) {
	if testing.Short() {
		t.Skip("Graphviz is compiled several times")
	}
	for _, processors := range []int{1, 2} {
		c := program(append(environment(500*time.Millisecond), fmt.Sprintf("GOMAXPROCS=%d", processors))...)
		c.Stdin = newRequest(t, string(endless()))
		begin := time.Now()
		err := c.Run()
		if took := time.Since(begin); err == nil || took > 30*time.Second {
			t.Errorf("with %d processors it ends with %v after %s", processors, err, took)
		}
	}
}

// TestChildEndsWithParent kills a parent and waits for its child to end.
func TestChildEndsWithParent(t *testing.T) {
	parent := program(append(os.Environ(), "DRAWING_TEST_PARENT=1")...)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var orphan int
	wait(t, "the child to start", func() bool {
		orphan = childPID(parent.Process.Pid)
		return orphan != 0
	})
	time.Sleep(200 * time.Millisecond) // for it to be at work
	parent.Process.Kill()
	parent.Wait()
	wait(t, "the child to end", func() bool { return syscall.Kill(orphan, 0) != nil || zombie(orphan) })
}

func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

// childPID is the process that another has started, 0 if there is none.
func childPID(parent int) int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, list := range lists {
		var pid int
		if text, err := os.ReadFile(list); err == nil {
			if n, _ := fmt.Sscan(string(text), &pid); n == 1 {
				return pid
			}
		}
	}
	return 0
}

// zombie reports whether a process has ended and has not been waited for.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && bytes.Contains(stat, []byte(") Z "))
}
