package e2e

import (
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// grown is a generated catalog of any size: packages that are chains of bundles, similar to real ones in length and changes.
type grown struct {
	packages, bundles int
	words             int // lines of description in each bundle
}

type object = map[string]any

func (g grown) pkg(p int) string { return fmt.Sprintf("operator-%d", p) }

func (g grown) name(p, b int) string { return g.pkg(p) + ".v" + g.version(b) }

func (g grown) version(b int) string { return fmt.Sprintf("%d.%d.%d", b/50, b/5%10, b%5) }

func (g grown) group(p int) string { return fmt.Sprintf("%s.grown.example", g.pkg(p)) }

// entries returns the entries of the only channel of a package: a chain with some skipped entries and skipRanges.
func (g grown) entries(p int) []any {
	var all []any
	for b := range g.bundles {
		e := object{"name": g.name(p, b)}
		if b > 0 {
			e["replaces"] = g.name(p, replacedVersion(b))
		}
		if replacedVersion(b) < b-1 {
			e["skips"] = []any{g.name(p, b-1)}
		}
		if r := g.skipRange(b); r != "" {
			e["skipRange"] = r
		}
		all = append(all, e)
	}
	return all
}

// replacedVersion returns the version that a version replaces: the one before, or the one before that if it is skipped.
func replacedVersion(b int) int {
	if b > 2 && b%7 == 0 {
		return b - 2
	}
	return b - 1
}

// skipRange returns the skipRange of a version; most have none.
func (g grown) skipRange(b int) string {
	if b > 10 && b%11 == 0 {
		return fmt.Sprintf(">=%s <%s", g.version(b-10), g.version(b))
	}
	return ""
}

// csv returns the ClusterServiceVersion of a bundle.
func (g grown) csv(p, b int) object {
	pkg := g.pkg(p)
	description := strings.Repeat(fmt.Sprintf("What %s does for clusters, and how it is set up by whoever runs it.\n", pkg), g.words)
	spec := object{
		"displayName": pkg, "version": g.version(b), "description": description, "minKubeVersion": "1.25.0",
		"maintainers": []any{object{"name": "nobody", "email": "nobody@grown.example"}},
		"provider":    object{"name": "grown"}, "maturity": "stable", "keywords": []any{pkg},
		"installModes": []any{object{"type": "AllNamespaces", "supported": true}, object{"type": "OwnNamespace", "supported": false},
			object{"type": "SingleNamespace", "supported": false}, object{"type": "MultiNamespace", "supported": false}},
		"customresourcedefinitions": object{"owned": []any{object{"name": "tides." + g.group(p), "version": "v1", "kind": "Tide",
			"displayName": "Tide", "description": "A tide."}}},
		"install": object{"strategy": "deployment", "spec": object{"deployments": []any{object{"name": pkg, "spec": object{
			"selector": object{"matchLabels": object{"app": pkg}},
			"template": object{"metadata": object{"labels": object{"app": pkg}}, "spec": object{"containers": []any{
				object{"name": "manager", "image": "registry.example/" + pkg + ":" + g.version(b)}}}}}}}}},
	}
	if b > 0 {
		spec["replaces"] = g.name(p, replacedVersion(b))
	}
	if replacedVersion(b) < b-1 {
		spec["skips"] = []any{g.name(p, b-1)}
	}
	annotations := object{"capabilities": "Basic Install",
		"alm-examples": fmt.Sprintf(`[{"apiVersion": "%s/v1", "kind": "Tide", "metadata": {"name": "low"}, "spec": {"depth0": 1}}]`, g.group(p))}
	if r := g.skipRange(b); r != "" {
		annotations["olm.skipRange"] = r
	}
	return object{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
		"metadata": object{"name": g.name(p, b), "annotations": annotations}, "spec": spec}
}

// crd returns the CRD of a bundle, which has one field more with every tenth version.
func (g grown) crd(p, b int) object {
	fields := object{}
	for i := range 20 + b/10 {
		fields[fmt.Sprintf("depth%d", i)] = object{"type": "integer", "description": "How deep the water is at this time of the day."}
	}
	schema := object{"type": "object", "properties": object{"spec": object{"type": "object", "properties": fields}}}
	return object{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": object{"name": "tides." + g.group(p)},
		"spec": object{"group": g.group(p), "scope": "Namespaced",
			"names":    object{"kind": "Tide", "listKind": "TideList", "plural": "tides", "singular": "tide"},
			"versions": []any{object{"name": "v1", "served": true, "storage": true, "schema": object{"openAPIV3Schema": schema}}}}}
}

// documents returns the documents of a package in a file-based catalog.
func (g grown) documents(p int) []object {
	pkg := g.pkg(p)
	all := []object{
		{"schema": "olm.package", "name": pkg, "defaultChannel": "stable"},
		{"schema": "olm.channel", "name": "stable", "package": pkg, "entries": g.entries(p)},
	}
	for b := range g.bundles {
		properties := []any{
			object{"type": "olm.package", "value": object{"packageName": pkg, "version": g.version(b)}},
			object{"type": "olm.gvk", "value": object{"group": g.group(p), "version": "v1", "kind": "Tide"}},
		}
		if p%4 == 3 { // some require others
			properties = append(properties, object{"type": "olm.gvk.required", "value": object{"group": g.group(p - 1), "version": "v1", "kind": "Tide"}})
		}
		for _, o := range []object{g.csv(p, b), g.crd(p, b)} {
			properties = append(properties, object{"type": "olm.bundle.object", "value": object{"data": base64.StdEncoding.EncodeToString(asJSON(o))}})
		}
		all = append(all, object{"schema": "olm.bundle", "name": g.name(p, b), "package": pkg, "image": "registry.example/" + pkg + ":" + g.version(b),
			"properties": properties})
	}
	return all
}

func asJSON(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // it is made above
	}
	return text
}

// folder writes a file-based catalog in YAML, with a file for each package.
func (g grown) folder(tb testing.TB) string {
	dir := filepath.Join(tb.TempDir(), "catalog")
	for p := range g.packages {
		g.write(tb, dir, p)
	}
	return dir
}

// write writes the file of one package into such a folder.
func (g grown) write(tb testing.TB, dir string, p int) {
	g.put(tb, filepath.Join(dir, g.pkg(p), "catalog.yaml"), func(f *os.File) error {
		to := yaml.NewEncoder(f)
		to.SetIndent(2)
		for _, d := range g.documents(p) {
			if err := to.Encode(d); err != nil {
				return err
			}
		}
		return to.Close()
	})
}

// file writes a file-based catalog as one file of JSON.
func (g grown) file(tb testing.TB) string {
	name := filepath.Join(tb.TempDir(), "catalog.json")
	g.put(tb, name, func(f *os.File) error {
		to := json.NewEncoder(f)
		to.SetIndent("", "  ")
		for p := range g.packages {
			for _, d := range g.documents(p) {
				if err := to.Encode(d); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return name
}

// image writes an index image in the layout of OCI.
func (g grown) image(tb testing.TB) string {
	img, err := packImage(g.folder(tb), "configs", "operators.operatorframework.io.index.configs.v1")
	dir := filepath.Join(tb.TempDir(), "layout")
	if err = errors.Join(err, writeLayout(dir, img)); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// repository writes a catalog repository: a folder of manifests and metadata for each bundle.
func (g grown) repository(tb testing.TB) string {
	dir := tb.TempDir()
	for p := range g.packages {
		for b := range g.bundles {
			at := filepath.Join(dir, "operators", g.pkg(p), g.version(b))
			for name, o := range map[string]object{
				"manifests/csv.yaml": g.csv(p, b),
				"manifests/crd.yaml": g.crd(p, b),
				"metadata/annotations.yaml": {"annotations": object{
					"operators.operatorframework.io.bundle.package.v1":         g.pkg(p),
					"operators.operatorframework.io.bundle.channels.v1":        "stable",
					"operators.operatorframework.io.bundle.channel.default.v1": "stable",
					"operators.operatorframework.io.bundle.manifests.v1":       "manifests/",
					"operators.operatorframework.io.bundle.metadata.v1":        "metadata/",
					"operators.operatorframework.io.bundle.mediatype.v1":       "registry+v1",
				}},
			} {
				g.put(tb, filepath.Join(at, name), func(f *os.File) error { return yaml.NewEncoder(f).Encode(o) })
			}
		}
	}
	return dir
}

// database writes a SQLite index.
func (g grown) database(tb testing.TB) string {
	name := filepath.Join(tb.TempDir(), "index.db")
	db, err := sql.Open("sqlite", name)
	if err != nil {
		tb.Fatal(err)
	}
	defer db.Close()
	tx, err := db.Begin()
	if err != nil {
		tb.Fatal(err)
	}
	insert := func(query string, args ...any) {
		if _, err := tx.Exec(query, args...); err != nil {
			tb.Fatal(err)
		}
	}
	insert(`CREATE TABLE package (name TEXT PRIMARY KEY, default_channel TEXT);
		CREATE TABLE channel (name TEXT, package_name TEXT, head_operatorbundle_name TEXT, PRIMARY KEY(name, package_name));
		CREATE TABLE channel_entry (entry_id INTEGER PRIMARY KEY, channel_name TEXT, package_name TEXT, operatorbundle_name TEXT,
			replaces INTEGER, depth INTEGER);
		CREATE TABLE operatorbundle (name TEXT PRIMARY KEY, csv TEXT, bundle TEXT, skiprange TEXT)`)
	for p := range g.packages {
		insert(`INSERT INTO package VALUES (?, 'stable')`, g.pkg(p))
		insert(`INSERT INTO channel VALUES ('stable', ?, ?)`, g.pkg(p), g.name(p, g.bundles-1))
		for b := range g.bundles {
			row := p*g.bundles + 1 // that of the first version
			var replaces any
			if b > 0 && replacedVersion(b+1) == b { // the row of what is skipped replaces nothing
				replaces = row + replacedVersion(b)
			}
			entry := func(id int, replaces any) {
				insert(`INSERT INTO channel_entry VALUES (?, 'stable', ?, ?, ?, ?)`, id, g.pkg(p), g.name(p, b), replaces, g.bundles-1-b)
			}
			entry(row+b, replaces)
			if replacedVersion(b) < b-1 { // a second row of a bundle says what it skips
				entry(g.packages*g.bundles+row+b, row+b-1)
			}
			csv := string(asJSON(g.csv(p, b)))
			insert(`INSERT INTO operatorbundle VALUES (?, ?, ?, ?)`, g.name(p, b), csv, csv+"\n"+string(asJSON(g.crd(p, b))), g.skipRange(b))
		}
	}
	if err := tx.Commit(); err != nil {
		tb.Fatal(err)
	}
	return name
}

func (g grown) put(tb testing.TB, name string, write func(*os.File) error) {
	err := os.MkdirAll(filepath.Dir(name), 0o777)
	if err == nil {
		var f *os.File
		if f, err = os.Create(name); err == nil {
			err = errors.Join(write(f), f.Close())
		}
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// TestGrownForms checks that a generated catalog has the same upgrades in every form, which all end at the heads. Otherwise
// benchmarks of the forms could not be compared.
func TestGrownForms(t *testing.T) {
	g := grown{packages: 2, bundles: 30, words: 1}
	var want string
	for _, make := range []func(testing.TB) string{g.folder, g.file, g.image, g.database, g.repository} {
		status, out, errs := run(t, "list", make(t), "bundles")
		got, _, _ := strings.Cut(out, "\n\n") // the form follows
		if want == "" {
			want = strings.TrimSpace(got)
		}
		if status != 0 || strings.TrimSpace(got) != want || strings.Contains(got, "stuck") || strings.Count(got, "operator-1.v") != 30 {
			t.Errorf("status %d, %s\ngot:\n%s\nwant:\n%s", status, errs, got, want)
		}
	}
}
