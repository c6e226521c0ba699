package upgrades

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var channelSwitchDowngrade = lint.Rule{
	ID: "graph/channel-switch-downgrade", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `a switch to another channel downgrades
An entry of one channel skips or covers a newer version of another channel. Users on that version who switch are downgraded to the
older version, which may not read data that the newer one has stored.
Let the skipRange end below the entry's own version, and skips name older entries only.`,
	Reference: "OLM resolver getSubscriptionVariables",
	Check:     checkSwitchDowngrade,
}

func checkSwitchDowngrade(p *lint.Pass) {
	if len(p.Package.Channels) > edges.MaxComparedChannels {
		return
	}
	for _, from := range p.Package.Channels {
		for _, to := range p.Package.Channels {
			if from.Name.Value != to.Name.Value {
				reportSwitchDowngrade(p, p.Graph(from), p.Graph(to))
			}
		}
	}
}

// reportSwitchDowngrade reports the first entry of a channel that is downgraded after a switch to another channel.
func reportSwitchDowngrade(p *lint.Pass, from, to *graph.Graph) {
	down := mayDowngrade(to)
	for _, i := range from.Entries() {
		e := &from.Channel.Entries[i]
		if _, both := to.Index(e.Name.Value); both || !versions.HasVersion(e.Bundle) || !down(e) {
			continue
		}
		next, ok := to.NextOfInstalled(e.Name.Value, e.Bundle.Version.Value)
		if !ok || !versions.NewerThan(e.Bundle, to.Channel.Entries[next.To].Bundle) {
			continue
		}
		f := edges.AtEntry(to, next.To)
		f.Cause = []string{from.Channel.Name.Value, to.Channel.Name.Value}
		f.Pos = words.FirstKnown(next.Where.Pos, f.Pos)
		f.Message = fmt.Sprintf("users on %[3]q who switch from channel %[1]q to %[2]q are downgraded to %[4]q by its %[5]s",
			from.Channel.Name.Value, to.Channel.Name.Value, e.Name.Value, to.Name(next.To), next.Kind)
		f.Fix = fmt.Sprintf("remove %q from it", e.Name.Value)
		if next.Kind == graph.SkipRange {
			f.Fix = fmt.Sprintf("let the range end with <%s", to.Channel.Entries[next.To].Bundle.Semver())
		}
		f.Related = edges.RelatedEntries(from, []int{i}, "%q is newer")
		p.Report(f)
		return
	}
}

// mayDowngrade returns a function that reports whether an older entry of the channel names an entry or covers its version. That
// is faster than the resolution of OLM v0.
func mayDowngrade(to *graph.Graph) func(*catalogs.Entry) bool {
	named := map[string]bool{}
	ranges := make([]versions.Range, len(to.Channel.Entries))
	var ranged []int
	for _, i := range to.Entries() {
		for _, t := range edges.EdgeTexts(&to.Channel.Entries[i]) {
			named[t.Value] = true
		}
		if ranges[i] = versions.ParseRange(to.Channel.Entries[i].SkipRange.Value); ranges[i].In != nil {
			ranged = append(ranged, i)
		}
	}
	return func(e *catalogs.Entry) bool {
		return named[e.Name.Value] || slices.ContainsFunc(ranged, func(i int) bool {
			return versions.NewerThan(e.Bundle, to.Channel.Entries[i].Bundle) && ranges[i].Contains(*e.Bundle.Semver())
		})
	}
}
