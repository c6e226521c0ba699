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

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/snapshot"
	"github.com/olmgraph/olmgraph/render"
)

// argument is a word that is no flag.
type argument struct {
	text string
	kind wordKind
}

// wordKind is what a word is, wherever it stands.
type wordKind int

const (
	nameWord wordKind = iota
	versionWord
	listWord // what list lists
	catalogWord
	snapshotWord
	imageSetWord
	patchWord
	stdinWord
)

// releasedBundle returns the package and the version of a folder that is a bundle, where a release is asked for.
func (a *arranger) releasedBundle(folder string) (pkg, version string, ok bool) {
	if !a.slot("VERSION") || a.slot("--to") || !disk.IsFolder(filepath.Join(folder, "manifests")) {
		return "", "", false
	}
	cats, err := open.Open(a.ctx, folder, open.Options{})
	if err != nil || len(cats) != 1 || onlyBundle(cats[0]) == nil {
		return "", "", false
	}
	b := onlyBundle(cats[0])
	return b.Package.Value, b.Version.Value, true
}

// kind returns what a word is.
func (a *arranger) kind(word string) wordKind {
	_, ref := cutName(word)
	switch {
	case word == "-":
		return stdinWord
	case isListKind(word) && a.slot("packages|channels|bundles"):
		return listWord
	case isImageSet(ref):
		return imageSetWord
	case isPatch(ref):
		return patchWord
	case isSnapshot(ref), ref == word && a.mayBeSnapshot(ref):
		return snapshotWord
	case isVersion(word) && !disk.Exists(word) && !strings.ContainsAny(word, `/\`):
		return versionWord
	case isReference(ref):
		return catalogWord
	}
	return nameWord
}

// mayBeSnapshot reports whether a file may be a snapshot of a command that needs one, in a form of our own, or one that does not exist.
func (a *arranger) mayBeSnapshot(name string) bool {
	if !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)) || disk.IsFolder(name) {
		return false
	}
	return a.slot("--snapshot") && !olmSchema.Match(head(name, headSize)) || !disk.Exists(name) && flagNamed(a.cli.Flags, "snapshot") != nil && !a.slot("IMAGESET")
}

// isVersion reports whether a word is a version, the name of a bundle with one, or what path takes instead.
func isVersion(word string) bool {
	_, err := semver.ParseTolerant(word)
	_, _, named := graph.SplitName(word)
	return err == nil || named && bundleName.MatchString(word) || word == "all" || isHead(word)
}

// bundleName matches a name with a version as bundles have it, and not as channels do: tide.v1.2.0, and not stable-v1.2.
var bundleName = regexp.MustCompile(`(@|[^0-9.]\.|\.v)\d`)

// listKind returns what list lists for a word.
func listKind(word string) (string, bool) {
	for _, kind := range render.ListKinds() {
		if word == kind || word+"s" == kind {
			return kind, true
		}
	}
	return render.ListKinds()[0], slices.Contains([]string{"operators", "operator", "packagemanifests", "packagemanifest"}, word)
}

const headSize = 4 << 10 // bytes in which a file says what it has

var (
	imageSetHead = regexp.MustCompile(`(?m)^[ {]*"?kind"?: *"?ImageSetConfiguration`)
	subscription = regexp.MustCompile(`"?kind"?: *"?Subscription\b`)
	patchHead    = regexp.MustCompile(`(?m)^(diff --git |--- \S+.*\n\+\+\+ )`)
	catalogHead  = regexp.MustCompile(`"?kind"?: *"?(PackageManifest|ConfigMap)\b`)
	objectHead   = regexp.MustCompile(`(?m)^([ {]*"(apiVersion|kind)": *"[A-Za-z]|(- )?(apiVersion|kind): *"?[A-Za-z]|subscriptions:)`)
)

// head returns the first bytes of a file; nil if it cannot be read.
func head(name string, size int) []byte {
	text, err := disk.Head(disk.Folder(filepath.Dir(name)), filepath.Base(name), size)
	if err != nil {
		return nil
	}
	return text
}

// isSnapshot reports whether a file has objects of Kubernetes, and none of a catalog.
func isSnapshot(name string) bool {
	if !slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)) || !disk.Exists(name) || disk.IsFolder(name) {
		return false
	}
	text := head(name, headSize)
	return objectHead.Match(text) && !olmSchema.Match(text) && !imageSetHead.Match(text) && !catalogHead.Match(text) && bundleOf(name) == ""
}

func isImageSet(name string) bool {
	return disk.IsFile(name) && imageSetHead.Match(head(name, headSize))
}

// onlyImageSet returns the image set in a folder; false if there are none or several.
func onlyImageSet(folder string) (string, bool) {
	sets := filesIn(folder, isImageSet)
	return asPath(strings.Join(sets, "")), len(sets) == 1
}

// filesIn returns the files of YAML or JSON in a folder that are of a kind.
func filesIn(folder string, is func(name string) bool) []string {
	all := slices.Concat(glob(folder, "*.yaml"), glob(folder, "*.yml"), glob(folder, "*.json"))
	return slices.DeleteFunc(all, func(name string) bool { return !is(name) })
}

func isPatch(name string) bool { return disk.IsFile(name) && patchHead.Match(head(name, headSize)) }

func isPictureFile(word string) bool {
	return slices.Contains(binaryFormats(), strings.TrimPrefix(path.Ext(word), "."))
}

// isNewPicture reports whether a word is a picture that the command can write.
func (a *arranger) isNewPicture(word string) bool {
	return isPictureFile(word) && slices.Contains(commandFormats(a.cli), path.Ext(word)[1:]) && !disk.Exists(word)
}

// fillers are words between others, which have no place in a command line.
func fillers() []string {
	return append(render.ListKinds(), "package", "channel", "from", "to", "is", "of", "in", "the", "for", "stuck", "should", "I", "do", "does", "use", "have", "what", "a", "my", "replaces", "replace", "who", "since", "broke", "broken", "wrong")
}

// ocMirrorOutput matches where oc-mirror writes to: an archive, or a registry, without the tag or digest that an image has.
var ocMirrorOutput = regexp.MustCompile(`^(file://.*|docker://[^/@]+(/[^:@]*)?)$`)

// meantBy returns the references that a word stands for: of a version of package manifests the package, of ci.yaml its operator, of a manifest the
// bundle, and of a folder of snapshots the one that it has. Any other word is itself.
func (a *arranger) meantBy(word string) []string {
	parent := filepath.Dir(word)
	if _, isVersion := catalogVersion(word); isVersion && a.slot("BASE") && !disk.Exists(word) {
		if near, ok := similarFile(word); ok {
			return []string{near}
		}
	}
	if base := filepath.Base(word); parent != "." && a.slot("VERSION") && disk.IsFolder(parent) && !disk.Exists(word) && isVersion(base) { // a folder that is to be made
		return []string{parent, base}
	}
	switch folder := disk.IsFolder(word); {
	case !folder && (lifecycleHead.Match(head(word, headSize)) || filepath.Base(word) == "config.yaml" && ofPipeline.Match(head(word, headSize))): // it is a part of a catalog, or of a repository
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
	name = filepath.Clean(name)
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

// solePackage returns the only package of the catalog that was given, or that of all Subscriptions of the snapshots that were typed, or the placeholder of
// one.
func (a *arranger) solePackage() string {
	name := a.onlyPackage()
	if name == "" && slices.ContainsFunc(a.typed, func(w string) bool { _, file := cutName(w); return isSnapshot(file) }) {
		name = a.ofSubscriptions(func(s snapshot.Subscription) string { return s.Spec.Package })
	}
	return cmp.Or(name, somePackage)
}

// onlyPackage returns the only package of the catalog that was given, if it is a file or folder; "" if there are several.
func (a *arranger) onlyPackage() string {
	ctx, cancel := context.WithTimeout(a.ctx, completeTime)
	defer cancel()
	if names := namesIn(ctx, a.ref, packageArgument, "", ""); len(names) == 1 {
		return names[0]
	}
	return ""
}

// snapshots returns those that were typed, or else cluster.yaml, as far as they can be read.
func (a *arranger) snapshots() (all []*snapshot.Snapshot) {
	files := words.Map(a.typed, func(word string) string { _, file := cutName(word); return file })
	if !slices.ContainsFunc(files, isSnapshot) {
		files = []string{"cluster.yaml"}
	}
	for _, file := range files {
		s := &snapshot.Snapshot{}
		if isSnapshot(file) && (streams{}).readFile(file, s.Read) == nil { // standard input is not read for a message
			all = append(all, s)
		}
	}
	return all
}

// source returns the only CatalogSource that Subscriptions of the snapshots have, or the placeholder of one.
func (a *arranger) source() string {
	return cmp.Or(a.ofSubscriptions(func(s snapshot.Subscription) string { return s.Spec.Source }), "NAME")
}

// ofSubscriptions returns what all Subscriptions of the snapshots have; "" if they differ, or there are none.
func (a *arranger) ofSubscriptions(get func(snapshot.Subscription) string) string {
	var all []string
	for _, s := range a.snapshots() {
		for _, subs := range s.Subscriptions {
			all = append(all, words.Map(subs, get)...)
		}
	}
	if all = find.Distinct(all); len(all) == 1 {
		return all[0]
	}
	return ""
}
