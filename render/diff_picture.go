package render

import (
	"cmp"
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/render/diagram"
)

// diffPicture is a diagram of the worst change of upgrades.
type diffPicture struct {
	diagram.Focused
	pkg     string
	catalog int // the index of its pair
}

// picture draws the first package whose upgrades changed, in the last catalog with its worst difference; nil if there is none.
func (d Differences) picture(all [][]*diffRow) *diffPicture {
	for _, rows := range all {
		pkg, i := rows[0].Package, rows[0].catalogs[len(rows[0].catalogs)-1]
		was, now := d.Pairs[i].Base.Package(pkg), d.Pairs[i].Now.Package(pkg)
		if was == nil || now == nil {
			continue
		}
		stranded := map[string][]string{}
		for _, one := range d.ByPair[i] {
			if one.Package == pkg && (one.Kind == graph.Stranded || one.Kind == graph.NoOrder) {
				stranded[one.Channel] = append(stranded[one.Channel], one.Names...)
			}
		}
		o := diagram.UpgradeOptions{Mode: diagram.Auto}
		changes := diagram.Diff(diagram.Upgrades(graph.NewPackageGraph(was), o), diagram.Upgrades(graph.NewPackageGraph(now), o))
		if focused, ok := diagram.Focus(changes, stranded); ok {
			return &diffPicture{focused, pkg, i}
		}
	}
	return nil
}

// ChangeDiagram returns the diagram of the changes of a package, which at least one catalog of the pair has. The title counts them. The
// notes name who is stranded, the base and, of changes that no node shows, the default channel and the OpenShift limits of heads.
func ChangeDiagram(pair compare.Pair, pkg, baseName string, o diagram.UpgradeOptions) (*diagram.Diagram, error) {
	base, now := pair.Base.Package(pkg), pair.Now.Package(pkg)
	differences, err := judge.Diff(base, now)
	if err != nil {
		return nil, err
	}
	was, is := graph.NewPackageGraph(orEmpty(base, now)), graph.NewPackageGraph(orEmpty(now, base))
	old := o
	old.Findings, old.Failing, o.Failing = nil, nil, onlyNewlyFailing(differences, o.Failing)
	old.Root, o.Root = pair.Base.Pos().File, pair.Now.Pos().File
	drawn := diagram.Diff(diagram.Upgrades(was, old), diagram.Upgrades(is, o))
	d := Differences{Pairs: []compare.Pair{pair}, ByPair: [][]graph.Difference{differences}}
	drawn.Title += ": " + countRows(d.rows()).headline()
	notes := append(d.strandedNotes(pkg), "compared with "+baseName)
	for _, one := range differences {
		if one.Kind == graph.DefaultChannel {
			notes = append(notes, fmt.Sprintf("the default channel is %s, was %s", one.Is, one.Was))
		}
		if len(one.Strands) > 0 || one.Kind == graph.UpgradeFails {
			drawn.KeepChannel(one.Channel)
		}
	}
	for _, g := range is.Graphs {
		h := was.Graph(g.Channel.Name.Value)
		if h == nil {
			continue
		}
		if o.OLM == graph.V0 {
			diagram.MarkChange(drawn, &graph.Change{Base: h, Now: g})
		}
		note, err := limitChange(h, g)
		if err != nil {
			return nil, err
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	drawn.Notes = append(notes, drawn.Notes...)
	if !o.Unfold {
		drawn.LeaveOutUnchanged()
	}
	return drawn, nil
}

// onlyNewlyFailing returns those of the upgrades that fail which are a difference.
func onlyNewlyFailing(differences []graph.Difference, failing map[[2]string][]judge.Reason) map[[2]string][]judge.Reason {
	newly := map[[2]string][]judge.Reason{}
	for _, one := range differences {
		for _, name := range one.Names {
			if step := [2]string{name, one.Is}; one.Kind == graph.UpgradeFails {
				newly[step] = failing[step]
			}
		}
	}
	return newly
}

// strandedNotes name the versions that are stranded in a package, those that are no entries with what no longer upgrades them, which no node shows.
func (d Differences) strandedNotes(pkg string) (notes []string) {
	list := func(names []string) string {
		return d.words().list(&diffRow{Difference: graph.Difference{Package: pkg}}, names).String()
	}
	var entries []string
	for _, one := range d.ByPair[0] {
		if one.Kind == graph.Stranded || one.Kind == graph.NoOrder {
			entries = appendNew(entries, one.Names)
		}
	}
	if len(entries) > 0 {
		notes = append(notes, "stranded: users on "+list(entries))
	}
	const most = 3
	left := 0
	for _, one := range d.ByPair[0] {
		switch {
		case len(one.Strands) == 0:
		case len(notes) > most:
			left++
		default:
			notes = append(notes, fmt.Sprintf("stranded: users on %s, which %s of channel %s no longer upgrades", list(one.Strands), list(one.Names), one.Channel))
		}
	}
	if left > 0 {
		notes = append(notes, words.CountPlural(left, "more change strands", "more changes strand")+" users on versions that the channel did not have")
	}
	return notes
}

// orEmpty returns a package or, if it is nil, one of the name of the other without channels.
func orEmpty(p, other *catalogs.Package) *catalogs.Package {
	if p == nil {
		return &catalogs.Package{Name: other.Name}
	}
	return p
}

// limitChange says which version of OpenShift the head of a channel allows now, if that changed; or else "".
func limitChange(was, is *graph.Graph) (string, error) {
	before, err := openShiftLimit(was)
	if err != nil {
		return "", err
	}
	now, err := openShiftLimit(is)
	if _, ordered := is.Head(); err != nil || before == now || !ordered {
		return "", err
	}
	head, _ := headAndVersion(is)
	if now == "" {
		return fmt.Sprintf("channel %s: %s does not block upgrades of OpenShift; the head before blocked those beyond %s", is.Channel.Name.Value, head, before), nil
	}
	return fmt.Sprintf("channel %s: %s blocks upgrades of OpenShift beyond %s, was %s", is.Channel.Name.Value, head, now, cmp.Or(before, "no limit")), nil
}

// openShiftLimit returns the version of OpenShift beyond which the head of a channel blocks upgrades of the cluster, or "".
func openShiftLimit(g *graph.Graph) (string, error) {
	i, ok := g.Head()
	if !ok || g.Channel.Entries[i].Bundle == nil {
		return "", nil
	}
	dependencies, err := bundled.Dependencies(g.Channel.Entries[i].Bundle)
	if err != nil {
		return "", err
	}
	return dependencies.MaxOpenShift.Value, nil
}
