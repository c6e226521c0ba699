package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/openshift"
)

// versionRange is the value of --ocp: an OpenShift version, a range of them, all, or nothing.
type versionRange struct{ from, to string } // as 4.16; "all" and ""; or ""

var openShiftVersions = regexp.MustCompile(`^v?([4-9]\.\d{1,2})(?:\.\.v?([4-9]\.\d{1,2}))?$`)

func parseVersions(text string) (versionRange, error) {
	m := openShiftVersions.FindStringSubmatch(text)
	switch {
	case text == "" || text == "all":
		return versionRange{from: text}, nil
	case m == nil:
		return versionRange{}, misusef("--ocp %q: want a version as 4.16, or all, or a range as 4.16..4.18", text)
	case m[2] != "" && catalogs.CompareVersionNames(m[1], m[2]) >= 0:
		return versionRange{}, misusef("--ocp %s: want the older version first", text)
	}
	return versionRange{m[1], cmp.Or(m[2], m[1])}, nil
}

// hasSeveral reports whether more than one version is asked for.
func (r versionRange) hasSeveral() bool { return r.from != r.to }

// isRange reports whether two versions are named.
func (r versionRange) isRange() bool { return r.to != "" && r.hasSeveral() }

// bundleVersion returns the version that bundles of a repository are read for; all for several.
func (r versionRange) bundleVersion() string {
	if r.hasSeveral() {
		return "all"
	}
	return r.from
}

// covers reports whether the versions have one, or there are none to have.
func (r versionRange) covers(version string) bool {
	return r.to == "" || version == "" || catalogs.CompareVersionNames(version, r.from) >= 0 && catalogs.CompareVersionNames(version, r.to) <= 0
}

// selectCatalogs returns those of some catalogs that are for the versions, the oldest first, and those that are for none in particular.
func (r versionRange) selectCatalogs(ref string, cats []*catalogs.Catalog) ([]*catalogs.Catalog, error) {
	known := words.Map(slices.DeleteFunc(slices.Clone(cats), func(c *catalogs.Catalog) bool { return c.OpenShift == "" }),
		func(c *catalogs.Catalog) string { return c.OpenShift })
	if len(known) == 0 || r.to == "" {
		return cats, nil
	}
	for _, end := range []string{r.from, r.to} {
		if !slices.Contains(known, end) {
			err := misuse{unknownName{fmt.Errorf("%s has no catalog for OpenShift %s: it has %s for %s", ref, end, words.Plural(len(known), "the one", "those"), words.And(known))}}
			if beside := filepath.Join(filepath.Dir(ref), "v"+end); disk.IsFolder(beside) && len(known) == 1 {
				return nil, suggestInstead(err, ref, beside)
			}
			return nil, err
		}
	}
	cats = slices.DeleteFunc(slices.Clone(cats), func(c *catalogs.Catalog) bool {
		return c.OtherVersions || !r.covers(c.OpenShift)
	})
	return cats, nil
}

// versionedCatalogs returns the catalogs for several OpenShift versions, the oldest first; false if they are not that. Of two for one version,
// as a repository may have, it is the one with a package; false if both have it. Of those for 4.23 and 5.0, to which clusters are updated from the
// same version, it is the one for 5.0.
func versionedCatalogs(cats []*catalogs.Catalog, pkg string) ([]openshift.Version, bool) {
	var all []openshift.Version
	for _, c := range cats {
		v, ok := openshift.NewVersion(c)
		if !ok {
			continue
		}
		i := slices.IndexFunc(all, func(o openshift.Version) bool { return o.Minor == v.Minor })
		switch {
		case i < 0:
			all = append(all, v)
		case c.Package(pkg) != nil && all[i].Packages[pkg] != nil && c.OpenShift == all[i].Catalog.OpenShift:
			return nil, false
		case c.Package(pkg) != nil && (all[i].Packages[pkg] == nil || c.OpenShift > all[i].Catalog.OpenShift):
			all[i] = v
		}
	}
	slices.SortFunc(all, func(a, b openshift.Version) int { return cmp.Compare(a.Minor, b.Minor) })
	return all, len(all) > 1
}

// severalCatalogs returns the error that an answer is about one catalog, and how to select it.
func (o *opener) severalCatalogs(what, ref string, cats []*catalogs.Catalog, pkg string) error {
	versions, ok := versionedCatalogs(cats, pkg)
	given := map[string]bool{}
	for _, c := range cats {
		given[c.OpenShift] = true
	}
	if !ok || len(given) < len(cats) || given[""] {
		return misusef("%s several catalogs: give one of %s", what, strings.Join(references(ref, cats), ", "))
	}
	names := words.Map(versions, openshift.Version.String)
	oldest, newest := names[0], names[len(names)-1]
	how, flag := "select one with --ocp "+newest, newest
	if o.command.takes.follows {
		flag = oldest + ".." + newest
		how += ", or follow a cluster that is updated with --ocp " + flag
	}
	err := misusef("%s the catalogs for OpenShift %s: %s", what, words.And(names), how)
	if o.versions.isRange() {
		return suggestInstead(err, o.versions.from+".."+o.versions.to, flag)
	}
	return suggestInstead(err, ref, ref, "--ocp", flag)
}
