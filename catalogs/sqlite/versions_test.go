package sqlite

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// makeDatabase makes a database of statements and returns its file.
func makeDatabase(t testing.TB, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.db")
	db, err := sql.Open("sqlite", path+"?_pragma=synchronous(off)&_pragma=journal_mode(off)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

func csvJSON(version, annotations, spec string) string {
	return `{"kind":"ClusterServiceVersion","metadata":{"annotations":{` + annotations + `}},"spec":{"version":"` + version + `"` + spec + `}}`
}

// aged returns the statements that make one small index at a migration of the schema: package p, channels stable (c, which
// replaces a and skips b and gone) and old (a).
func aged(migration int) []string {
	c, a, b := csvJSON("1.2.0", `"olm.skipRange":"<1.2.0"`, `,"icon":[{"base64data":"aGk=","mediatype":"image/png"}],"relatedImages":[{"name":"x","image":"i/x"}]`),
		csvJSON("1.0.0", "", ""), csvJSON("1.1.0", "", "")
	s := []string{
		`CREATE TABLE operatorbundle (name TEXT PRIMARY KEY, csv TEXT, bundle TEXT)`,
		`CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT)`,
		`CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT, PRIMARY KEY(name, package_name))`,
		`CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT, operatorbundle_name TEXT, replaces INTEGER, depth INTEGER)`,
		`INSERT INTO operatorbundle(name, csv, bundle) VALUES ('c', '` + c + `', '` + c + "\n" + `{"kind":"Role"}'), ('a', '` + a + `', ''), ('b', '` + b + `', NULL)`,
		`INSERT INTO package VALUES ('p', 'stable')`,
		`INSERT INTO channel VALUES ('stable', 'p', 'c'), ('old', 'p', 'a')`,
		`INSERT INTO channel_entry VALUES (1, 'stable', 'p', 'c', 6, 0), (2, 'stable', 'p', 'b', NULL, 1), (3, 'stable', 'p', 'c', 2, 1),
			(4, 'stable', 'p', 'gone', NULL, 2), (5, 'stable', 'p', 'c', 4, 2), (6, 'stable', 'p', 'a', NULL, 3), (7, 'old', 'p', 'a', NULL, 0)`,
	}
	if migration >= 1 {
		s = append(s, `CREATE TABLE related_image (image TEXT, operatorbundle_name TEXT)`, `INSERT INTO related_image VALUES ('i/y', 'c'), ('i/x', 'c')`)
	}
	if migration >= 2 {
		s = append(s, `ALTER TABLE operatorbundle ADD COLUMN bundlepath TEXT`, `UPDATE operatorbundle SET bundlepath = 'i/' || name`)
	}
	for i, table := range []string{"api_provider", "api_requirer"} {
		switch {
		case migration < 3*i:
		case migration < 6:
			s = append(s, fmt.Sprintf(`CREATE TABLE %s (group_name TEXT, version TEXT, kind TEXT, channel_entry_id INTEGER)`, table),
				fmt.Sprintf(`INSERT INTO %s VALUES ('g', 'v1', 'K%d', 1), ('g', 'v1', 'K%[2]d', 3)`, table, i))
		default:
			s = append(s, fmt.Sprintf(`CREATE TABLE %s (group_name TEXT, version TEXT, kind TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT,
				operatorbundle_path TEXT)`, table), fmt.Sprintf(`INSERT INTO %s VALUES ('g', 'v1', 'K%d', 'c', '1.2.0', 'i/c')`, table, i))
		}
	}
	if migration >= 5 {
		s = append(s, `ALTER TABLE operatorbundle ADD COLUMN skiprange TEXT`, `ALTER TABLE operatorbundle ADD COLUMN version TEXT`,
			`UPDATE operatorbundle SET skiprange = CASE name WHEN 'c' THEN '<1.2.0' ELSE '' END, version = CASE name WHEN 'c' THEN '1.2.0' WHEN 'b' THEN '1.1.0' ELSE '1.0.0' END`)
	}
	if migration >= 7 {
		s = append(s, `ALTER TABLE operatorbundle ADD COLUMN replaces TEXT`, `ALTER TABLE operatorbundle ADD COLUMN skips TEXT`,
			`UPDATE operatorbundle SET replaces = 'a', skips = 'b,gone' WHERE name = 'c'`)
	}
	return append(s, agedLater(migration)...)
}

func agedLater(migration int) (s []string) {
	const columns = ` (type TEXT, value TEXT, operatorbundle_name TEXT, operatorbundle_version TEXT, operatorbundle_path TEXT)`
	if migration >= 8 {
		kind := `"type":"olm.gvk",`
		if migration >= 9 {
			kind = ""
		}
		s = append(s, `CREATE TABLE dependencies`+columns, `INSERT INTO dependencies VALUES ('olm.gvk', CAST('{`+kind+
			`"group":"g","kind":"K1","version":"v1"}' AS BLOB), 'c', '1.2.0', 'i/c')`)
	}
	if migration >= 9 {
		s = append(s, `CREATE TABLE properties`+columns, `INSERT INTO properties VALUES
			('olm.gvk', '{"group":"g","kind":"K0","version":"v1"}', 'c', '1.2.0', 'i/c'),
			('olm.package', '{"packageName":"p","version":"1.2.0"}', 'c', '1.2.0', 'i/c')`)
	}
	if migration >= 11 {
		s = append(s, `ALTER TABLE operatorbundle ADD COLUMN substitutesfor TEXT`)
	}
	if migration >= 12 {
		s = append(s, `CREATE TABLE deprecated (operatorbundle_name TEXT PRIMARY KEY)`)
	}
	return append(s, `CREATE TABLE schema_migrations (version bigint NOT NULL)`, fmt.Sprintf(`INSERT INTO schema_migrations VALUES (%d)`, migration))
}

// describe writes the objects in a few lines.
func describe(objects map[string]object) string {
	var b strings.Builder
	for _, name := range []string{"p", "stable", "old", "a", "b", "c"} {
		for _, o := range objects {
			if o.Name != name {
				continue
			}
			fmt.Fprintf(&b, "%s %s %s", o.Schema, o.Name, o.DefaultChannel+o.Image)
			if o.Icon != nil {
				fmt.Fprintf(&b, " icon %s", o.Icon.Base64data)
			}
			for _, e := range o.Entries {
				fmt.Fprintf(&b, " (%s %s %v %s)", e.Name, e.Replaces, e.Skips, e.SkipRange)
			}
			for _, p := range o.Properties {
				if p.Type == "olm.bundle.object" {
					p.Value = nil
				}
				fmt.Fprintf(&b, "\n\t%s %s", p.Type, p.Value)
			}
			for _, i := range o.RelatedImages {
				fmt.Fprintf(&b, " [%s %s]", i.Name, i.Image)
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// TestMigrations reads the same index at every migration of the schema: only what the schema does not have is absent.
func TestMigrations(t *testing.T) {
	for migration := range 14 {
		path, image, required := "i/", " [ i/y]", "\n\tolm.gvk.required {\"group\":\"g\",\"kind\":\"K1\",\"version\":\"v1\"}"
		if migration < 1 {
			image = ""
		}
		if migration < 2 {
			path = ""
		}
		if migration < 3 {
			required = ""
		}
		pathOf := func(name string) string {
			if path == "" {
				return ""
			}
			return path + name
		}
		want := `olm.package p stable icon aGk=
olm.channel stable  (a  [] ) (b  [] ) (c a [b gone] <1.2.0)
olm.channel old  (a  [] )
olm.bundle a ` + pathOf("a") + `
	olm.bundle.object 
	olm.package {"packageName":"p","version":"1.0.0"}
olm.bundle b ` + pathOf("b") + `
	olm.bundle.object 
	olm.package {"packageName":"p","version":"1.1.0"}
olm.bundle c ` + pathOf("c") + `
	olm.bundle.object 
	olm.bundle.object 
	olm.gvk {"group":"g","kind":"K0","version":"v1"}` + required + `
	olm.package {"packageName":"p","version":"1.2.0"} [x i/x]` + image + "\n"
		got, problems, err := readAll(t, Path(makeDatabase(t, aged(migration)...)), Options{})
		if err != nil || len(problems) > 0 {
			t.Errorf("migration %d: %v %v", migration, err, problems)
		}
		if diff := cmp.Diff(want, describe(got)); diff != "" {
			t.Errorf("migration %d: -want +got\n%s", migration, diff)
		}
	}
}

// change makes the newest index and then runs statements on it.
func change(t testing.TB, statements ...string) Source {
	t.Helper()
	return Path(makeDatabase(t, append(aged(13), statements...)...))
}

func lines(problems []Problem) string {
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

// TestLeftOut says of each thing that is not handed out, or is odd, what becomes of it.
func TestLeftOut(t *testing.T) {
	for _, c := range []struct{ name, change, entries, problems string }{
		{"a deprecated bundle", `INSERT INTO properties VALUES ('olm.deprecated', '{}', 'a', '1.0.0', 'i/a')`,
			"(b  [] ) (c a [b gone] <1.2.0)", "operatorbundle, row 2: a is deprecated (olm.deprecated): it is left out, as opm leaves it out of a file-based catalog\n"},
		{"a bundle in no channel", `INSERT INTO operatorbundle(name) VALUES ('d')`,
			"(a  [] ) (b  [] ) (c a [b gone] <1.2.0)", "operatorbundle, row 4: d is in no channel: it is left out, since neither OLM nor opm sees it\n"},
		{"a replaced bundle that does not exist", `DELETE FROM operatorbundle WHERE name = 'a'`,
			"(a  [] ) (b  [] ) (c a [b gone] <1.2.0)", ""},
		{"a replaced row that does not exist", `UPDATE channel_entry SET replaces = 99 WHERE entry_id = 1`,
			"(a  [] ) (b  [] ) (c  [b gone] <1.2.0)", "channel_entry, row 1: c of channel stable replaces row 99, which does not exist\n"},
		{"a cycle", `UPDATE channel_entry SET replaces = 1 WHERE entry_id = 6`,
			"(a c [] ) (b  [] ) (c a [b gone] <1.2.0)", ""},
		{"names of several lines", `INSERT INTO operatorbundle(name) VALUES ('d' || char(10) || 'e')`,
			"(a  [] ) (b  [] ) (c a [b gone] <1.2.0)", "operatorbundle, row 4: d e is in no channel: it is left out, since neither OLM nor opm sees it\n"},
		{"a bundle of several packages", `INSERT INTO channel_entry VALUES (9, 'x', 'q', 'a', NULL, 0)`,
			"(a  [] ) (b  [] ) (c a [b gone] <1.2.0)", "channel: no row for channel x of package q, which has rows in channel_entry\n"},
		{"an entry without a bundle", `INSERT INTO channel_entry VALUES (9, 'stable', 'p', NULL, NULL, 5)`,
			"(a  [] ) (b  [] ) (c a [b gone] <1.2.0)", "channel_entry, row 9: it names no channel, no package or no bundle\n"},
		{"a property that is not JSON", `INSERT INTO properties VALUES ('x', '{', 'a', '1.0.0', 'i/a')`,
			"(a  [] ) (b  [] ) (c a [b gone] <1.2.0)", "properties, row 3: its value is not JSON\n"},
		{"a manifest that is not JSON", `UPDATE operatorbundle SET bundle = '{} {' WHERE name = 'c'`,
			"(a  [] ) (b  [] ) (c a [b gone] <1.2.0)", "operatorbundle, row 1: document 2 of the column bundle is not JSON: unexpected EOF\n"},
		{"a channel without a row", `DELETE FROM channel WHERE name = 'stable'`,
			"(a  [] ) (b  [] ) (c a [b gone] <1.2.0)", "channel: no row for channel stable of package p, which has rows in channel_entry\n"},
	} {
		objects, problems, err := readAll(t, change(t, c.change), Options{})
		if err != nil || lines(problems) != c.problems {
			t.Errorf("%s: %v\n%s", c.name, err, lines(problems))
		}
		if got := describe(map[string]object{"": objects["olm.channel p stable"]}); got != "olm.channel stable  "+c.entries+"\n" {
			t.Errorf("%s: %s", c.name, got)
		}
	}
}

// TestDependencies: a version that is depended on is a range, and what opm's conversion drops is kept.
func TestDependencies(t *testing.T) {
	objects, _, err := readAll(t, change(t, `INSERT INTO dependencies(type, value, operatorbundle_name) VALUES
		('olm.package', '{"packageName":"q","version":">1.0.0"}', 'a'), ('olm.label', '{"label":"l"}', 'a'),
		('olm.constraint', '{"failureMessage":"m"}', 'a'), ('olm.label', '{"label":"l"}', 'a')`), Options{})
	want := `olm.bundle a i/a
	olm.bundle.object 
	olm.constraint {"failureMessage":"m"}
	olm.label.required {"label":"l"}
	olm.package {"packageName":"p","version":"1.0.0"}
	olm.package.required {"packageName":"q","versionRange":">1.0.0"}
`
	if got := describe(map[string]object{"": objects["olm.bundle p a"]}); err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// TestNames: a document's name is a path that no other has, whatever the names in the database.
func TestNames(t *testing.T) {
	var names []string
	err := Read(t.Context(), change(t, `INSERT INTO channel(name, package_name) VALUES ('..', 'a/b'), ('', 'a/b'), (NULL, 'a/b'), ('é', 'a/b')`),
		Options{}, func(d Document) error {
			names = append(names, fmt.Sprint(d.Name, " ", d.Row))
			return nil
		})
	want := []string{"operatorbundle/c 1", "operatorbundle/a 2", "operatorbundle/b 3", "channel/p/stable 1", "channel/p/old 2",
		"channel/a%2Fb/%2E%2E% 3", "channel/a%2Fb/% 4", "channel/a%2Fb/% (row 5) 5", "channel/a%2Fb/%C3%A9 6", "package/p 1"}
	if diff := cmp.Diff(want, names); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// listing returns the names, sizes and times of the files in a folder.
func listing(t testing.TB, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, fmt.Sprint(e.Name(), info.Size(), info.ModTime()))
	}
	return list
}

// TestLocked reads a database that another program has locked.
func TestLocked(t *testing.T) {
	path := makeDatabase(t, aged(13)...)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	objects, problems, err := readAll(t, Path(path), Options{})
	if err != nil || len(problems) > 0 || len(objects) != 6 {
		t.Error(err, problems, len(objects))
	}
}
