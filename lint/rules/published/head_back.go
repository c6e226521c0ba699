package published

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

var headBack = lint.Rule{
	ID: "published/head-back", Severity: lint.Error, Gates: lint.GateAdvice, NeedsBase: true,
	Doc: `the head of a channel is older than it was
New users get an older version than before, and users who have already upgraded are on a version newer than the channel's head:
OLM does not downgrade them.
To withdraw a version, publish a newer one that replaces the last good version and skips the bad one.`,
	Reference: "operator-registry alpha/model Channel.Head; OLM resolver getSubscriptionVariables",
	Check:     checkHeadBack,
}

// checkHeadBack reports the same heads once for all channels.
func checkHeadBack(p *lint.Pass) {
	channels := map[[2]string][]string{}
	var all []*graph.Change
	key := func(c *graph.Change) [2]string {
		was, _ := c.Base.Head()
		is, _ := c.Now.Head()
		return [2]string{c.Base.Name(was), c.Now.Name(is)}
	}
	eachChanged(func(_ *lint.Pass, c *graph.Change) {
		if _, back := headMovedBack(c); !back {
			return
		}
		if channels[key(c)] == nil {
			all = append(all, c)
		}
		channels[key(c)] = append(channels[key(c)], c.Now.Channel.Name.Value)
	})(p)
	for _, c := range all {
		p.Report(headMovedBackFinding(c, channels[key(c)]))
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
	f.Fix = takeOverFix(c, is, []string{name})
	f.Related = edges.RelatedEntries(c.Base, []int{was}, "%q was the head")
	return f
}
