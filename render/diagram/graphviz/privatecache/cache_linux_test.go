package privatecache

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var during = os.TempDir()

func TestMain(m *testing.M) {
	Restore()
	os.Exit(m.Run())
}

// TestImports checks that the package imports only what wazero imports; see its package comment.
func TestImports(t *testing.T) {
	for _, system := range []string{"linux", "darwin", "windows"} {
		wazero := imports(t, system, "github.com/tetratelabs/wazero")
		for _, p := range imports(t, system, ".") {
			if !strings.Contains(p, ".") && !slices.Contains(wazero, p) {
				t.Errorf("%s: wazero does not import %s, so that it may start first", system, p)
			}
		}
	}
}

func imports(t *testing.T, system, path string) []string {
	t.Helper()
	list := exec.Command("go", "list", "-deps", path)
	list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Skipf("go list: %v", err)
	}
	return strings.Fields(string(out))
}

func TestRestore(t *testing.T) {
	if now := os.TempDir(); now == during {
		t.Errorf("the folder for temporary files is still %s", now)
	}
}

// opened returns the result of open in the cache of a user.
func opened(t *testing.T, home string) (cache, bool) {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", home)
	return open()
}

// filled makes a cache with one file in it, as go-graphviz does, and returns the name of the file.
func filled(t *testing.T, home string) string {
	t.Helper()
	c, ok := opened(t, home)
	if !ok || !c.filling {
		t.Fatalf("there is no cache: %+v", c)
	}
	name := filepath.Join(c.dir, "go-graphviz", "wazero", "0123")
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{name, name + ".1.tmp"} {
		if err := os.WriteFile(name, []byte("code"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.finish()
	return name
}

func TestFilled(t *testing.T) {
	home := t.TempDir()
	name := filled(t, home)
	if c, ok := opened(t, home); !ok || c.filling || len(c.files()) != 2 || exists(c.lockFile()) {
		t.Fatalf("the cache is not to be used as it is: %+v, %v", c, c.files())
	}
	if err := os.WriteFile(name, []byte("c0de"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, ok := opened(t, home); !ok || !c.filling || len(c.files()) != 0 {
		t.Fatalf("what is damaged is still there: %+v, %v", c, c.files())
	}
}

func TestFillingTogether(t *testing.T) {
	home := t.TempDir()
	first, _ := opened(t, home)
	if c, ok := opened(t, home); ok {
		t.Fatalf("two fill the cache: %+v, %+v", first, c)
	}
	long := time.Now().Add(-2 * fillTimeout)
	if err := os.Chtimes(first.lockFile(), long, long); err != nil {
		t.Fatal(err)
	}
	if c, ok := opened(t, home); !ok || !c.filling {
		t.Fatalf("the cache waits for a process that has ended: %+v", c)
	}
}

// TestNotPrivate checks that folders which another user could have created or can write are not used.
func TestNotPrivate(t *testing.T) {
	tests := map[string]func(dir string) error{
		"all may write":       func(dir string) error { return os.Chmod(dir, 0o777) },
		"the group may write": func(dir string) error { return os.Chmod(dir, 0o770) },
		"it is a link": func(dir string) error {
			if err := os.Rename(dir, dir+"2"); err != nil {
				return err
			}
			return os.Symlink(dir+"2", dir)
		},
		"it is a file": func(dir string) error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			return os.WriteFile(dir, nil, 0o600)
		},
		"another owns it": func(dir string) error { return os.Chown(dir, os.Getuid()+1, -1) },
	}
	for name, change := range tests {
		for _, dir := range []string{"olmgraph", "olmgraph/drawing"} {
			t.Run(name, func(t *testing.T) {
				home := t.TempDir()
				filled(t, home)
				if err := change(filepath.Join(home, dir)); os.IsPermission(err) {
					t.Skip(err)
				} else if err != nil {
					t.Fatal(err)
				}
				if c, ok := opened(t, home); ok {
					t.Errorf("%s is taken for private: %+v", dir, c)
				}
			})
		}
	}
}

func TestNowhere(t *testing.T) {
	if err := os.Mkdir(filepath.Join(unusableDir(), "go-graphviz"), 0o755); err == nil {
		t.Errorf("a folder can be made in %s", unusableDir())
	}
	for _, home := range []string{filepath.Join(t.TempDir(), "not", "there"), "relative", os.DevNull} {
		if c, ok := opened(t, home); ok {
			t.Errorf("there is a cache: %+v", c)
		}
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
