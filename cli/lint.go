package cli

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render"
)

const lintHelp = `examples:
  olmgraph lint catalog/                       everything worth knowing about a catalog
  olmgraph lint --gate opm catalog/            only what makes opm validate refuse it
  olmgraph lint --only 'graph/*' catalog/      only the upgrade graphs
  olmgraph lint catalogs/v4.18 catalogs/v4.19  two catalogs, each on its own
  olmgraph lint --complete a/ b/               two that are all that clusters have
  olmgraph lint --fix --diff catalog/          how --fix would mend what has one right answer
  opm render IMAGE | olmgraph lint -           a catalog from standard input
  olmgraph lint --base published/ catalog/     also what a change does to those who have what was published;
                                               only packages that differ are judged
  olmgraph lint --base published/ --new catalog/  only what the base does not have

CATALOG is a file-based catalog: a folder, a file, or - for standard input. As opm does, olmgraph reads every file of a
folder, YAML or JSON, but for what a .indexignore says. A folder is several catalogs if all folders in it are named after
an OpenShift version (v4.18, 4.18 or anything-v4.18): then each of those is a catalog, and so is each file of such a name;
other files there are not looked at.

gates, the answer to "who says so?":
  opm        opm validate refuses the catalog
  serve      it builds, but opm serve or the package server fails on it
  olmv0      OLM v0: users cannot install, upgrade or resolve
  olmv1      OLM v1, likewise
  apiserver  the Kubernetes API server refuses an object
  hub        the catalog repositories' own pipelines refuse it
  advice     nobody refuses it; users get hurt

--format NAME writes the report to standard output, --format NAME=FILE to a file; several at once:
  olmgraph lint catalog/ --format text --format sarif=olmgraph.sarif --format junit=olmgraph.xml

A file .olmgraph.yaml in a folder above the catalog's sets the severities of rules; in the catalog's own folder opm refuses it,
unless .indexignore names it.

exit status: 0 clean; 1 findings at or above --fail-on, or a file or folder that is no catalog; 2 misuse; 3 a catalog
could not be opened, or a report not written. NO_COLOR turns colours off.`

func (p *program) lintCommand() *cli.Command {
	return &cli.Command{
		Name:        "lint",
		Usage:       "say what is wrong with a catalog, where, and how to mend it",
		UsageText:   "[flags] CATALOG…",
		Description: lintHelp,
		Flags: append([]cli.Flag{
			choice{&cli.StringSliceFlag{Name: "gate", Usage: "only findings that one of these `GATES` minds"}, lint.GateNames()},
			rulesFlag("only", "only these `RULES`: IDs, families or patterns like 'graph/*'"),
			rulesFlag("skip", "not these `RULES`"),
			&cli.StringSliceFlag{Name: "package", Usage: "only these `PACKAGES`"},
			&cli.StringSliceFlag{Name: "channel", Usage: "only these `CHANNELS`"},
			&cli.StringFlag{Name: "base", Usage: "compare with what was published, this other `CATALOG`, and judge only packages that differ"},
			&cli.BoolFlag{Name: "new", Usage: "with --base: only findings that the base does not have"},
			&cli.BoolFlag{Name: "complete", Usage: "the catalogs are all that clusters have, the first ones preferred: a requirement that none of them meets is an error"},
			choiceFlag("olm", "auto", "`WHICH` OLM users have (auto: v0 before OpenShift 4.18, both from then on; where the version is not known what only v1 refuses is a warning)", lint.OLMNames()...),
			choiceFlag("fail-on", "error", "exit with 1 from this `SEVERITY` on", "info", "warning", "error", "none"),
			choiceFlag("min-severity", "info", "hide findings below this `SEVERITY`, which --fail-on still minds", "info", "warning", "error"),
			formatFlag(),
			colorFlag(),
			&cli.StringFlag{Name: "kube", Usage: "judge the objects of bundles for this `VERSION` of Kubernetes, as 1.29"},
			&cli.StringFlag{Name: "config", Usage: "read this `FILE` instead of the nearest .olmgraph.yaml"},
		}, append(fixFlags(), baselineFlags()...)...),
		Action: func(c *cli.Context) error { return p.lint(c.Context, c) },
	}
}

func (p *program) lint(ctx context.Context, c *cli.Context) error {
	refs := c.Args().Slice()
	if err := checkLint(c, refs); err != nil {
		return err
	}
	o, err := lintOptions(c, refs[0])
	if err != nil {
		return err
	}
	failOn, err := failOn(c.String("fail-on"))
	if err != nil {
		return err
	}
	outputs, err := outputsOf(c)
	if err != nil {
		return err
	}
	style, err := p.style(c.String("color"))
	if err != nil {
		return err
	}
	progress := newProgress(p.stderr)
	in, err := p.inspect(ctx, c, o, progress)
	if err != nil {
		return err
	}
	if len(in.catalogs) == 0 {
		return in.unopened
	}
	if c.Bool("write-baseline") {
		if err := p.writeBaseline(c.String("baseline"), in.findings, in.unopened); err != nil {
			return err
		}
	}
	report := render.Report{Catalogs: in.catalogs, Findings: shown(in.findings, o.MinSeverity), Packages: o.Packages, Guides: func() []render.Guide { return p.guides(o.Rules) }}
	if err := p.report(outputs, report, style); err != nil {
		return err
	}
	progress.took()
	for _, cat := range in.catalogs {
		if !slices.ContainsFunc(report.Findings, func(f lint.Finding) bool { return f.Rule == lint.FormRule }) {
			p.noteSilent(cat)
		}
	}
	p.sayHidden(in.findings, o.MinSeverity, failOn)
	return outcome(in.findings, failOn, in.unopened)
}

// checkLint refuses flags that do not go together.
func checkLint(c *cli.Context, refs []string) error {
	switch {
	case len(refs) == 0:
		return misusef("no catalog to look at: give a folder, a file, or - for standard input")
	case c.IsSet("base") && c.String("base") == "":
		return misusef("--base wants a catalog to compare with")
	case c.Bool("new") && !c.IsSet("base"):
		return misusef("--new wants --base: new compared with what?")
	case readsTwice(append(slices.Clone(refs), c.String("base"))...):
		return errReadsTwice
	}
	return checkFix(c, refs)
}

// isShown reports whether a finding is bad enough to be shown. What could not be read always is.
func isShown(f *lint.Finding, from lint.Severity) bool {
	return f.Severity >= from || lint.Mandatory(f.Rule)
}

func shown(findings []lint.Finding, from lint.Severity) []lint.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f lint.Finding) bool { return !isShown(&f, from) })
}

// fails reports whether a finding makes the status 1, shown or not.
func fails(f *lint.Finding, failOn lint.Severity) bool {
	return f.Suppressed == "" && (f.Severity >= failOn || lint.Mandatory(f.Rule))
}

// sayHidden says what makes the status 1 and is not shown: the report may look clean.
func (p *program) sayHidden(findings []lint.Finding, shownFrom, failOn lint.Severity) {
	hidden := 0
	for i := range findings {
		if f := &findings[i]; fails(f, failOn) && !isShown(f, shownFrom) {
			hidden++
		}
	}
	if hidden > 0 {
		p.say("--min-severity %s hides %s that --fail-on %s minds", shownFrom, count(hidden, "finding"), failOn)
	}
}

// outcome says how it ended. A catalog that could not be opened weighs most.
func outcome(findings []lint.Finding, failOn lint.Severity, unopened error) error {
	if unopened != nil {
		return unopened
	}
	for i := range findings {
		if fails(&findings[i], failOn) {
			return status(statusFindings)
		}
	}
	return nil
}

func lintOptions(c *cli.Context, ref string) (lint.Options, error) {
	o := lint.Options{Packages: c.StringSlice("package"), Channels: c.StringSlice("channel"), New: c.Bool("new")}
	var err error
	if o.Rules, err = selectRules(c.StringSlice("only"), c.StringSlice("skip")); err != nil {
		return o, err
	}
	for _, name := range c.StringSlice("gate") {
		gate, ok := lint.ParseGate(name)
		if !ok {
			return o, misusef("no gate %q%s", name, didYouMean(name, lint.GateNames()))
		}
		o.Gates |= gate
	}
	if o.MinSeverity, err = severityOf("min-severity", c.String("min-severity"), "info, warning or error"); err != nil {
		return o, err
	}
	if o.Config, err = readConfig(c.String("config"), ref); err != nil {
		return o, err
	}
	if kube := c.String("kube"); kube != "" {
		if _, err := lint.ParseKube(kube); err != nil {
			return o, misuse{fmt.Errorf("--kube: %w", err)}
		}
		o.Config.Kube = kube
	}
	o.Config.Complete = c.Bool("complete")
	if o.Config.OLM = c.String("olm"); !slices.Contains(lint.OLMNames(), o.Config.OLM) {
		return o, misusef("--olm %q: want %s", o.Config.OLM, orList(lint.OLMNames()))
	}
	return o, baselineOptions(c, &o)
}

// readConfig reads the named configuration, or the nearest one above the catalog, or none.
func readConfig(name, ref string) (*lint.Config, error) {
	if name == "" {
		if ref == "-" {
			ref = "."
		}
		var err error
		if name, err = lint.FindConfig(ref); err != nil {
			return nil, misuse{err}
		} else if name == "" {
			return &lint.Config{}, nil
		}
	}
	config, err := lint.ReadConfig(name)
	if err != nil {
		return nil, misuse{err}
	}
	return config, nil
}

// selectRules returns the rules that match one of only, if there are any, and none of skip.
func selectRules(only, skip []string) ([]lint.Rule, error) {
	all := lint.Rules()
	for _, pattern := range slices.Concat(only, skip) {
		if !slices.ContainsFunc(all, func(r lint.Rule) bool { return matches(&r, pattern) }) {
			return nil, misusef("no rule %q%s (olmgraph rules lists them)", pattern, didYouMean(pattern, ruleNames(all)))
		}
	}
	return slices.DeleteFunc(all, func(r lint.Rule) bool {
		matched := func(pattern string) bool { return matches(&r, pattern) }
		return !lint.Mandatory(r.ID) && (len(only) > 0 && !slices.ContainsFunc(only, matched) || slices.ContainsFunc(skip, matched))
	}), nil
}

func matches(r *lint.Rule, pattern string) bool {
	ok, _ := path.Match(pattern, r.ID)
	return ok || r.Family() == pattern
}

func ruleNames(rules []lint.Rule) []string {
	names := make([]string, 0, len(rules))
	for i := range rules {
		names = append(names, rules[i].ID)
	}
	return names
}

// failOn returns the severity from which on a finding makes the status 1.
func failOn(name string) (lint.Severity, error) {
	if name == "none" {
		return lint.Error + 1, nil
	}
	return severityOf("fail-on", name, "info, warning, error or none")
}

// severityOf reads the value of a flag. No finding is off.
func severityOf(flag, name, want string) (lint.Severity, error) {
	s, err := lint.ParseSeverity(name)
	if err != nil || s == lint.Off {
		return s, misusef("--%s: no severity %q: want %s", flag, name, want)
	}
	return s, nil
}

// style decides on width and colour: colour only on a terminal, unless it is asked for.
func (p *program) style(color string) (render.Style, error) {
	s := render.Style{Width: widthOf(p.stdout)}
	terminal := isTerminal(p.stdout)
	s.Fit = terminal
	switch color {
	case "auto":
		s.Color = terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	case "always":
		s.Color = true
	case "never":
	default:
		return s, misusef("--color %q: want auto, always or never", color)
	}
	p.stdout.Color = s.Color
	return s, nil
}

// knownSubjects refuses packages and channels that no catalog has: a slip must not look like a clean catalog.
func knownSubjects(cats []*catalogs.Catalog, o lint.Options) error {
	var packages, channels []string
	for _, c := range cats {
		for _, p := range c.Packages {
			packages = append(packages, p.Name.Value)
			for _, ch := range p.Channels {
				if len(o.Packages) == 0 || slices.Contains(o.Packages, p.Name.Value) {
					channels = append(channels, ch.Name.Value)
				}
			}
		}
	}
	for _, s := range []struct {
		what          string
		wanted, known []string
	}{{"package", o.Packages, packages}, {"channel", o.Channels, channels}} {
		slices.Sort(s.known)
		known := slices.Compact(s.known)
		for _, name := range s.wanted {
			if !slices.Contains(known, name) {
				return misusef("no %s %q in the catalog%s", s.what, name, didYouMean(name, known))
			}
		}
	}
	return nil
}
