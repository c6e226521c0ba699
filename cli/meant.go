package cli

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// likelyPackage returns the only package of some catalogs that has a name, which none of them has, in other letters of case or as a part; and the version
// after it, as in etcd@0.9.4 or etcd/0.9.4, or the bundle, if the name is that of a bundle.
// It reports what it takes the name for, unless that has a version and withVersion is not set.
func (l *logger) likelyPackage(name string, cats []*catalogs.Catalog, withVersion bool) (pkg, version string, ok bool) {
	part := name
	if at := strings.IndexAny(name, "@/"); at > 0 && name[at+1:] != "" {
		part, version = name[:at], name[at+1:]
	} else if before, after, ok := strings.Cut(name, ".v"); ok && len(withBundle(name, cats)) == 0 && isVersion(after) {
		part, version = before, after
	}
	if len(withChannel(name, cats)) == 1 || l.incomplete {
		return "", "", false
	}
	found := withBundle(name, cats)
	if len(found) == 1 {
		version = name
	} else if found = withPart(part, packageNames(cats)); len(found) == 0 {
		found = withPrefix(part, cats)
	}
	if len(found) != 1 {
		return "", "", false
	}
	if version == "" || withVersion {
		l.logf("%s: using package %s%s", name, found[0], words.Prefix(", version ", strings.TrimPrefix(version, name)))
	}
	return found[0], version, true
}

// withBundle returns the names of the packages that have a bundle, each once.
func withBundle(name string, cats []*catalogs.Catalog) []string {
	return namesWith(cats, func(p *catalogs.Package) bool { return p.Bundle(name) != nil })
}

// withPrefix returns the names of the packages that have a bundle whose name is a part and its version, each once.
func withPrefix(part string, cats []*catalogs.Catalog) []string {
	return namesWith(cats, func(p *catalogs.Package) bool {
		return slices.ContainsFunc(p.Bundles, func(b *catalogs.Bundle) bool { return strings.HasPrefix(b.Name.Value, part+".v") })
	})
}

// withChannel returns the names of the packages that have a channel, each once.
func withChannel(channel string, cats []*catalogs.Catalog) []string {
	return namesWith(cats, func(p *catalogs.Package) bool { return p.Channel(channel) != nil })
}

func namesWith(cats []*catalogs.Catalog, has func(*catalogs.Package) bool) (names []string) {
	for _, c := range cats {
		for _, p := range c.Packages {
			if has(p) {
				names = append(names, p.Name.Value)
			}
		}
	}
	return find.Distinct(names)
}

// withPart returns the names that are a part but for the case of letters, else those that contain it.
func withPart(part string, names []string) []string {
	const shortest = 3
	part = strings.ToLower(part)
	var same, all []string
	for _, name := range names {
		switch lower := strings.ToLower(name); {
		case len(part) < shortest || !strings.Contains(lower, part):
		case lower == part:
			same = append(same, name)
		default:
			all = append(all, name)
		}
	}
	if len(same) > 0 {
		return same
	}
	return all
}

// fileLine is a file with the number of a line, as in a finding.
var fileLine = regexp.MustCompile(`^(.+?)((?::\d+){1,2}):?$`)

// repositoryURL is the address of a repository or of a file in it.
var repositoryURL = regexp.MustCompile(`^(?:https?://)?(?:www\.)?(?:github\.com|gitlab\.com)/[^/]+/[^/#?]+`)

// untaggedImage is the name of an image in a registry without a tag.
var untaggedImage = regexp.MustCompile(`^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?/[a-z0-9._/-]+$`)

// foreignReference adds to the error of a reference that is no file what it is instead: a file with the number of a line, the address of a repository, or
// an image without a tag. It returns nil if it is none of them.
func foreignReference(ref string, err error) error {
	if m := fileLine.FindStringSubmatch(ref); m != nil {
		if disk.Exists(m[1]) {
			return suggestInstead(fmt.Errorf("%w; did you mean %s?", err, m[1]), ref, m[1])
		}
	}
	if repositoryURL.MatchString(ref) {
		return fmt.Errorf("%s: olmgraph reads no repository from the network: clone it, and give its folder or git:REVISION:PATH", ref)
	}
	if untaggedImage.MatchString(ref) && !disk.IsFolder(filepath.Dir(ref)) {
		return suggestInstead(fmt.Errorf("%w; an image has a tag or a digest", err), ref, "docker://"+ref+":TAG")
	}
	return nil
}

// otherVersions returns the files beside one that does not exist, if their names have numbers in the same places, as v4.18 beside v4.99.
func otherVersions(name string) string {
	entries, err := disk.Folder(filepath.Dir(name)).ReadDir(".")
	if err != nil {
		return ""
	}
	form := withoutNumbers(filepath.Base(name))
	var names []string
	for _, e := range entries {
		if withoutNumbers(e.Name()) != e.Name() && withoutNumbers(e.Name()) == form {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, catalogs.CompareVersionNames)
	if len(names) == 0 {
		return ""
	}
	return "; there are " + words.JoinSome(names, 20)
}

var number = regexp.MustCompile(`\d+`)

// withoutNumbers returns a name with one letter instead of each number, so that those of versions are the same.
func withoutNumbers(name string) string { return number.ReplaceAllString(name, "N") }

// isHead reports whether a word asks for the head of a channel.
func isHead(word string) bool { return slices.Contains([]string{"head", "latest", "newest"}, word) }
