package cli

import (
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
			&cli.StringFlag{Name: "format", Value: "text", Usage: "`FORMAT`: text or markdown"},
		},
		Action: func(c *cli.Context) error {
			switch format := c.String("format"); format {
			case "text":
				return render.RuleList(p.stdout, lint.Rules())
			case "markdown":
				return render.RuleTable(p.stdout, lint.Rules())
			default:
				return misusef("no format %q%s", format, didYouMean(format, []string{"text", "markdown"}))
			}
		},
	}
}

func (p *program) explainCommand() *cli.Command {
	return &cli.Command{
		Name:        "explain",
		Usage:       "say what a rule finds, why that hurts, and what to do",
		UsageText:   "RULE…",
		Description: "example:\n  olmgraph explain graph/stuck",
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return misusef("no rule to explain; olmgraph rules lists them")
			}
			for _, id := range c.Args().Slice() {
				rules, err := selectRules([]string{id}, nil)
				if err != nil {
					return err
				}
				for i := range rules {
					if r := &rules[i]; matches(r, id) {
						if err := render.Rule(p.stdout, r); err != nil {
							return err
						}
					}
				}
			}
			return nil
		},
	}
}
