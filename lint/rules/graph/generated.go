package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/expansion"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
)

// isGenerated reports whether opm generates the channels from versions, so that no entry of them can be edited.
func isGenerated(p *lint.Pass) bool {
	return p.Catalog.Template != nil && p.Catalog.Template.Generated()
}

const basicInstead = "write a template of schema olm.template.basic, whose edges you choose"

// generatedFix returns the fix of a finding about a generated channel: the oldest later version of opm that, like all versions after it,
// makes another channel of the template, in which it is solved, without new problems.
func generatedFix(p *lint.Pass, g *graph.Graph, solved func(*graph.Graph) bool) string {
	return cmp.Or(versionFix(p, nil, func(made *catalogs.Package) bool {
		c := made.Channel(g.Channel.Name.Value)
		if c == nil {
			return false
		}
		after := graph.Of(made, c)
		return solved(after) && !edges.HasNewProblems(g, after)
	}), basicInstead)
}

// versionFix returns the fix to use the oldest later version of opm with which, as with all versions after it, a problem is solved, if the
// template also lists some bundles; "" if there is none.
func versionFix(p *lint.Pass, more []listing, solved func(*catalogs.Package) bool) string {
	t, since := p.Catalog.Template, ""
	for _, v := range slices.Backward(template.Changes()) {
		if !t.OPM.Before(v) {
			break
		}
		made := expansion.Expand(t, v, listingMore(more))
		if made == nil || !solved(made) {
			break
		}
		since = v.String()
	}
	switch {
	case since == "":
		return ""
	case t.PinnedBy.Known():
		return fmt.Sprintf("let %s name opm %s or later instead of %s", t.PinnedBy.File, since, t.OPM)
	}
	return fmt.Sprintf("use opm %s or later instead of %s", since, t.OPM)
}

// listing is a bundle that may be listed in another stream of a template.
type listing struct{ bundle, image, stream string }

func (l listing) String() string { return fmt.Sprintf("%q in %s", l.bundle, l.stream) }

// listingMore returns a change of a template that lists bundles in other streams.
func listingMore(more []listing) func(*template.SemverTemplate) {
	return func(changed *template.SemverTemplate) {
		for _, l := range more {
			for i := range changed.Streams {
				if s := &changed.Streams[i]; s.Archetype == l.stream {
					s.Images = append(s.Images, template.Text{Value: l.image, Place: s.Place})
				}
			}
		}
	}
}

// streamOf returns the stream of a generated channel: "fast" of fast-v1.2.
func streamOf(channel string) string {
	stream, _, _ := strings.Cut(channel, "-v")
	return stream
}

// switchFix returns the fix of generated channels after a switch to which there are no upgrades. No template of schema olm.semver makes
// upgrades to the next major version.
func switchFix(p *lint.Pass, lost []lostSwitch) string {
	major := slices.ContainsFunc(lost, lostSwitch.crossesMajor)
	lost = slices.DeleteFunc(slices.Clone(lost), lostSwitch.crossesMajor)
	var fixes []string
	if len(lost) > 0 {
		fixes = []string{cmp.Or(minorSwitchFix(p, nil), minorSwitchFix(p, listings(p.Package, lost)), basicInstead)}
	}
	if major && !slices.Contains(fixes, basicInstead) {
		fixes = append(fixes, "for upgrades to the next major version, which opm makes of no template of schema olm.semver, "+basicInstead)
	}
	return strings.Join(fixes, "; ")
}

// minorSwitchFix returns what makes upgrades after all switches within a major version, beside bundles that are listed in more streams: these
// alone, a version of opm, or major channels. It returns "" if nothing does.
func minorSwitchFix(p *lint.Pass, more []listing) string {
	t := p.Catalog.Template
	solved := func(made *catalogs.Package) bool {
		return made != nil && !slices.ContainsFunc(lostSwitches(made, graphsOf(made)), func(s lostSwitch) bool { return !s.crossesMajor() })
	}
	also := ""
	if len(more) > 0 {
		if also = listFix(more); solved(expansion.Expand(t, t.OPM, listingMore(more))) {
			return also
		}
		also = ", and " + also
	}
	if fix := versionFix(p, more, solved); fix != "" {
		return fix + also
	}
	if solved(expansion.Expand(t, t.OPM, func(changed *template.SemverTemplate) {
		listingMore(more)(changed)
		changed.Major = true
	})) {
		return "add generateMajorChannels: true, and let users switch to the major channels" + also
	}
	return ""
}

// listings are the heads that are not upgraded, in the streams of the channels that should upgrade them, if they are not there.
func listings(pkg *catalogs.Package, lost []lostSwitch) []listing {
	var all []listing
	for _, s := range lost {
		head, _ := s.from.Head()
		b, to := s.from.Channel.Entries[head].Bundle, streamOf(s.to.Name.Value)
		listed := slices.ContainsFunc(pkg.Channels, func(c *catalogs.Channel) bool {
			return streamOf(c.Name.Value) == to && slices.ContainsFunc(c.Entries, func(e catalogs.Entry) bool { return e.Bundle == b })
		})
		if l := (listing{b.Name.Value, b.Image.Value, to}); !listed && !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return all
}

// listFix is to list some bundles in more streams.
func listFix(more []listing) string {
	if len(more) > 3 {
		return "list the heads of older channels in the streams of newer ones too"
	}
	out := phrase.Of(more, listing.String)
	return "list " + strings.Join(out, " and ") + " too"
}

// graphsOf returns a function with the graphs of the channels of a package.
func graphsOf(pkg *catalogs.Package) func(*catalogs.Channel) *graph.Graph {
	all := map[*catalogs.Channel]*graph.Graph{}
	return func(c *catalogs.Channel) *graph.Graph {
		if all[c] == nil {
			all[c] = graph.Of(pkg, c)
		}
		return all[c]
	}
}

// defaultChannelFix returns the fix of a default channel without the highest version: to list that in its stream too, if that makes it the
// head of the default channel.
func defaultChannelFix(p *lint.Pass, highest *catalogs.Bundle) string {
	l := listing{highest.Name.Value, highest.Image.Value, streamOf(p.Package.DefaultChannel.Value)}
	made := expansion.Expand(p.Catalog.Template, p.Catalog.Template.OPM, listingMore([]listing{l}))
	if made != nil {
		if c := made.Channel(made.DefaultChannel.Value); c != nil && !versions.NewerThan(highest, headIn(graph.Of(made, c))) {
			return "ask users of OLM v1 to set spec.source.catalog.channels, or list " + l.String() + " too"
		}
	}
	return "ask users of OLM v1 to set spec.source.catalog.channels"
}
