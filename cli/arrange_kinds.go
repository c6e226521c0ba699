package cli

import (
	"cmp"
	"context"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// meantBy returns the references that a word stands for: of a version of package manifests the package, of ci.yaml its operator, of a manifest the
// bundle, and of a folder of snapshots the one that it has. Any other word is itself.
func (a *arranger) meantBy(word string) []string {
	parent := filepath.Dir(word)
	switch folder := disk.IsFolder(word); {
	case !disk.Exists(word):
		if near, ok := similarFile(word); ok && a.slot("--snapshot") && isSnapshot(near) {
			return []string{near}
		}
	case !folder && lifecycleHead.Match(head(word, headSize)): // it is a part of a catalog
		return nil
	case bundleOf(word) != "":
		return []string{bundleOf(word)}
	case filepath.Base(word) == "ci.yaml", folder && len(glob(parent, "*.package.yaml")) > 0 && len(glob(word, "*.package.yaml")) == 0:
		return []string{parent}
	case folder && a.slot("--snapshot"):
		meant := slices.DeleteFunc(glob(word, "*.yaml"), func(name string) bool {
			return !isDescription(name) && (!isSnapshot(name) || !subscription.Match(head(name, 1<<20)))
		})
		if len(meant) > 1 { // perhaps of several clusters
			meant = []string{filepath.Join(word, "FILE.yaml")}
		}
		if at := filepath.Join(word, "catalogs"); len(meant) > 0 && disk.IsFolder(at) {
			meant = append(meant, at)
		}
		if len(meant) > 0 {
			return meant
		}
	}
	return []string{word}
}

// bundleOf returns the folder of the bundle of which a file or folder is a manifest or their folder; "" if there is none.
func bundleOf(name string) string {
	if !disk.IsFolder(name) {
		name = filepath.Dir(name)
	}
	if bundle := filepath.Dir(name); filepath.Base(name) == "manifests" && disk.IsFolder(filepath.Join(bundle, "metadata")) {
		return bundle
	}
	return ""
}

// isDescription reports whether a file describes a namespace in a few lines.
func isDescription(name string) bool { return descriptionHead.Match(head(name, headSize)) }

// glob returns the files and folders in a folder that match a pattern.
func glob(folder, pattern string) []string {
	found, _ := fs.Glob(disk.Folder(folder), pattern)
	return words.Map(found, func(name string) string { return filepath.Join(folder, name) })
}

var (
	descriptionHead = regexp.MustCompile(`(?m)^subscriptions:`)
	lifecycleHead   = regexp.MustCompile(`"?schema"?: *"?io\.openshift\.operators\.lifecycles`)
)

const somePackage = "PACKAGE"

// solePackage returns the only package of the catalog that was given, if it is a file or folder, or the placeholder of one.
func (a *arranger) solePackage() string {
	ctx, cancel := context.WithTimeout(a.ctx, completeTime)
	defer cancel()
	if names := namesIn(ctx, a.ref, packageArgument, "", ""); len(names) == 1 {
		return names[0]
	}
	return somePackage
}

// source returns the only CatalogSource that Subscriptions of the snapshots have, or the placeholder of one.
func (a *arranger) source() string {
	var names []string
	files := words.Map(a.typed, func(word string) string { _, file := cutName(word); return file })
	if !slices.ContainsFunc(files, isSnapshot) {
		files = []string{"cluster.yaml"}
	}
	for _, file := range files {
		s := &snapshot.Snapshot{}
		if !isSnapshot(file) || (streams{}).readFile(file, s.Read) != nil { // standard input is not read for a message
			continue
		}
		for _, all := range s.Subscriptions {
			names = append(names, words.Map(all, func(o snapshot.Subscription) string { return o.Spec.Source })...)
		}
	}
	if names = find.Distinct(names); len(names) == 1 && names[0] != "" {
		return names[0]
	}
	return "NAME"
}

// toFile returns a command line with a file for its picture or page, which a terminal cannot show: one that does not exist yet, or a folder for the
// pictures of several packages.
func toFile(line []string, isOne bool) []string {
	at := slices.IndexFunc(line, func(w string) bool { return isFlag(w) && takesFormat(strings.TrimLeft(w, "-")) }) + 1
	if at == 0 {
		line, at = slices.Concat(line, []string{"-o", "svg"}), len(line)+1
	}
	if at == len(line) {
		return line
	}
	line, format := slices.Clone(line), line[at]
	if ext := strings.TrimPrefix(path.Ext(format), "."); !isOne && (ext == "svg" || ext == "png") { // one file for all packages
		format = ext
	}
	if !slices.Contains(binaryFormats(), format) {
		return line
	}
	name, end := "upgrades", "."+format
	if !isOne && format != "html" {
		name, end = "pictures", "/"
	}
	line[at] = name + end
	for more := 'b'; disk.Exists(line[at]) && more <= 'z'; more++ {
		line[at] = name + "-" + string(more) + end
	}
	if end == "/" && format != "svg" {
		line[at] = format + "=" + line[at]
	}
	return line
}

// below returns the catalog below the working directory that has the package that was named, of several versions the newest; or else its placeholder.
func (a *arranger) below(placeholder string) string {
	ofBundle, _, _ := strings.Cut(a.first(versionWord), ".v")
	if name := cmp.Or(a.first(nameWord), ofBundle); placeholder == "CATALOG" && name != "" && !a.slot("IMAGESET") {
		if folders := foldersOf(name); len(folders) > 0 && len(find.Distinct(words.Map(folders, withoutNumbers))) == 1 {
			return filepath.Dir(folders[len(folders)-1])
		}
	}
	return placeholder
}

// foldersOf returns the folders of a package in the catalogs below the working directory, the newest last.
func foldersOf(pkg string) (found []string) {
	const deepest, most = 6, 20000
	seen := 0
	fs.WalkDir(disk.Folder("."), ".", func(name string, e fs.DirEntry, err error) error {
		switch seen++; {
		case seen > most:
			return fs.SkipAll
		case err != nil || !e.IsDir() || name == ".":
		case strings.HasPrefix(e.Name(), ".") || strings.Count(name, "/") >= deepest:
			return fs.SkipDir
		case e.Name() == pkg:
			isCatalog := func(file string) bool { return packageHead.Match(head(file, headSize)) }
			if files := slices.Concat(glob(name, "*.yaml"), glob(name, "*.json")); slices.ContainsFunc(files, isCatalog) {
				found = append(found, filepath.FromSlash(name))
			}
			return fs.SkipDir
		}
		return nil
	})
	slices.SortFunc(found, func(a, b string) int {
		return catalogs.CompareVersionNames(path.Dir(filepath.ToSlash(a)), path.Dir(filepath.ToSlash(b)))
	})
	return found
}

// packageHead matches what the first object of a package's file has, which may be an icon, long before its schema.
var packageHead = regexp.MustCompile(`(?m)"?schema"?: *"?olm\.(package|channel|bundle)|^ *"?defaultChannel"?:`)

