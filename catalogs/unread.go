package catalogs

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
)

// versionCatalogs returns the names in catalogs/ of a repository that are of one catalog each, sorted by version, and a problem for each
// other folder with files and each other file of a catalog. A link to a folder of the repository counts as a folder.
func versionCatalogs(s *source) (names []string, unread []Problem) {
	entries, _ := fs.ReadDir(s.fsys, "catalogs")
	for _, e := range entries {
		name := path.Join("catalogs", e.Name())
		folder := isDir(s.fsys, name)
		switch {
		case strings.HasPrefix(e.Name(), "."):
		case folder && !e.IsDir() && s.restricted(s.display(name)):
			unread = append(unread, Problem{Kind: UnreadFolder, Pos: Pos{File: s.display(name)}, Fix: "give the folder that it leads to",
				Message: "nothing of it was read: it is a link to a folder outside the repository"})
		case openShiftVersion(e.Name()) != "":
			names = append(names, e.Name())
		case folder && hasContent(s.fsys, name), !folder && catalogExt(name) != "":
			unread = append(unread, Problem{Kind: UnreadFolder, Pos: Pos{File: s.display(name)},
				Message: "nothing of it was read: in a repository, what is in catalogs/ is named after an OpenShift version, as v4.18",
				Fix:     "give it on its own, or name it after its OpenShift version"})
		}
	}
	slices.SortFunc(names, compareVersionNames)
	return names, unread
}

// hasContent reports whether a folder, or one below it, has a file other than a ci.yaml, OWNERS, *.md or a hidden one.
func hasContent(fsys fs.FS, dir string) bool {
	found := false
	fs.WalkDir(fsys, dir, func(name string, e fs.DirEntry, err error) error {
		switch base := path.Base(name); {
		case err != nil:
			found = true // it may have content
		case e.IsDir(), strings.HasPrefix(base, "."), base == "ci.yaml", base == "OWNERS", strings.HasSuffix(base, ".md"):
			return nil
		default:
			found = true
		}
		return fs.SkipAll
	})
	return found
}

// unreadOperators returns one problem for each operator of a repository of which nothing is read, or that has templates. bundles are the
// bundle folders, and versions the names of the catalogs in catalogs/: an operator in one of those has no problem.
func unreadOperators(s *source, bundles, versions []string) []Problem {
	if !isDir(s.fsys, "operators") {
		return append(unreadTemplates(s, ".", bundles, versions), unreadVersions(s, ".", bundles)...)
	}
	found, noBundles := unreadTemplates(s, "operators", bundles, versions), unreadVersions(s, "operators", bundles)
	hasBundles := map[string]bool{}
	for _, bundle := range bundles {
		hasBundles[bundle], hasBundles[path.Dir(bundle)] = true, true
	}
	entries, _ := fs.ReadDir(s.fsys, "operators")
	for _, e := range entries {
		dir := path.Join("operators", e.Name())
		link := !e.IsDir() && isDir(s.fsys, dir)
		switch {
		case strings.HasPrefix(e.Name(), "."), !e.IsDir() && !link, isInCatalog(s.fsys, versions, e.Name()):
		case hasBundles[dir]:
		case slices.ContainsFunc(found, func(p Problem) bool { return p.Package == e.Name() }):
		case link || hasContent(s.fsys, dir):
			p := Problem{Kind: UnreadFolder, Pos: Pos{File: s.display(dir)}, Package: e.Name(), Message: unreadMessage(dir, link),
				Fix: "name its folders so, or give the folder of its catalog on its own"}
			if i := slices.IndexFunc(noBundles, func(v Problem) bool { return v.Package == e.Name() }); i >= 0 {
				p.Message, p.Fix = unreadOperator+": "+noBundles[i].Message, noBundles[i].Fix
				noBundles = slices.DeleteFunc(noBundles, func(v Problem) bool { return v.Package == e.Name() })
			}
			found = append(found, p)
		}
	}
	return append(found, noBundles...)
}

func setOf(names []string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

// unreadVersions returns a problem for each version of an operator whose folder has manifests, but is no bundle folder.
func unreadVersions(s *source, root string, bundles []string) []Problem {
	operators := foldersIn(s.fsys, root)
	if root == "." && len(bundles) > 0 && !slices.ContainsFunc(bundles, inOperator) {
		operators = []string{root} // the folder of one operator
	}
	isBundle := setOf(bundles)
	var found []Problem
	for _, operator := range operators {
		if isBundle[operator] {
			continue
		}
		for _, dir := range foldersIn(s.fsys, operator) {
			if _, err := semver.ParseTolerant(path.Base(dir)); err != nil || isBundle[dir] || !hasBundleManifests(s.fsys, dir) {
				continue
			}
			p := Problem{Kind: UnreadVersion, Pos: Pos{File: s.display(dir)}, Cause: []string{path.Base(dir)}, Message: fmt.Sprintf("%q is no bundle folder: %s", path.Base(dir), missingOfBundle(s.fsys, dir)),
				Fix: fmt.Sprintf("put the manifests into %[1]s/manifests, and annotations.yaml into %[1]s/metadata", path.Base(dir))}
			if operator != "." {
				p.Package = path.Base(operator) // by the convention of these repositories
			}
			found = append(found, p)
		}
	}
	return found
}

// inOperator reports whether a bundle folder is in that of an operator.
func inOperator(bundle string) bool { return path.Dir(bundle) != "." }

// missingOfBundle says what a folder lacks to be a bundle folder.
func missingOfBundle(fsys fs.FS, dir string) string {
	if isDir(fsys, path.Join(dir, "manifests")) {
		return "it has no folder metadata"
	}
	return "it has no folder manifests"
}

// hasBundleManifests reports whether a folder, or one below it, has a folder named manifests or a file with the usual name of a
// ClusterServiceVersion.
func hasBundleManifests(fsys fs.FS, dir string) bool {
	found := false
	_ = fs.WalkDir(fsys, dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && (e.IsDir() && e.Name() == "manifests" || !e.IsDir() && strings.Contains(e.Name(), "clusterserviceversion")) {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}

const unreadOperator = "nothing of this operator was read"

// unreadMessage returns the message about the folder of an operator of which nothing is read.
func unreadMessage(dir string, link bool) string {
	if link {
		return unreadOperator + ": its folder is a link"
	}
	return unreadOperator + fmt.Sprintf(": looked for a bundle (%[1]s/VERSION/manifests and metadata), "+
		"a template of a catalog (%[1]s/*.yaml, %[1]s/*/*.yaml), and catalogs/VERSION/%[2]s", dir, path.Base(dir))
}

// isInCatalog reports whether one of the catalogs of a repository has a folder or file named after a package, as is the convention.
func isInCatalog(fsys fs.FS, versions []string, pkg string) bool {
	return slices.ContainsFunc(versions, func(version string) bool {
		at := path.Join("catalogs", version, pkg)
		return isDir(fsys, at) && hasContent(fsys, at) || isFile(fsys, at+".yaml") || isFile(fsys, at+".json")
	})
}

// unreadTemplates returns a problem for the first template of each operator that is in none of the catalogs.
func unreadTemplates(s *source, root string, bundles, versions []string) []Problem {
	var found []Problem
	isBundle := setOf(bundles)
	for _, dir := range foldersIn(s.fsys, root) {
		if isInCatalog(s.fsys, versions, path.Base(dir)) {
			continue
		}
		for _, folder := range append([]string{dir}, foldersIn(s.fsys, dir)...) {
			if isBundle[folder] || isBundle[path.Dir(folder)] && folder != dir {
				continue
			}
			if t, ok := firstTemplate(s, folder); ok {
				p := t.unread(updateMode(s, dir))
				if root != "." || slices.ContainsFunc(bundles, inOperator) {
					p.Package = path.Base(dir) // by the convention of these repositories
				}
				found = append(found, p)
				break
			}
		}
	}
	return found
}

// unread returns the problem that a template is not read. What is published of an operator with templateMode is in catalogs/.
func (t *Foreign) unread(mode string) Problem {
	if mode == templateMode {
		return Problem{Kind: SourceTemplate, Pos: t.Pos, Fix: "give the root of the repository, or the catalogs that are made of the template",
			Message: t.What + ", which is not read: what is published is in catalogs/, which has no catalog of this operator here"}
	}
	return Problem{Kind: UnreadTemplate, Pos: t.Pos, Fix: t.Fix, Message: t.What + ", which is not read: the catalog that opm makes of it was not checked"}
}

// firstTemplate returns the first template among the files of a folder.
func firstTemplate(s *source, dir string) (Foreign, bool) {
	entries, _ := fs.ReadDir(s.fsys, dir)
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if e.IsDir() || strings.HasPrefix(e.Name(), ".") || catalogExt(name) == "" {
			continue
		}
		if t, ok := templateIn(&file{source: s, path: name, name: s.display(name)}); ok {
			return t, true
		}
	}
	return Foreign{}, false
}

// templateIn returns the first template in a file.
func templateIn(f *file) (Foreign, bool) {
	text, err := readAll(f)
	if err != nil || !bytes.Contains(text, []byte("olm.template.")) && !bytes.Contains(text, []byte("olm.semver")) {
		return Foreign{}, false
	}
	d := decoderOf(f, text)
	d.stream()
	if i := slices.IndexFunc(d.foreign, func(t Foreign) bool { return t.Template }); i >= 0 {
		return d.foreign[i], true
	}
	return Foreign{}, false
}
