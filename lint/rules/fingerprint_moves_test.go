package rules

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/lint"
)

// document is an object of a catalog.
type document map[string]any

func (d document) str(key string) string { s, _ := d[key].(string); return s }

// documentsIn returns the documents of all files under a path, by file name.
func documentsIn(t *testing.T, root string) []document {
	t.Helper()
	var all []document
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
			var one document
			if err := d.Decode(&one); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			all = append(all, one)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// openDocuments writes documents to a JSON file and opens it.
func openDocuments(t *testing.T, all []document) []*catalogs.Catalog {
	t.Helper()
	var text bytes.Buffer
	for _, d := range all {
		if err := json.NewEncoder(&text).Encode(d); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(t.TempDir(), "catalog.json")
	catalogtest.Write(t, name, text.String())
	return opentest.Open(t, name)
}

// lintWith lints with the configuration that gives most findings.
func lintWith(t *testing.T, cats []*catalogs.Catalog, change func(*lint.Options)) []lint.Finding {
	t.Helper()
	o := lint.Options{Rules: All(), Config: &lint.Config{OLM: "both", OpenShift: "4.18"}}
	change(&o)
	return lintAll(t, cats, o)
}

// withoutNewestRelease removes the only head of each channel if it replaces another entry, and the bundles that are then in no
// channel.
func withoutNewestRelease(all []document) []document {
	left := map[string]bool{}
	var kept []document
	for _, d := range all {
		if d.str("schema") == catalogs.SchemaChannel {
			c := document{}
			for key, value := range d {
				c[key] = value
			}
			c["entries"] = withoutHead(d["entries"].([]any))
			for _, e := range c["entries"].([]any) {
				left[d.str("package")+"/"+document(e.(document)).str("name")] = true
			}
			d = c
		}
		kept = append(kept, d)
	}
	return slices.DeleteFunc(kept, func(d document) bool {
		return d.str("schema") == catalogs.SchemaBundle && !left[d.str("package")+"/"+d.str("name")]
	})
}

func withoutHead(entries []any) []any {
	named := map[string]bool{}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.(document).str("name")] = true
		named[e.(document).str("replaces")] = true
		skips, _ := e.(document)["skips"].([]any)
		for _, skip := range skips {
			named[skip.(string)] = true
		}
	}
	head := -1
	for i, e := range entries {
		if named[e.(document).str("name")] {
			continue
		}
		if head >= 0 {
			return entries
		}
		head = i
	}
	if head < 0 || !names[entries[head].(document).str("replaces")] {
		return entries
	}
	return slices.Delete(slices.Clone(entries), head, head+1)
}

var numbers = regexp.MustCompile(`[0-9]+`)

// TestNewReleaseKeepsFingerprints compares a catalog with itself without its newest releases. No new finding may be an old one
// that differs in numbers only.
func TestNewReleaseKeepsFingerprints(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	for _, name := range []string{"community-v4.14", "community-v4.18"} {
		all := documentsIn(t, catalogtest.Data(t, "fbc/"+name))
		now, base := openDocuments(t, all), openDocuments(t, withoutNewestRelease(all))
		pairs, _ := compare.Pairs(context.Background(), repo.FromCatalogs(now...), repo.FromCatalogs(base...), false)
		for i := range pairs {
			if err := pairs[i].Read(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		before := map[string]string{}
		for _, f := range lintWith(t, base, func(*lint.Options) {}) {
			before[strings.Join([]string{f.Rule, f.Package, numbers.ReplaceAllString(f.Message, "")}, "\x00")] = f.Message
		}
		fresh := lintWith(t, now, func(o *lint.Options) { o.Base, o.OnlyNew = pairs, true })
		n := 0
		for _, f := range fresh {
			if strings.HasPrefix(f.Rule, "published/") || f.Severity == lint.Error { // an error about a new bundle is new
				continue
			}
			n++
			if was, ok := before[strings.Join([]string{f.Rule, f.Package, numbers.ReplaceAllString(f.Message, "")}, "\x00")]; ok {
				t.Errorf("%s: %s is new:\n\t%s\n\t%s\n\t%q %q", name, f.Rule, f.Message, was, f.Cause, f.Faults)
			}
		}
		t.Logf("%s: %d findings, %d new", name, len(before), n)
	}
}

// TestFingerprintsInOtherForms checks that fingerprints are the same in another form, with the documents in another order, and
// with additional comments.
func TestFingerprintsInOtherForms(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	for _, name := range []string{"community-v4.14"} {
		dir := catalogtest.Data(t, "fbc/"+name)
		all := documentsIn(t, dir)
		want := fingerprints(lintWith(t, opentest.Open(t, dir), func(*lint.Options) {}))
		reversed := slices.Clone(all)
		slices.Reverse(reversed)
		for form, cats := range map[string][]*catalogs.Catalog{
			"JSON": openDocuments(t, all), "the other way round": openDocuments(t, reversed), "comments": opentest.Open(t, copyWithComments(t, dir)),
		} {
			for _, c := range cats {
				c.OpenShift = "4.14" // by the name of the folder, which others do not have
			}
			if diff := cmp.Diff(want, fingerprints(lintWith(t, cats, func(*lint.Options) {}))); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", name, form, diff)
			}
		}
	}
}

// fingerprints returns the packages, rules and fingerprints of findings, sorted.
func fingerprints(all []lint.Finding) []string {
	var prints []string
	for _, f := range all {
		prints = append(prints, f.Package+" "+f.Rule+" "+f.Fingerprint()+"\t"+f.Message)
	}
	slices.Sort(prints)
	for i := range prints {
		prints[i], _, _ = strings.Cut(prints[i], "\t")
	}
	return prints
}

// copyWithComments copies a folder, with comments at the top of each file.
func copyWithComments(t *testing.T, root string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text = bytes.TrimPrefix(text, []byte("---\n")) // otherwise opm reads a document without a schema
		return os.WriteFile(path, append([]byte("# one\n# two\n# three\n"), text...), 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
