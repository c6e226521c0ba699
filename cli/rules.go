package cli

import (
	"io/fs"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/report"
)

func (p *program) rulesCommand() *cli.Command {
	return &cli.Command{
		Name:        "rules",
		Usage:       "list the rules of lint",
		UsageText:   "[-o FORMAT]",
		Description: "Each rule has a default severity and gates, which name what rejects it. See olmgraph explain RULE for more.",
		Flags:       formatsOf(render.RuleFormats()).flags(),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return try(misusef("rules takes no arguments"), append([]string{"explain"}, c.Args().Slice()...)...)
			}
			to, err := formatsOf(render.RuleFormats()).outputs(c)
			if err != nil {
				return err
			}
			return write(p, c, to, render.RuleFormats(), p.guides(rules.All()))
		},
	}
}

func (p *program) explainCommand() *cli.Command {
	return &cli.Command{
		Name:        "explain",
		Usage:       "explain a rule: what it finds, why it matters, and how to fix it, with an example",
		UsageText:   "[-o FORMAT] RULE…",
		Description: "example:\n  olmgraph explain graph/stuck",
		Flags:       formatsOf(render.ExplainFormats()).flags(),
		Action:      p.explain,
	}
}

func (p *program) explain(c *cli.Context) error {
	if c.NArg() == 0 {
		return try(misusef("no rule to explain"), "rules")
	}
	to, err := formatsOf(render.ExplainFormats()).outputs(c)
	if err != nil {
		return err
	}
	var asked []lint.Rule
	for _, pattern := range c.Args().Slice() {
		pattern = withFamily(pattern)
		selected, err := selectRules([]string{pattern}, nil)
		if err != nil {
			return err
		}
		for _, r := range selected {
			if matches(&r, pattern) {
				asked = append(asked, r)
			}
		}
	}
	return write(p, c, to, render.ExplainFormats(), p.guides(asked))
}

// guides returns the rules with the examples in their scripts.
func (p *program) guides(rules []lint.Rule) []report.Guide {
	all := make([]report.Guide, 0, len(rules))
	for _, r := range rules {
		g := report.Guide{Rule: r}
		if script, err := fs.ReadFile(p.rules, strings.ReplaceAll(r.ID, "/", "-")+".txtar"); err == nil {
			g.Example = report.ExampleOf(script, r.ID)
		}
		all = append(all, g)
	}
	return all
}

// withFamily returns the ID of the only rule of that name, or else the pattern itself.
func withFamily(pattern string) string {
	found := pattern
	for _, r := range rules.All() {
		switch _, name, _ := strings.Cut(r.ID, "/"); {
		case r.Family() == pattern, name == pattern && found != pattern:
			return pattern
		case name == pattern:
			found = r.ID
		}
	}
	return found
}
