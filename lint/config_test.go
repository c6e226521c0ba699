package lint

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// someRules returns the rules that the tested configurations name.
func someRules() []Rule {
	var all []Rule
	for _, id := range []string{"graph/stuck", "graph/many-hops", "graph/head-not-newest", "graph/downgrade"} {
		all = append(all, Rule{ID: id})
	}
	return append(all, Parse)
}

func TestFindConfig(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, ConfigName)
	catalogtest.Write(t, name, "")
	if got, err := FindConfig(deep); err != nil || got != filepath.ToSlash(name) {
		t.Errorf("got %q, %v, want %q", got, err, filepath.ToSlash(name))
	}
	t.Chdir(filepath.Dir(deep))
	if got, err := FindConfig("b"); err != nil || got != "../"+ConfigName {
		t.Errorf("of a relative path: got %q, %v", got, err)
	}
	secret, link := filepath.Join(dir, "passwords.yaml"), filepath.Join(deep, ConfigName)
	catalogtest.Write(t, secret, "")
	for target, fails := range map[string]bool{name: false, secret: true} {
		os.Remove(link)
		if err := os.Symlink(target, link); err != nil {
			t.Skip(err)
		}
		if got, err := FindConfig(deep); (err != nil) != fails || !fails && got != filepath.ToSlash(link) {
			t.Errorf("a link to %s: got %q, %v", target, got, err)
		}
	}
}

func FuzzConfig(f *testing.F) {
	f.Add("rules:\n  graph/stuck: off\nmaxHops: 7\nopenshift: 4.18\n")
	f.Add("rules: [a]\nmaxHops: x\n? a\n: b\n")
	f.Add("a: &a [*a]\nrules: *a\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseConfig("c", []byte(text), someRules())
		if err == nil && (c.MaxHops < 0 || c.Severities[Parse.ID] != Off) {
			t.Fatalf("%q: %+v", text, c)
		}
	})
}
