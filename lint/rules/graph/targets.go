package graph

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// checkDifferentTargets reports once per channel the entries that OLM v0 and OLM v1 upgrade to different ends. Entries that are
// stuck under OLM v0 are left to graph/stuck, and those that end where OLM v1 never upgrades to graph/stuck-v1.
func checkDifferentTargets(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	head, ok := g.Head()
	if !ok || len(p.Package.Bundles) == 0 { // of which OLM v1 has the versions
		return
	}
	var from memo.Groups[int, int]
	var dead []int
	if p.Runs("graph/stuck-v1", c.Name.Value) {
		dead = g.DeadEndsV1()
	}
	for _, i := range g.Entries() {
		_, v0, ok := g.Hops(i)
		_, v1 := g.HopsV1(i)
		if !ok || v0 != head || v1 == head || i == head || slices.Contains(dead, v1) || g.ChoiceV1(v1).Refusal != nil {
			continue // reported by api/not-supported-v1
		}
		from.Add(v1, i)
	}
	ends := from.Keys()
	if len(ends) == 0 {
		return
	}
	end := ends[0]
	f := edges.AtEntry(g, head)
	f.Cause = []string{f.Channel}
	f.Message = fmt.Sprintf("from %s OLM v0 upgrades to %q, the head of channel %q, but OLM v1 to %q",
		words.QuoteSome(g.Names(from.Values(end))), g.Name(head), c.Name.Value, g.Name(end))
	if len(ends) > 1 {
		f.Message += fmt.Sprintf(" (%d more cases like that)", len(ends)-1)
	}
	f.Fix = fmt.Sprintf("give %q the highest version of the channel, and do not deprecate it before others", g.Name(head))
	if versions.NewerThan(c.Entries[head].Bundle, c.Entries[end].Bundle) {
		f.Fix = fmt.Sprintf("let the skipRange of %q cover %q, so that OLM v1 can upgrade directly",
			g.Name(head), g.Name(end))
	}
	for _, end := range ends {
		f.Details = append(f.Details, edges.RelatedEntries(g, from.Values(end), "%q has different ends")...)
	}
	f.Related = edges.RelatedEntries(g, ends[:min(3, len(ends))], "OLM v1 ends at %q")
	p.Report(f)
}

// checkStuckV1 reports once per channel, since most entries have the same cause. The only head is left to graph/head-not-newest, several to
// graph/multiple-heads.
func checkStuckV1(p *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
	_, one := g.Head()
	told := one || p.Runs("graph/multiple-heads", c.Name.Value)
	stuck := slices.DeleteFunc(slices.Clone(withMeanings(p, g).DeadEndsV1()), func(i int) bool {
		return told && slices.Contains(g.Heads(), i) || c.Entries[i].Bundle == nil
	})
	if len(stuck) == 0 {
		return
	}
	top := edges.Newest(g, g.Entries())
	f := edges.AtEntry(g, stuck[0])
	f.Cause, f.Faults = []string{f.Channel}, g.Names(stuck)
	f.Message = fmt.Sprintf("OLM v1 has no upgrade from %s in channel %q: nothing replaces, skips or covers %s",
		words.QuoteSome(g.Names(stuck)), c.Name.Value, words.Plural(len(stuck), "it", "them"))
	f.Fix = fmt.Sprintf("let %q skip %s, or cover %[2]s with a skipRange", g.Name(top), words.Plural(len(stuck), "it", "them"))
	f.Related = edges.RelatedEntries(g, []int{top}, "%q is the newest")
	f.Details = edges.RelatedEntries(g, stuck, "%q is stuck")
	p.Report(f)
}

// defaultMaxHops is the default of Config.MaxHops.
const defaultMaxHops = 20

// checkManyHops reports once per package, at the entry with the longest upgrade path.
func checkManyHops(p *lint.Pass) {
	limit := p.Config.MaxHops
	if limit == 0 {
		limit = defaultMaxHops
	}
	var all []lint.Finding
	var channels []string
	longest, most := 0, limit
	lint.EachChannel(func(_ *lint.Pass, c *catalogs.Channel, g *graph.Graph) {
		farthest, hops, count := farthestEntry(g, limit)
		if count == 0 {
			return
		}
		if hops > most {
			longest, most = len(all), hops
		}
		all = append(all, manyHopsFinding(g, farthest, count, limit))
		channels = append(channels, c.Name.Value)
	})(p)
	if len(all) == 0 {
		return
	}
	f := all[longest]
	f.Cause, f.Faults = lint.OncePerPackage(), channels
	if more := len(all) - 1; more > 0 {
		f.Channel, f.Details = "", findingDetails(all)
		f.Message += fmt.Sprintf(" (and in %d more %s)", more, words.Plural(more, "channel", "channels"))
	}
	if isGenerated(p) {
		f.Fix = basicInstead
	}
	p.Report(f)
}

// farthestEntry returns the entry with the longest upgrade path, its number of upgrades, and how many entries have more than limit.
func farthestEntry(g *graph.Graph, limit int) (farthest, most, count int) {
	for _, i := range g.Entries() {
		hops, _, ok := g.Hops(i)
		if !ok || hops <= limit || g.Version(i) == nil {
			continue
		}
		count++
		if hops > most {
			farthest, most = i, hops
		}
	}
	return farthest, most, count
}

// manyHopsFinding returns the finding about the entry of a channel with the longest upgrade path.
func manyHopsFinding(g *graph.Graph, farthest, count, limit int) lint.Finding {
	hops, end, _ := g.Hops(farthest)
	f := edges.AtEntry(g, farthest)
	f.Message = fmt.Sprintf("OLM v0 makes %d upgrades one after the other from %q to %q in channel %q", hops, g.Name(farthest), g.Name(end), f.Channel)
	if count > 1 {
		f.Message += fmt.Sprintf("; from %d entries more than %d", count, limit)
	}
	f.Fix = "let newer entries skip versions that need not be installed, or cover them with a skipRange"
	return f
}

// explainedBy returns the misspelt name for which a channel has several heads, the zero Text if there is none.
func explainedBy(p *lint.Pass, g *graph.Graph) catalogs.Text {
	heads := g.Heads()
	if len(heads) < 2 {
		return catalogs.Text{}
	}
	typo, _ := findMisspelling(p, g, edges.Without(heads, edges.Newest(g, heads)))
	return typo.Where
}

// reportsMisspelling reports whether checkMissingTargets reports a name with what was probably meant.
func reportsMisspelling(p *lint.Pass, g *graph.Graph, m graph.MissingTarget) bool {
	in := edges.NamesIn(p.Package)
	name := m.Where.Value
	if len(in[name]) > 0 || p.IsPublished(name) || p.Catalog.MayBeUnread(name) {
		return false
	}
	near, ok := words.NearestVersioned(name, in.Names())
	return ok && !edges.CorrectionHasNewProblems(g, m, near)
}

// checkMissingTargets reports each name that is similar to a known one, and the others once per package.
func checkMissingTargets(p *lint.Pass) {
	in, meant := edges.NamesIn(p.Package), edges.FindMeanings(p)
	all := in.Names()
	seen := map[string]bool{}
	var others []lint.Finding
	corrections := edges.SpellingFixes(p, in)
	var causes memo.Map[*graph.Graph, catalogs.Text]
	edges.EachMissingTarget(func(g *graph.Graph, m graph.MissingTarget) {
		name := m.Where.Value
		explained := causes.Get(g, func() catalogs.Text { return explainedBy(p, g) }) == m.Where
		if len(in[name]) > 0 || meant.Include(name) || seen[name] && !explained || p.IsPublished(name) || p.Catalog.MayBeUnread(name) || p.Runs("graph/stranded", g.Channel.Name.Value) && endsMisspelt(g, m) {
			return
		}
		seen[name] = true
		f := edges.AtEntry(g, m.Entry)
		f.Pos = catalogs.KnownPos(m.Where.Pos, f.Pos)
		f.Message = fmt.Sprintf("%q %s %q, which is in no channel of the package", g.Name(m.Entry), m.Kind, name)
		if near, ok := words.NearestVersioned(name, all); ok && !edges.CorrectionHasNewProblems(g, m, near) {
			f.Severity = lint.Warning
			f.Cause = []string{name}
			f.Message += fmt.Sprintf(": did you mean %q?", near)
			f.Fix = "write " + near
			if explained {
				f.Severity, f.Gates = lint.Error, headGates
				f.Message += fmt.Sprintf(" Without it channel %q has %d heads, and OLM v0 resolves nothing in a namespace subscribed to it",
					g.Channel.Name.Value, len(g.Heads()))
			}
			f.Edits = corrections[name]
			p.Report(f)
			return
		}
		if isPlaceholder(name) {
			f.Cause = []string{name}
			f.Message = fmt.Sprintf("%q %s %q, a placeholder: no bundle has that name, and the edge that was meant is missing", g.Name(m.Entry), m.Kind, name)
			f.Fix = fmt.Sprintf("write the name that is meant, or remove it from the %s", m.Kind)
			if f.Severity = lint.Warning; p.BasePackage != nil && !targets(p.BasePackage, name) {
				f.Severity = lint.Error
			}
			p.Report(f)
			return
		}
		others = append(others, f)
	})(p)
	if p.IsLoneBundle() {
		return
	}
	reportFirst(p, others, "correct if it was published and removed since; otherwise correct the name")
}

var placeholder = regexp.MustCompile(`(?i)(?:^|[.-])v?(?:x\.y\.z|todo|tbd|fixme)$`)

// isPlaceholder reports whether a name stands for one that was to be put in its place: it has no numbers, and Kubernetes accepts no capitals and
// underscores in names.
func isPlaceholder(name string) bool {
	return placeholder.MatchString(name) || !strings.ContainsAny(name, "0123456789") && !words.DNSSubdomain.MatchString(name)
}

// targets reports whether an entry of a package replaces or skips a name.
func targets(pkg *catalogs.Package, name string) bool {
	return slices.ContainsFunc(pkg.Channels, func(c *catalogs.Channel) bool {
		return slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool {
			return e.Replaces.Value == name || slices.ContainsFunc(e.Skips, func(t catalogs.Text) bool { return t.Value == name })
		})
	})
}

func checkReplacesOtherChannel(p *lint.Pass) {
	if isGenerated(p) {
		return // opm makes it so
	}
	in := edges.NamesIn(p.Package)
	var all []lint.Finding
	edges.EachMissingTarget(func(g *graph.Graph, m graph.MissingTarget) {
		where := in[m.Where.Value]
		if m.Kind != graph.Replaces || len(where) == 0 {
			return
		}
		f := edges.AtEntry(g, m.Entry)
		f.Pos = catalogs.KnownPos(m.Where.Pos, f.Pos)
		f.Message = fmt.Sprintf("%q replaces %q, which is not in channel %q but in %s",
			g.Name(m.Entry), m.Where.Value, f.Channel, words.QuoteSome(where))
		all = append(all, f)
	})(p)
	reportFirst(p, all, "correct if users should switch channels there; otherwise add the replaced entry to this channel")
}

// hasName reports whether a package has a bundle or an entry of that name.
func hasName(pkg *catalogs.Package, name string) bool {
	return pkg.Bundle(name) != nil || slices.ContainsFunc(pkg.Channels, func(c *catalogs.Channel) bool {
		return slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool { return e.Name.Value == name })
	})
}

// isSuffixed reports whether a is the version of b with a suffix, which makes it a prerelease of b.
func isSuffixed(a, b *catalogs.Bundle) bool {
	x, y := a.Semver(), b.Semver()
	return x.Major == y.Major && x.Minor == y.Minor && x.Patch == y.Patch && len(x.Pre) > 0 && len(y.Pre) == 0
}

// reportFirst reports the first of several findings, with the others in its details: one per package is enough.
func reportFirst(p *lint.Pass, findings []lint.Finding, fix string) {
	if len(findings) == 0 {
		return
	}
	f := findings[0]
	f.Cause, f.Fix = lint.OncePerPackage(), fix
	if more := len(findings) - 1; more > 0 {
		f.Message += fmt.Sprintf(" (%d more in the package)", more)
		f.Details = findingDetails(findings)
	}
	p.Report(f)
}

// findingDetails returns a line for each of several findings that are reported together.
func findingDetails(findings []lint.Finding) []lint.Related {
	var all []lint.Related
	for i := range findings {
		all = append(all, lint.Related{Pos: findings[i].Pos, Message: findings[i].Message})
	}
	return all
}
