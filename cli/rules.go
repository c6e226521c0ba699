package cli

import (
	"io/fs"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render"
)

func (p *program) rulesCommand() *cli.Command {
	return &cli.Command{
		Name:        "rules",
		Usage:       "list what lint looks for",
		UsageText:   "[--format FORMAT]",
		Description: "Each rule has a default severity and gates, which say who minds. See olmgraph explain RULE for more.",
		Flags: []cli.Flag{
			choiceFlag("format", "text", "`FORMAT`", "text", "json", "markdown"),
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return misusef("rules lists all of them: olmgraph explain %s is about one", c.Args().First())
			}
			switch format := c.String("format"); format {
			case "text":
				return render.RuleList(p.stdout, lint.Rules())
			case "json":
				return render.RuleJSON(p.stdout, p.guides(lint.Rules()))
			case "markdown":
				return render.RuleTable(p.stdout, lint.Rules())
			default:
				return misusef("no format %q%s", format, didYouMean(format, []string{"text", "json", "markdown"}))
			}
		},
	}
}

func (p *program) explainCommand() *cli.Command {
	return &cli.Command{
		Name:        "explain",
		Usage:       "say what a rule finds, why that hurts, and what to do, with an example",
		UsageText:   "RULE…",
		Description: "example:\n  olmgraph explain graph/stuck",
		Action:      p.explain,
	}
}

func (p *program) explain(c *cli.Context) error {
	if c.NArg() == 0 {
		return misusef("no rule to explain; olmgraph rules lists them")
	}
	for _, pattern := range c.Args().Slice() {
		rules, err := selectRules([]string{pattern}, nil)
		if err != nil {
			return err
		}
		for _, g := range p.guides(rules) {
			if !matches(&g.Rule, pattern) {
				continue
			}
			if err := render.Explain(p.stdout, &g); err != nil {
				return err
			}
		}
	}
	return nil
}

// guides adds to rules the examples of their scripts.
func (p *program) guides(rules []lint.Rule) []render.Guide {
	all := make([]render.Guide, 0, len(rules))
	for _, r := range rules {
		g := render.Guide{Rule: r}
		if script, err := fs.ReadFile(p.rules, strings.ReplaceAll(r.ID, "/", "-")+".txtar"); err == nil {
			g.Example = render.ExampleOf(script, r.ID)
		}
		all = append(all, g)
	}
	return all
}
