package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render/report"
)

const lintHelp = `examples:
  olmgraph lint catalog/                     check a catalog with all rules
  olmgraph lint --gate opm catalog/          only what opm validate rejects
  olmgraph lint --only 'graph/*' catalog/    only the upgrade graphs
  olmgraph lint --complete a/ b/             the only catalogs on clusters
  olmgraph lint --fix --diff catalog/        what --fix would change
  opm render IMAGE | olmgraph lint -         a catalog from standard input
  olmgraph lint --base published/ catalog/   also what a change does to users
  olmgraph lint --base published/ --new catalog/
                                             only what the base does not have

CATALOG is a folder, a file, or - for standard input, in any form: see olmgraph --help. As opm does, olmgraph
reads every file of a file-based catalog's folder, YAML or JSON, except those in a .indexignore. A folder is
several catalogs if all folders in it are named after an OpenShift version (v4.18, 4.18, anything-v4.18 or anything-4-18).
Each of those is a catalog, and so is each file with such a name; other files there are not read.

gates, which name what rejects a catalog:
  opm        opm validate rejects the catalog
  serve      opm serve or the package server cannot serve or show the catalog
  olmv0      OLM v0: users cannot install, upgrade or resolve
  olmv1      OLM v1, likewise
  apiserver  the Kubernetes API server rejects an object
  community, certified, marketplace
             the pipeline of this catalog repository rejects it
  advice     nothing rejects it; users are affected

-o FORMAT writes the report to standard output, -o FORMAT=FILE or a file with the ending of a format to a file; several at once:
  olmgraph lint catalog/ -o text -o olmgraph.sarif -o junit=olmgraph.xml

A file .olmgraph.yaml in a folder above the catalog's sets the severities of rules; in the catalog's own folder opm rejects it,
unless .indexignore names it.

exit status: 0 clean; 1 findings at or above --fail-on, or what was read is not a catalog; 2 misuse;
3 a catalog could not be opened, a folder has none, a rule failed, or a report was not written. NO_COLOR turns colours off.`

func lintCommand() command {
	return command{
		name:     "lint",
		usage:    "find problems in a catalog, and say how to fix them",
		args:     "[flags] CATALOG…",
		help:     lintHelp,
		flags:    slices.Concat(lintFlags(), answerFormats(report.Formats()).flags(), fixFlags(), baselineFlags()),
		synonyms: map[string]string{"validate": "", "check": "", "verify": "", "ci": "", "test": "", "bundle validate": "", "scan": "", "fix": "--fix --diff", "fmt": "--fix --diff", "stuck": "--only graph", "baseline": "--write-baseline --baseline .olmgraph-baseline.json"},
		needless: map[string]string{"lifecycle": inCatalog, "lifecycles": inCatalog},
		takes:    takes{named: true},
		formats:  answerFormats(report.Formats()),
		answer:   runLint,
	}
}

// lintFlags returns the flags of lint that are not about its outputs, fixes and baselines.
func lintFlags() []cli.Flag {
	return []cli.Flag{
		enumFlagValue{documentedFlag: &cli.StringSliceFlag{Name: "gate", Usage: "only findings of one of these `GATES`"}, values: judge.GateNames()},
		enumFlag("pipeline", "", "`WHICH` pipeline judges the catalog, if not that of the organization in the repository's config.yaml", lint.PipelineNames()...),
		rulesFlag("only", "only these `RULES`: IDs, families or patterns like 'graph/*'"),
		rulesFlag("skip", "not these `RULES`"),
		&cli.StringSliceFlag{Name: "package", Usage: "only these `PACKAGES`"},
		&cli.StringSliceFlag{Name: "channel", Usage: "only these `CHANNELS`"},
		&cli.StringFlag{Name: "base", Usage: "compare with the published `CATALOG`, and check only packages that differ"},
		&cli.BoolFlag{Name: "new", Usage: "with --base: only findings that the base does not have"},
		&cli.BoolFlag{Name: "trust-changes", Usage: "with --base: comments, configuration and baseline count as they are now, and removed catalogs warn"},
		&cli.BoolFlag{Name: "complete", Usage: "the catalogs are the only ones on clusters, the first ones preferred: a requirement that none of them provides is an error"},
		enumFlag("olm", "auto", "`WHICH` OLM users have (auto: v0 before OpenShift 4.18, both from then on; if the version is not known, findings of OLM v1 alone are warnings)", lint.OLMNames()...),
		enumFlag("fail-on", "error", "exit with 1 if there are findings of this `SEVERITY` or above", "info", "warning", "error", "none"),
		minSeverityFlag(),
		&cli.BoolFlag{Name: "details", Usage: "each detail and place of a finding, with its position, in text; and more findings of a rule: 10,000 lines of text instead of 200, and for programs 50,000 findings instead of 1,000"},
		colorFlag(),
		&cli.StringFlag{Name: "kube", Usage: "check objects for this `VERSION` of Kubernetes, as 1.29"},
		configFlag(),
	}
}

func runLint(c *cli.Context, o *opener, to outputs) error {
	run, err := judgeCatalogs(c, o)
	options := run.options
	failOn, min := parseSeverity(c.String("fail-on")), options.MinSeverity
	switch {
	case err != nil:
		return err
	case len(run.catalogs) == 0:
		return run.openErrors
	}
	if o.missing != nil { // its registries were asked
		for _, cat := range run.catalogs {
			cat.UnseenIn = nil
		}
	}
	report := report.Report{Catalogs: run.catalogs, Findings: filterShown(run.findings, min), Packages: options.Packages, Base: run.base,
		Guides: func() []report.Guide { return readGuides(o.rules, options.Rules) }, Version: version(), Rules: run.rules, NoRules: run.noRules, Linted: run.linted, Hidden: countHidden(run.findings, min),
		Infos: c.IsSet("min-severity"), Details: c.Bool("details"), FixCommand: fixCommand(c, run.catalogs), DetailsCommand: repeatCommand(c, "--details")}
	if line := o.command.instead(c.Context, o.given); line != nil && isForeign(run) {
		report.InsteadCommand = commandLine(line...)
	}
	if err := to.report(report); err != nil {
		return err
	}
	o.progress.printDuration()
	if !tellsLimitation(report, to) {
		for _, cat := range run.catalogs {
			o.noteFormLimitation(cat)
		}
	}
	o.noteHidden(run.findings, min, failOn)
	return lintStatus(run.findings, failOn, run.openErrors)
}

// isForeign reports whether something that was given is no catalog.
func isForeign(run *lintRun) bool {
	_, none := firstForeign(run.catalogs)
	return none || slices.ContainsFunc(run.findings, func(f lint.Finding) bool { return f.Unchecked == lint.NoPackage })
}

// judgeCatalogs lints the catalogs as the flags say.
func judgeCatalogs(c *cli.Context, o *opener) (*lintRun, error) {
	run, refs := &lintRun{opener: o, c: c}, c.Args().Slice()
	if err := checkLint(c, o, refs); err != nil {
		return run, err
	}
	base, err := readBaseFiles(c, o.options, refs)
	if err != nil {
		return run, err
	}
	if run.options, run.configs, err = lintOptions(c, refs, base); err != nil {
		return run, err
	}
	err = run.lint()
	run.rules, run.noRules = run.options.RulesRun(run.catalogs), noRules(c, run.options, run.catalogs)
	return run, err
}

// tellsLimitation reports whether a report tells what the form of the catalogs does not contain. People see no infos unless they ask for them:
// of a template without bundles they are told apart from the report.
func tellsLimitation(r report.Report, to outputs) bool {
	hidden := !r.Infos && (to.has("text") || to.has("markdown"))
	return slices.ContainsFunc(r.Findings, func(f lint.Finding) bool {
		return f.Unchecked == lint.NotInForm || f.Unchecked == lint.NoPackage || f.Unchecked == lint.UnknownBundles && !hidden
	})
}

// readBaseFiles returns the files of the base that decide how catalogs are judged, nil if their own do.
func readBaseFiles(c *cli.Context, options open.Options, refs []string) (*baseFiles, error) {
	if !c.IsSet("base") || c.Bool("trust-changes") {
		return nil, nil
	}
	at, err := compare.FindBase(c.Context, c.String("base"), refs, options)
	if err != nil {
		return nil, baseError(fmt.Errorf("base: %w", err))
	}
	return &baseFiles{ctx: c.Context, at: at, now: refs[0], known: map[string][]byte{}}, nil
}

// checkLint rejects flags that cannot be combined.
func checkLint(c *cli.Context, o *opener, refs []string) error {
	switch {
	case c.IsSet("base") && c.String("base") == "":
		return misusef("--base needs a catalog to compare with")
	case c.Bool("new") && !c.IsSet("base"):
		err := misusef("--new needs --base CATALOG")
		if base, ok := repositoryBase(c.Context); ok {
			return suggestCommand(err, append(slices.Clone(o.given), "--base", base)...)
		}
		return err
	case readsStdinTwice(append(slices.Clone(refs), c.String("base"))...):
		return errStdinTwice
	}
	return checkFix(c, o, refs)
}

// isShown reports whether a finding is in the report. Findings about what could not be read always are.
func isShown(f *lint.Finding, from lint.Severity) bool {
	return f.Severity >= from || f.Unchecked.AlwaysReported() || f.Unchecked == lint.UnreadInBase
}

func filterShown(findings []lint.Finding, from lint.Severity) []lint.Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f lint.Finding) bool { return !isShown(&f, from) })
}

// countHidden returns the number of findings that are neither shown nor suppressed.
func countHidden(findings []lint.Finding, from lint.Severity) int {
	hidden := 0
	for i := range findings {
		if f := &findings[i]; f.Suppressed == "" && !isShown(f, from) {
			hidden += f.Count()
		}
	}
	return hidden
}

// isFailure reports whether a finding makes the exit status 1, whether it is shown or not.
func isFailure(f *lint.Finding, failOn lint.Severity) bool {
	return f.Suppressed == "" && (f.Severity >= failOn || f.Unchecked.AlwaysReported())
}

// noteHidden reports findings that make the exit status 1 and are not shown: without it the report could look clean.
func (l *logger) noteHidden(findings []lint.Finding, shownFrom, failOn lint.Severity) {
	hidden := slices.DeleteFunc(slices.Clone(findings), func(f lint.Finding) bool { return !isFailure(&f, failOn) || isShown(&f, shownFrom) })
	if len(hidden) > 0 {
		l.logf("--min-severity %s hides %s that --fail-on %s counts", shownFrom, words.Count(len(lint.UnfoldCRDs(hidden)), "finding"), failOn)
	}
}

// lintStatus returns the exit status as an error. The error of catalogs that could not be opened comes first.
func lintStatus(findings []lint.Finding, failOn lint.Severity, unopened error) error {
	if unopened != nil {
		return unopened
	}
	switch failures := slices.DeleteFunc(slices.Clone(findings), func(f lint.Finding) bool { return !isFailure(&f, failOn) }); {
	case slices.ContainsFunc(failures, func(f lint.Finding) bool { return f.Unchecked == lint.NotLooked }):
		return status(statusIncomplete)
	case len(failures) > 0:
		return status(statusFindings)
	}
	return nil
}

// lintOptions returns the options of the flags, and the configurations of the references.
func lintOptions(c *cli.Context, refs []string, base *baseFiles) (lint.Options, *configs, error) {
	o := lint.Options{Packages: c.StringSlice("package"), Channels: c.StringSlice("channel"), OnlyNew: c.Bool("new"), TrustChanges: base == nil,
		MinSeverity: parseSeverity(c.String("min-severity"))}
	var err error
	o.AllRules = rules.All()
	if o.Rules, err = selectRules(c.StringSlice("only"), c.StringSlice("skip")); err != nil {
		return o, nil, err
	}
	for _, name := range c.StringSlice("gate") {
		gate, _ := judge.ParseGate(name)
		o.Gates |= gate
	}
	kube, pipeline := c.String("kube"), c.String("pipeline")
	configs, err := newConfigs(c.String("config"), refs, base, func(config *lint.Config) {
		config.Pipeline = cmp.Or(pipeline, config.Pipeline)
		config.Kube, config.Complete, config.OLM = cmp.Or(kube, config.Kube), c.Bool("complete"), cmp.Or(c.String("olm"), lint.OLMNames()[0])
	})
	if err != nil {
		return o, nil, err
	}
	if _, err := lint.ParseKubeVersion(kube); kube != "" && err != nil {
		return o, nil, misuse{fmt.Errorf("--kube: %w", err)}
	}
	if o.Config, err = configs.readNearest(refs[0]); err != nil {
		return o, nil, err
	}
	o.ConfigOf = configs.find
	return o, configs, baselineOptions(c, &o, base)
}

// selectRules returns the rules that match a pattern of only, or all if only is empty, without those that match a pattern of
// skip.
func selectRules(only, skip []string) ([]lint.Rule, error) {
	all := rules.All()
	for _, pattern := range slices.Concat(only, skip) {
		if !slices.ContainsFunc(all, func(r lint.Rule) bool { return matches(&r, pattern) }) {
			severity, alone := strings.TrimSuffix(pattern, "s"), slices.Equal(only, []string{pattern})
			switch {
			case alone && slices.Contains([]string{"error", "warning", "info"}, severity):
				return nil, suggestion{error: misusef("no rule %q: that is a severity", pattern), was: pattern, now: []string{"--min-severity", severity}, withFlag: true}
			case alone && len(foldersOf(pattern)) > 0:
				return nil, suggestion{error: misusef("no rule %q: that is a package", pattern), was: pattern, now: []string{"--package", pattern}, withFlag: true}
			}
			return nil, noRule(pattern, all)
		}
	}
	return slices.DeleteFunc(all, func(r lint.Rule) bool {
		matched := func(pattern string) bool { return matches(&r, pattern) }
		return !r.Unchecked.AlwaysReported() && (len(only) > 0 && !slices.ContainsFunc(only, matched) || slices.ContainsFunc(skip, matched))
	}), nil
}

// parseSeverity returns the severity that a flag names. "none" is above all severities.
func parseSeverity(name string) lint.Severity {
	if name == "none" {
		return lint.Error + 1
	}
	s, _ := lint.ParseSeverity(name) // enumFlagValue has checked the name
	return s
}

// minSeverityFlag returns --min-severity, whose default depends on the format.
func minSeverityFlag() cli.Flag {
	values := []string{"info", "warning", "error"}
	return enumFlagValue{documentedFlag: &cli.StringFlag{Name: "min-severity", Value: "info",
		DefaultText: "warning in text and Markdown, which count infos; info in other formats",
		Usage:       "hide findings below this `SEVERITY`, which still count for --fail-on: " + words.List(values, "or")}, values: values}
}
