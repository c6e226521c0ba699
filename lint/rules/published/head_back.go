package published

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

// checkHeadBack reports the same heads once for all channels.
func checkHeadBack(p *lint.Pass) {
	var moved memo.Groups[[2]string, *graph.Change]
	eachChanged(func(_ *lint.Pass, c *graph.Change) {
		if was, back := headMovedBack(c); back {
			is, _ := c.Now.Head()
			moved.Add([2]string{c.Base.Name(was), c.Now.Name(is)}, c)
		}
	})(p)
	for _, same := range moved.All() {
		p.Report(headMovedBackFinding(same[0], channelsOf(same)))
	}
}

func headMovedBackFinding(c *graph.Change, channels []string) lint.Finding {
	was, _ := c.Base.Head()
	is, _ := c.Now.Head()
	name := c.Base.Name(was)
	f := edges.AtEntry(c.Now, is)
	f.Cause = []string{name, c.Now.Name(is)}
	if len(channels) > 1 {
		f.Channel = ""
	}
	f.Message = fmt.Sprintf("the head of %s is %q, it was %q: new users get an older version", channelNames(channels), c.Now.Name(is), name)
	i := slices.IndexFunc(c.Outcomes(), func(f graph.Outcome) bool { return f.Entry == was })
	switch outcome := c.Outcomes()[i]; {
	case outcome.Stranded() && !outcome.Kept:
		f.Message += fmt.Sprintf(", and nothing upgrades %q, which was removed: users on it are never upgraded", name)
		f.Gates = lint.GateAdvice | strandedGates(c, []int{was})
	case outcome.NextNow.To >= 0:
		f.Message += fmt.Sprintf(", and users on %q are downgraded to %q", name, c.Now.Name(outcome.NextNow.To))
	}
	takeOver(&f, c, is, []string{name})
	f.Related = edges.RelatedEntries(c.Base, []int{was}, "%q was the head")
	return f
}
