package catalogs

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/template"
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

// layout is what is where in a catalog repository, in its folder operators/, or in that of one operator.
type layout struct {
	*source
	options   Options
	root      *source  // of the repository; nil if it is not known
	at        string   // the path of the source in it
	bundles   []string // the bundle folders
	operators []string // the folders of the operators
	versions  []string // the names in catalogs/ of the repository that are of one catalog each
	unread    []Problem
	templates []operatorTemplate
}

// operatorTemplate is a template in the folder of an operator. Paths are in the source of the layout.
type operatorTemplate struct {
	operator, name string
	schema         Text
	bytes          int
	problems       []Problem // of its structure
}

func layoutOf(ctx context.Context, s *source, bundles []string, o Options) *layout {
	l := &layout{source: s, options: o, bundles: bundles}
	l.root, l.at = s.repository(o)
	if l.root != nil {
		l.versions, l.unread = versionCatalogs(l.root)
	}
	switch dir, _, _ := strings.Cut(l.at, "/"); {
	case dir == "operators" && l.at != dir:
		l.operators = []string{"."}
	case l.at == ".":
		l.operators = foldersIn(s.fsys, "operators")
	default:
		l.operators = foldersIn(s.fsys, ".")
	}
	if l.at != "." {
		l.unread = nil
	}
	l.findTemplates(ctx, o)
	return l
}

// findTemplates finds the templates in the folders of the operators, and in the folders in these.
func (l *layout) findTemplates(ctx context.Context, o Options) {
	isBundle := setOf(l.bundles)
	for _, operator := range l.operators {
		for _, folder := range append([]string{operator}, foldersIn(l.fsys, operator)...) {
			if isBundle[folder] || isBundle[path.Dir(folder)] {
				continue
			}
			entries, _ := fs.ReadDir(l.fsys, folder)
			for _, e := range entries {
				name := path.Join(folder, e.Name())
				if e.IsDir() || strings.HasPrefix(e.Name(), ".") || catalogExt(name) == "" {
					continue
				}
				x, root := readTemplate(ctx, l.source, name, o)
				if root == nil {
					continue
				}
				read, faults := template.Read(root)
				x.fault(faults...)
				t := operatorTemplate{operator: operator, name: name, bytes: len(x.text), schema: x.textOf(template.Text{Value: read.Schema, Place: read.Place})}
				for _, p := range x.decoder.problems {
					if p.Kind == TemplateFault {
						p.Package = l.nameOf(operator)
						t.problems = append(t.problems, p)
					}
				}
				l.templates = append(l.templates, t)
			}
		}
	}
}

// nameOf returns the name of an operator's folder, which is that of its package by the convention of these repositories.
func (l *layout) nameOf(operator string) string { return path.Base(path.Join(l.at, operator)) }

// isPublished reports whether one of the catalogs has an operator.
func (l *layout) isPublished(operator string) bool {
	return l.root != nil && isInCatalog(l.root.fsys, l.versions, l.nameOf(operator))
}

// isCatalog reports whether a template is read as a catalog: it is in the folder of an operator that was asked for, or in none of the catalogs.
func (l *layout) isCatalog(t *operatorTemplate) bool {
	return t.operator == "." || !l.isPublished(t.operator)
}

// unreadOperators returns one problem for each operator of a repository of which nothing is read. One in a catalog of catalogs/ has no
// problem, nor has one with templates.
func (l *layout) unreadOperators() []Problem {
	if l.at != "." {
		return unreadVersions(l.source, ".", l.bundles)
	}
	var found []Problem
	noBundles := unreadVersions(l.source, "operators", l.bundles)
	isRead := map[string]bool{}
	for _, bundle := range l.bundles {
		isRead[bundle], isRead[path.Dir(bundle)] = true, true
	}
	for _, t := range l.templates {
		isRead[t.operator] = true
	}
	entries, _ := fs.ReadDir(l.fsys, "operators")
	for _, e := range entries {
		dir := path.Join("operators", e.Name())
		link := !e.IsDir() && isDir(l.fsys, dir)
		switch {
		case strings.HasPrefix(e.Name(), "."), !e.IsDir() && !link, isRead[dir], l.isPublished(dir):
		case link || hasContent(l.fsys, dir):
			p := Problem{Kind: UnreadFolder, Pos: Pos{File: l.display(dir)}, Package: e.Name(), Message: unreadMessage(dir, link),
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
