package published

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

func checkDefaultChanged(p *lint.Pass) {
	was, is := p.BasePackage.DefaultChannel, p.Package.DefaultChannel
	if was.Value == is.Value || was.Value == "" || is.Value == "" {
		return
	}
	if near, ok := misspelt(p, is.Value); ok && near == was.Value && p.Package.Channel(is.Value) != nil && p.Runs("published/channel-added", is.Value) {
		return // it says so
	}
	f := lint.Finding{
		Subject: lint.Subject{Channel: is.Value},
		Cause:   []string{was.Value, is.Value},
		Changes: []string{"default/default"},
		Pos:     words.FirstKnown(is.Pos, p.Package.Pos),
		Message: fmt.Sprintf("the default channel is %q, it was %q: installations without a channel now get it", is.Value, was.Value),
		Fix:     fmt.Sprintf("check that %q is intended as the default, and upgrades the entries of %q", is.Value, was.Value),
		Related: []lint.Related{{Pos: words.FirstKnown(was.Pos, p.BasePackage.Pos), Message: "what it was"}},
	}
	from, to := p.BasePackage.Channel(was.Value), p.Package.Channel(is.Value)
	if from != nil && to != nil {
		g := p.BaseGraph(from)
		switch lost := edges.NamesOf(g, g.StuckAfterSwitch(p.Graph(to))); {
		case len(lost) == 0:
			f.Severity = lint.Info
		default:
			f.Message += fmt.Sprintf("; from %s of %q it has no upgrade", words.AllOf(lost), was.Value)
			f.Fix = fmt.Sprintf("let an entry of %q skip or cover %s", is.Value, words.Plural(len(lost), "it", "them"))
		}
	}
	p.Report(f)
}
