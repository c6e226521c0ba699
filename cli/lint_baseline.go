package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
)

func baselineFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "baseline", Usage: "accept the findings in this `FILE`, even if their lines have moved"},
		&cli.BoolFlag{Name: "write-baseline", Usage: "write the findings to the file of --baseline, and accept them"},
		&cli.StringFlag{Name: "today", Usage: "let suppressions expire as on this `DAY`, as 2027-01-31 (default: today)"},
	}
}

// baselineOptions sets the options of the baseline flags. With --write-baseline the file need not exist.
func baselineOptions(c *cli.Context, o *lint.Options) error {
	o.Today = c.String("today")
	if o.Today == "" {
		o.Today = time.Now().Format(time.DateOnly)
	} else if _, err := time.Parse(time.DateOnly, o.Today); err != nil {
		return misusef("--today %q: want a day as 2027-01-31", o.Today)
	}
	name, write := c.String("baseline"), c.Bool("write-baseline")
	switch {
	case name == "" && write:
		return misusef("--write-baseline needs --baseline FILE")
	case write:
		return checkCompleteRun(c)
	case name == "":
		return nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return misusef("baseline %s does not exist: --write-baseline writes one", name)
	}
	if err != nil {
		return fmt.Errorf("the baseline cannot be read: %w", err)
	}
	if o.Baseline, err = lint.ParseBaseline(name, text); err != nil {
		return misuse{err}
	}
	return nil
}

// checkCompleteRun rejects flags that hide findings: findings missing from a baseline would be reported as new.
func checkCompleteRun(c *cli.Context) error {
	for _, flag := range []string{"gate", "only", "skip", "package", "channel", "base", "new", "olm"} {
		if c.IsSet(flag) && c.String(flag) != "both" { // --olm both finds most
			return misusef("--write-baseline needs all findings: leave --%s out", flag)
		}
	}
	return nil
}

// writeBaseline writes the findings to a baseline and accepts them, unless a catalog could not be opened.
func (p *program) writeBaseline(name string, findings []lint.Finding, unopened error) error {
	if unopened != nil {
		return p.logf("%s is not written: not all catalogs could be opened", name)
	}
	if before, err := os.ReadFile(name); err == nil {
		if old := lint.ParseOldBaseline(before); old != nil {
			return p.rewriteBaseline(name, old, findings)
		}
	}
	text, err := lint.WriteBaseline(findings)
	if err == nil {
		err = writeFile(name, text)
	}
	if err != nil {
		return fmt.Errorf("the baseline cannot be written: %w", err)
	}
	accepted, err := lint.ParseBaseline(name, text)
	if err != nil {
		return err
	}
	accepted.Accept(findings)
	return p.logf("%s accepts the present findings", name)
}

// rewriteBaseline writes a baseline of an earlier version again. It accepts no findings that the old one does not accept.
func (p *program) rewriteBaseline(name string, old *lint.OldBaseline, findings []lint.Finding) error {
	carried, dropped := old.Accept(findings, rules.All())
	text, err := lint.WriteBaseline(lint.Accepted(findings))
	if err == nil {
		err = writeFile(name, text)
	}
	if err != nil {
		return fmt.Errorf("the baseline cannot be written: %w", err)
	}
	p.logf("%s is rewritten for this version: %s carried over, %d dropped, which match no finding", name, entries(carried), dropped)
	if left := lint.Acceptable(findings); left > 0 {
		p.logf("no entry accepts %s of the report: the same command accepts all findings if it is run again", count(left, "finding"))
	}
	return nil
}

func entries(n int) string {
	if n == 1 {
		return "1 entry is"
	}
	return fmt.Sprintf("%d entries are", n)
}
