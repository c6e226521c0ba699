package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph"
)

// diffRow is one sentence for a reader: a difference in several catalogs and channels, or several differences of one kind.
type diffRow struct {
	graph.Difference          // Channel is the first of channels
	channels         []string // sorted; none where it is about the package
	catalogs         []int    // indices of the pairs, in the order of Differences.catalogOrder
	count            int      // of differences, each of several catalogs counted once
	summary          bool     // Names are those of several differences; Was and Is are empty
	newHead          bool     // of HeadChanged: the head is a new entry
	lower            bool     // of HeadChanged: its version is lower than that of the former head
}

// foldAfter is the number of differences of one kind in a channel that are told one by one.
const foldAfter = 3

// rows returns the rows by package, those with the worst effect first, and the packages by their worst row.
func (d Differences) rows() [][]*diffRow {
	all := groupRows(d.mergeCatalogs())
	slices.SortFunc(all, func(a, b []*diffRow) int { return cmp.Compare(a[0].Package, b[0].Package) })
	for i, rows := range all {
		if rows = mergeChannels(withoutImplied(rows)); !d.Details {
			rows = foldRows(rows)
		}
		all[i] = sortedRows(rows)
	}
	all = mergePackages(all)
	slices.SortStableFunc(all, func(a, b []*diffRow) int { return cmp.Compare(a[0].Kind, b[0].Kind) })
	return all
}

// mergePackages makes one row of the packages that are removed from the same catalogs, and of those that are added: Names are the
// packages, and Package is "".
func mergePackages(all [][]*diffRow) [][]*diffRow {
	var merged [][]*diffRow
	for _, rows := range all {
		r := rows[0]
		if len(rows) > 1 || r.Kind != graph.PackageRemoved && r.Kind != graph.PackageAdded {
			merged = append(merged, rows)
			continue
		}
		i := slices.IndexFunc(merged, func(o []*diffRow) bool {
			return o[0].isPackages() && o[0].Kind == r.Kind && slices.Equal(o[0].catalogs, r.catalogs)
		})
		if i < 0 {
			i = len(merged)
			merged = append(merged, []*diffRow{{Difference: graph.Difference{Kind: r.Kind}, catalogs: r.catalogs}})
		}
		merged[i][0].Names = append(merged[i][0].Names, r.Package)
		merged[i][0].count += r.count
	}
	return merged
}

// isPackages reports whether the row is about packages that are removed or added, which are its Names.
func (r *diffRow) isPackages() bool {
	return (r.Kind == graph.PackageRemoved || r.Kind == graph.PackageAdded) && len(r.Names) > 0
}

// sortedRows sorts rows, those with the worst effect first.
func sortedRows(rows []*diffRow) []*diffRow {
	slices.SortStableFunc(rows, func(a, b *diffRow) int { return cmp.Compare(a.Kind, b.Kind) })
	return rows
}

// groupRows groups rows by package, in the order of the first row of each. A row of several packages is a group.
func groupRows(rows []*diffRow) [][]*diffRow {
	var all [][]*diffRow
	at := map[string]int{}
	for _, r := range rows {
		i, known := at[r.Package]
		if !known || r.isPackages() {
			i = len(all)
			all, at[r.Package] = append(all, nil), i
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
		return v.Compare(w)
	})
	return order
}

// mergeCatalogs returns a row for each difference, with the catalogs that have it.
func (d Differences) mergeCatalogs() []*diffRow {
	var all []*diffRow
	known := map[string]*diffRow{}
	for _, i := range d.catalogOrder() {
		for _, one := range d.ByPair[i] {
			key := rowKey(one)
			if known[key] == nil {
				known[key] = &diffRow{Difference: one, count: 1, lower: one.Kind == graph.HeadChanged && d.isLower(i, one)}
				if one.Channel != "" {
					known[key].channels = []string{one.Channel}
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
	return strings.Join(append([]string{d.Kind.String(), d.Package, d.Channel, d.Was, d.Is}, d.Names...), "\x00")
}

// withoutImplied drops the rows that the row of a new head tells: that the head is new, and that the former head is upgraded to it.
func withoutImplied(rows []*diffRow) []*diffRow {
	var heads, all []*diffRow
	for _, r := range rows {
		if r.Kind == graph.HeadChanged {
			heads = append(heads, r)
		}
	}
	for _, r := range rows {
		if !slices.ContainsFunc(heads, func(head *diffRow) bool { return head.tells(r) }) {
			all = append(all, r)
		}
	}
	return all
}

// tells reports whether the row of a new head tells another row, which it then counts.
func (r *diffRow) tells(other *diffRow) bool {
	if other.Channel != r.Channel || !slices.Equal(other.catalogs, r.catalogs) || len(other.Names) != 1 {
		return false
	}
	added := other.Kind == graph.EntryAdded && other.Names[0] == r.Is
	next := other.Kind == graph.NextChanged && other.Names[0] == r.Was && other.Was == "" && other.Is == r.Is
	if added || next {
		r.count += other.count
		r.newHead = r.newHead || added
	}
	return added || next
}

// mergeChannels merges the rows that differ only in their channels.
func mergeChannels(rows []*diffRow) []*diffRow {
	var all []*diffRow
	for _, r := range rows {
		i := slices.IndexFunc(all, func(o *diffRow) bool {
			return r.Kind == o.Kind && !r.isChannel() && r.Channel != "" && o.Channel != "" && r.Was == o.Was && r.Is == o.Is &&
				r.newHead == o.newHead && r.lower == o.lower && slices.Equal(r.Names, o.Names) && slices.Equal(r.catalogs, o.catalogs)
		})
		if i < 0 {
			all = append(all, r)
			continue
		}
		all[i].channels = append(all[i].channels, r.channels...)
		all[i].count += r.count
	}
	return all
}

// foldRows makes one row of all of a kind in the same catalogs if they are more than foldAfter: of those in the same channels, or of
// channels that are new or removed.
func foldRows(rows []*diffRow) []*diffRow {
	var all []*diffRow
	for _, r := range rows {
		n := 0
		for _, o := range rows {
			if r.folds(o) {
				n++
			}
		}
		i := slices.IndexFunc(all, func(o *diffRow) bool { return o.summary && r.folds(o) })
		switch {
		case n <= foldAfter:
			all = append(all, r)
		case i < 0:
			all = append(all, r.folded())
		default:
			all[i].add(r)
		}
	}
	return all
}

func (r *diffRow) folds(o *diffRow) bool {
	return r.Kind == o.Kind && slices.Equal(r.catalogs, o.catalogs) && (r.isChannel() || slices.Equal(r.channels, o.channels))
}

// isChannel reports whether the row is about channels as a whole.
func (r *diffRow) isChannel() bool {
	return r.Kind == graph.ChannelRemoved || r.Kind == graph.ChannelAdded
}

// folded returns the summary of a row, to which others are added.
func (r *diffRow) folded() *diffRow {
	all := *r
	all.summary, all.Names, all.channels = true, slices.Clone(r.Names), slices.Clone(r.channels)
	if all.Is = ""; all.Kind != graph.Stranded {
		all.Was = ""
	}
	return &all
}

func (r *diffRow) add(o *diffRow) {
	r.count += o.count
	r.Names = appendNew(r.Names, o.Names)
	r.channels = appendNew(r.channels, o.channels)
}

func appendNew(names, more []string) []string {
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// catalogsText names catalogs, those of consecutive OpenShift versions as a range; "" if there is only one catalog in all.
func (d Differences) catalogsText(in []int) string {
	if len(d.Pairs) == 1 {
		return ""
	}
	var parts []string
	order := d.catalogOrder()
	for i := 0; i < len(order); i++ {
		first := i
		for i < len(order) && slices.Contains(in, order[i]) {
			i++
		}
		parts = append(parts, d.rangeText(order[first:i])...)
	}
	return phrase.And(parts)
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
