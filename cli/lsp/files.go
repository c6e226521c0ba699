package lsp

import (
	"bytes"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/template"
)

// uriPath returns the path of a file on disk by its URI, with slashes.
func uriPath(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" || u.Host != "" && u.Host != "localhost" || strings.ContainsRune(u.Path, 0) {
		return "", false
	}
	name := u.Path
	if len(name) > 2 && name[2] == ':' { // /C:/…
		name = strings.ToUpper(name[1:2]) + name[2:]
	}
	return path.Clean(name), true
}

// fileURI returns the URI of a file on disk.
func fileURI(name string) string {
	if !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return (&url.URL{Scheme: "file", Path: name}).String()
}

// uri returns the URI of a file as the client writes it.
func (s *server) uri(name string) string {
	if d := s.documents[name]; d != nil {
		return d.uri
	}
	return fileURI(name)
}

// head is how much of a text has a schema, if it is a catalog or a template, in bytes.
const head = 256 << 10

var schemaField = regexp.MustCompile(`(?m)^[ \t{\["-]*schema["']?[ \t]*:[ \t]*["']?(olm\.[a-z.]+)`)

// schemaIn returns the first schema of OLM in a text, "" if there is none: then it is not of a catalog.
func schemaIn(text []byte) string {
	if m := schemaField.FindSubmatch(text[:min(len(text), head)]); m != nil {
		return string(m[1])
	}
	return ""
}

// inRepository matches a file in a package of a catalog repository.
var inRepository = regexp.MustCompile(`^(.*/catalogs/[^/]+/[^/]+)/.`)

// lintRef returns what lint takes for a file: a template alone, and otherwise the folder of its catalog, which is at most the folder that is
// open in the editor; the file alone if that folder is large. It is "" if the file is no part of a catalog.
func (s *server) lintRef(name string, text []byte) string {
	schema := schemaIn(text)
	switch ext := path.Ext(name); {
	case schema == "" || ext != ".yaml" && ext != ".yml" && ext != ".json":
		return ""
	case template.IsSchema(schema):
		return name
	}
	if m := inRepository.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	dir := path.Dir(name)
	packages, _ := packagesAround(text, 0, 0)
	for parent := path.Dir(dir); len(packages) > 0 && s.isOpenFolder(parent) && hasPackage(parent, packages[0]); parent = path.Dir(parent) {
		dir = parent
	}
	if isLarge(dir) {
		return name
	}
	return dir
}

// maxEntries is the number of files and folders in the folder of a catalog: one with more is probably not only that, as a home.
const maxEntries = 5000

func isLarge(dir string) bool {
	n := 0
	err := fs.WalkDir(disk.Folder(dir), ".", func(string, fs.DirEntry, error) error {
		if n++; n > maxEntries {
			return fs.SkipAll
		}
		return nil
	})
	return err != nil || n > maxEntries
}

// isOpenFolder reports whether a folder is in one that is open in the editor.
func (s *server) isOpenFolder(dir string) bool {
	return slices.ContainsFunc(s.folders, func(root string) bool { return dir == root || strings.HasPrefix(dir, root+"/") })
}

// hasPackage reports whether a file in a folder is of a file-based catalog with a package.
func hasPackage(dir, pkg string) bool {
	for _, ending := range []string{"*.yaml", "*.yml", "*.json"} {
		names, _ := fs.Glob(disk.Folder(dir), ending)
		for _, name := range names[:min(len(names), 20)] {
			text, _ := disk.Head(disk.Folder(dir), name, 64<<10)
			if schema := schemaIn(text); schema != "" && !template.IsSchema(schema) && bytes.Contains(text, []byte(pkg)) {
				return true
			}
		}
	}
	return false
}

var (
	packageField = regexp.MustCompile(`(?m)^([ \t]*)"?(?:package)"?[ \t]*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"',#]+))`)
	nameField    = regexp.MustCompile(`(?m)^([ \t]*)"?(?:name)"?[ \t]*:[ \t]*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"',#]+))`)
	packageBlob  = regexp.MustCompile(`(?m)^[ \t]*"?schema"?[ \t]*:[ \t]*["']?olm\.package\b`)
)

// packagesAround returns the packages of the documents that have the bytes from an offset to another one; false if one of them does not
// say its package.
func packagesAround(text []byte, from, to int) ([]string, bool) {
	var found []string
	for {
		begin, end := documentAround(text, from)
		pkg := packageIn(text[begin:end])
		if pkg == "" || len(found) > 3 {
			return nil, false
		}
		found = append(found, pkg)
		if from = end + 1; end >= to {
			return found, true
		}
	}
}

// documentAround returns where the document at an offset begins and ends: between separators of YAML, or after the lines that end an object of
// JSON as opm writes it.
func documentAround(text []byte, at int) (from, to int) {
	mark := []byte("\n---")
	if isJSON(text) {
		mark = []byte("\n}")
	}
	from, to = 0, len(text)
	if i := bytes.LastIndex(text[:min(at+len(mark)-1, len(text))], mark); i >= 0 && i < at {
		from = min(i+len(mark), at)
	}
	if i := bytes.Index(text[at:], mark); i >= 0 {
		to = at + i + 1
	}
	return from, to
}

// isJSON reports whether a text begins as an object of JSON.
func isJSON(text []byte) bool {
	text = bytes.TrimLeft(text[:min(len(text), 1024)], " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// packageIn returns the package of a document, "" if it does not say it.
func packageIn(text []byte) string {
	field := packageField
	if packageBlob.Match(text) {
		field = nameField
	}
	return outermost(text, field)
}

// outermost returns the value of the field with the least indent.
func outermost(text []byte, field *regexp.Regexp) string {
	value, indent := "", -1
	for _, m := range field.FindAllSubmatch(text, 100) {
		if indent < 0 || len(m[1]) < indent {
			indent, value = len(m[1]), string(m[2])+string(m[3])+string(m[4])
		}
	}
	return value
}
