package catalogs

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// unreadTemplates names the operators of a repository of bundles whose catalogs, or parts of them, are made of templates: one
// problem an operator, at its first template. bundles are the folders that are read.
func unreadTemplates(s *source, bundles []string) []Problem {
	root := "."
	if isDir(s.fsys, "operators") {
		root = "operators"
	}
	var found []Problem
	for _, dir := range foldersIn(s.fsys, root) {
		for _, folder := range append([]string{dir}, foldersIn(s.fsys, dir)...) {
			if slices.Contains(bundles, folder) || slices.Contains(bundles, path.Dir(folder)) && folder != dir {
				continue
			}
			if p, ok := firstTemplate(s, folder); ok {
				if root != "." {
					p.Package = path.Base(dir) // by the convention of these repositories
				}
				found = append(found, p)
				break
			}
		}
	}
	return found
}

// firstTemplate returns a problem about the first template among the files of a folder.
func firstTemplate(s *source, dir string) (Problem, bool) {
	entries, _ := fs.ReadDir(s.fsys, dir)
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || catalogExt(name) == "" {
			continue
		}
		if p, ok := templateIn(&file{source: s, path: name, name: s.display(name)}); ok {
			return p, true
		}
	}
	return Problem{}, false
}

// templateIn returns a problem about the first template in a file.
func templateIn(f *file) (Problem, bool) {
	text, err := readAll(f)
	if err != nil || !bytes.Contains(text, []byte("olm.template.")) && !bytes.Contains(text, []byte("olm.semver")) {
		return Problem{}, false
	}
	d := decoderOf(f, text)
	d.stream()
	for _, t := range d.foreign {
		if t.Template {
			return Problem{Kind: UnreadTemplate, Pos: t.Pos, Fix: t.Fix,
				Message: t.What + ", which is not read: the catalog that opm makes of it was not checked"}, true
		}
	}
	return Problem{}, false
}
