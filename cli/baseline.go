package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/lint"
)

func baselineFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "baseline", Usage: "accept the findings in this `FILE`, wherever they stand by now"},
		&cli.BoolFlag{Name: "write-baseline", Usage: "write what is found into the file of --baseline, and accept it"},
		&cli.StringFlag{Name: "today", Usage: "let suppressions expire as on this `DAY`, as 2027-01-31 (default: today)"},
	}
}

var dayText = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// baselineOptions reads the flags; a baseline that is to be written need not be there.
func baselineOptions(c *cli.Context, o *lint.Options) error {
	o.Today = c.String("today")
	if o.Today == "" {
		o.Today = time.Now().Format(time.DateOnly)
	} else if !dayText.MatchString(o.Today) {
		return misusef("--today %q: want a day as 2027-01-31", o.Today)
	}
	name, write := c.String("baseline"), c.Bool("write-baseline")
	switch {
	case name == "" && write:
		return misusef("--write-baseline wants --baseline FILE")
	case name == "" || write:
		return nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return misusef("there is no baseline %s: --write-baseline writes one", name)
	}
	if err != nil {
		return fmt.Errorf("the baseline cannot be read: %w", err)
	}
	if o.Baseline, err = lint.ParseBaseline(name, text); err != nil {
		return misuse{err}
	}
	return nil
}

// writeBaseline accepts what was found, and says how much that is.
func (p *program) writeBaseline(name string, findings []lint.Finding) error {
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
	_, err = fmt.Fprintf(p.stderr, "olmgraph: %s accepts what is found now\n", name)
	return err
}
