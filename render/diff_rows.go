package render

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// diffRow is one fact for a reader: a difference in several catalogs, channels and packages, and what follows from it.
type diffRow struct {
	graph.Difference                    // Package and Channel are the first of packages and channels
	packages         []string           // sorted
	channels         []string           // sorted; none where it is about the package
	catalogs         []int              // indices of the pairs, in the order of Differences.catalogOrder
	of               []graph.Difference // that it tells, the first of which it is made, each of several catalogs once
	follows          int                // number of those that follow from another one and are not said
	summary          bool               // Names are those of several differences

	lower   bool     // of HeadChanged: its version is lower than that of the former head
	newHead bool     // of HeadChanged: the head is a new entry
	older   []string // of HeadChanged: the other new entries
	direct  []string // of HeadChanged: what OLM v0 upgrades to it, and upgraded to the former head

	removed bool     // of Stranded: the channel no longer has them
	head    *diffRow // of Stranded: the change of the head that is one of them; or nil

	lost, gained []string // of ReplacesChanged and SkipsChanged: names that no other row tells
}

// foldAfter is the number of differences of one kind in a channel that are told one by one.
const foldAfter = 3

// rows returns the rows by package, those with the worst effect first, and the packages by their worst row.
func (d Differences) rows() [][]*diffRow {
	all := groupRows(d.mergeCatalogs())
	slices.SortFunc(all, func(a, b []*diffRow) int { return cmp.Compare(a[0].Package, b[0].Package) })
	for i, rows := range all {
		if d.Details {
			rows = mergeRows(rows)
		} else {
			rows = foldRows(mergeRows(foldFollowing(rows)))
		}
		all[i] = sortedRows(rows)
	}
	slices.SortStableFunc(all, func(a, b []*diffRow) int { return cmp.Compare(a[0].rank(), b[0].rank()) })
	return all
}

// mergePackages merges packages of which the same is said.
func mergePackages(all [][]*diffRow, said func(*diffRow) text.Sentence) [][]*diffRow {
	var merged [][]*diffRow
	known := map[string][]*diffRow{}
	for _, rows := range all {
		var key strings.Builder
		for _, r := range rows {
			fmt.Fprintf(&key, "%d %d %q\n", r.Kind, r.catalogs, said(r).String())
		}
		same, met := known[key.String()]
		for i, r := range rows {
			if met {
				same[i].packages = append(same[i].packages, r.packages...)
				same[i].add(r)
			} else {
				first := *r
				same = append(same, &first)
			}
		}
		if known[key.String()] = same; !met {
			merged = append(merged, same)
		}
	}
	return merged
}

// isPackage reports whether the row is about packages as a whole.
func (r *diffRow) isPackage() bool {
	return r.Kind == graph.PackageRemoved || r.Kind == graph.PackageAdded
}

// rank orders rows by their effect on users: who is stranded, upgrades that fail, heads that go back, and then the other kinds.
func (r *diffRow) rank() int {
	switch fails := int(graph.UpgradeFails); {
	case r.Kind < graph.UpgradeFails:
		return int(r.Kind)
	case len(r.Strands) > 0:
		return fails
	case r.Kind == graph.UpgradeFails:
		return fails + 1
	case r.lower:
		return fails + 2
	}
	return int(r.Kind) + 2
}

// strands reports whether the row takes the upgrade path from users, with a channel until they choose another.
func (r *diffRow) strands() bool {
	return r.Kind == graph.PackageRemoved || r.Kind == graph.ChannelRemoved && len(r.Names) > 0 || r.rank() <= int(graph.UpgradeFails) && (len(r.Names) > 0 || len(r.Strands) > 0)
}

// stranded returns the entries whose users the row strands.
func (r *diffRow) stranded() []string {
	if r.Kind <= graph.Stranded {
		return r.Names
	}
	return r.Strands
}

// sortedRows sorts rows, those with the worst effect first.
func sortedRows(rows []*diffRow) []*diffRow {
	slices.SortStableFunc(rows, func(a, b *diffRow) int { return cmp.Compare(a.rank(), b.rank()) })
	return rows
}

// groupRows groups rows by package, in the order of the first row of each.
func groupRows(rows []*diffRow) [][]*diffRow {
	var all [][]*diffRow
	at := map[string]int{}
	for _, r := range rows {
		key := strings.Join(r.packages, "\x00")
		i, known := at[key]
		if !known {
			i = len(all)
			all, at[key] = append(all, nil), i
		}
		all[i] = append(all[i], r)
	}
	return all
}

// commonCatalogs returns the catalogs of rows, or nil if they are not the same.
func commonCatalogs(rows []*diffRow) []int {
	for _, r := range rows {
		if !slices.Equal(r.catalogs, rows[0].catalogs) {
			return nil
		}
	}
	return rows[0].catalogs
}

// catalogOrder returns the indices of the pairs, those of OpenShift versions in the order of versions.
func (d Differences) catalogOrder() []int {
	order := make([]int, len(d.Pairs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		v, err := semver.ParseTolerant(d.Pairs[i].Now.OpenShift)
		w, errToo := semver.ParseTolerant(d.Pairs[j].Now.OpenShift)
		if err != nil || errToo != nil {
			return cmp.Compare(d.Pairs[i].Now.Name, d.Pairs[j].Now.Name)
		}
		return cmp.Or(cmp.Compare(d.folder(i), d.folder(j)), v.Compare(w))
	})
	return order
}

// folder returns the folder of the catalog of a pair.
func (d Differences) folder(pair int) string { return path.Dir(d.Pairs[pair].Now.Name) }

// mergeCatalogs returns a row for each difference, with the catalogs that have it.
func (d Differences) mergeCatalogs() []*diffRow {
	var all []*diffRow
	known := map[string]*diffRow{}
	for _, i := range d.catalogOrder() {
		for _, one := range d.ByPair[i] {
			key := rowKey(one)
			if known[key] == nil {
				known[key] = &diffRow{Difference: one, packages: []string{one.Package}, of: []graph.Difference{one},
					lower: one.Kind == graph.HeadChanged && d.isLower(i, one)}
				if one.Channel != "" {
					known[key].channels = []string{one.Channel}
				}
				if known[key].isEdge() {
					known[key].lost, known[key].gained = namesIn(one.Was), namesIn(one.Is)
				}
				all = append(all, known[key])
			}
			if r := known[key]; !slices.Contains(r.catalogs, i) {
				r.catalogs = append(r.catalogs, i)
			}
		}
	}
	return all
}

// isLower reports whether the new head of a channel has a lower version than the former one.
func (d Differences) isLower(pair int, head graph.Difference) bool {
	was, now := d.Pairs[pair].Base.Package(head.Package).Bundle(head.Was), d.Pairs[pair].Now.Package(head.Package).Bundle(head.Is)
	if was == nil || now == nil {
		return false
	}
	v, err := semver.Parse(now.Version.Value)
	w, errToo := semver.Parse(was.Version.Value)
	return err == nil && errToo == nil && v.LT(w)
}

func rowKey(d graph.Difference) string {
	if d.Kind == graph.PackageRemoved || d.Kind == graph.PackageAdded {
		d.Was, d.Is = "", "" // the default channel
	}
	return strings.Join(append([]string{d.Kind.String(), d.Package, d.Channel, d.Was, d.Is, strings.Join(d.Strands, "\x01")}, d.Names...), "\x00")
}

// mergeRows merges the rows that differ only in their channels.
func mergeRows(rows []*diffRow) []*diffRow {
	var all []*diffRow
	met, merged := map[string]*diffRow{}, map[*diffRow]bool{}
	for _, r := range rows {
		id := fmt.Sprint(r.Kind, r.catalogs)
		if !r.isChannel() {
			id += diffWords{all: true}.predicate(r).String()
		}
		first := met[id]
		switch {
		case r.Channel == "" && !r.isChannel():
			all = append(all, r)
		case first == nil:
			met[id], r.channels, r.Names = r, slices.Clip(r.channels), slices.Clip(r.Names)
			all = append(all, r)
		default:
			first.channels, first.Names, merged[first] = append(first.channels, r.channels...), append(first.Names, r.Names...), true
			first.add(r)
		}
	}
	for r := range merged {
		r.channels, r.Names = find.Distinct(r.channels), find.Distinct(r.Names)
	}
	return all
}

// foldRows makes one row of all of a kind in the same catalogs and channels if they are more than foldAfter.
func foldRows(rows []*diffRow) []*diffRow {
	var all []*diffRow
	same := map[string][]*diffRow{}
	for _, r := range rows {
		same[r.foldsAs()] = append(same[r.foldsAs()], r)
	}
	for _, r := range rows {
		if alike := same[r.foldsAs()]; len(alike) <= foldAfter || r.foldsAs() == "" {
			all = append(all, r)
		} else if alike[0] == r {
			all = append(all, summarize(alike))
		}
	}
	return all
}

// foldsAs is the same of rows that are folded; "" of one that is not.
func (r *diffRow) foldsAs() string {
	if r.head != nil || len(r.Strands) > 0 {
		return ""
	}
	return fmt.Sprintf("%d %d %q", r.Kind, r.catalogs, r.channels)
}

// isChannel reports whether the row is about channels as a whole.
func (r *diffRow) isChannel() bool {
	return r.Kind == graph.ChannelRemoved || r.Kind == graph.ChannelAdded
}

// summarize returns the row that tells several ones.
func summarize(rows []*diffRow) *diffRow {
	all := &diffRow{Difference: rows[0].Difference, packages: rows[0].packages, channels: rows[0].channels, catalogs: rows[0].catalogs, summary: true, lower: rows[0].lower}
	all.Names = nil
	for _, r := range rows {
		all.add(r)
		all.Names = append(all.Names, r.Names...)
	}
	all.Names = find.Distinct(all.Names)
	return all
}

// add adds the differences that another row tells.
func (r *diffRow) add(o *diffRow) { r.of, r.follows = append(r.of, o.of...), r.follows+o.follows }

func appendNew(names, more []string) []string { return find.Distinct(slices.Concat(names, more)) }

// catalogsText names catalogs, those of consecutive OpenShift versions as a range; "" if there is only one catalog in all.
func (d Differences) catalogsText(in []int) string {
	if len(d.Pairs) == 1 || len(in) == 0 {
		return ""
	}
	var parts []string
	order := d.catalogOrder()
	for first, end := 0, 0; first < len(order); first = max(end, first+1) {
		for end = first; end < len(order) && slices.Contains(in, order[end]) && d.folder(order[end]) == d.folder(order[first]); {
			end++
		}
		parts = append(parts, d.rangeText(order[first:end])...)
	}
	return words.And(parts)
}

// versionsText names catalogs as catalogsText does, but their OpenShift versions if each has the name of its version.
func (d Differences) versionsText(in []int) string {
	said := d.catalogsText(in)
	if said == "" || slices.ContainsFunc(d.Pairs, func(p compare.Pair) bool { return p.Now.Name != "v"+p.Now.OpenShift }) {
		return said
	}
	return "OpenShift " + strings.ReplaceAll(said, "v", "")
}

// CatalogsWith names those of several catalogs that have a finding.
func (d Differences) CatalogsWith(f *lint.Finding) string {
	var in []int
	for i, pair := range d.Pairs {
		if pair.Now.Name == f.Catalog || slices.ContainsFunc(f.Also, func(o lint.Occurrence) bool { return o.Catalog == pair.Now.Name }) {
			in = append(in, i)
		}
	}
	return d.versionsText(in)
}

// rangeText names consecutive catalogs.
func (d Differences) rangeText(run []int) []string {
	var names []string
	versions := true
	for _, i := range run {
		names = append(names, d.Pairs[i].Now.Name)
		versions = versions && d.Pairs[i].Now.OpenShift != ""
	}
	if n := len(names); n > 2 && versions {
		return []string{names[0] + " to " + names[n-1]}
	}
	return names
}
