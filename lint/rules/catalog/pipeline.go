package catalog

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/lint"
)

// PipelineRules returns the rules of the family, in the order in which they are called.
func PipelineRules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.Pipelines, Scope: lint.PerCatalog}, []lint.Rule{
		{
			ID: "pipeline/repository-config", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
			Doc: `the config.yaml of a catalog repository is invalid
The pipelines read from it the organization of the repository, the registries that bundles may come from,
the images of the index, and the checks that operators are exempt from. They have no schema for it, and fail
if a value is missing or has the wrong type. They ignore unknown keys; one that looks misspelt is a warning.
Correct the file.`,
			Reference: "operator-pipelines Repo.config, enrich_indices_with_repo_context, apply_test_waivers",
			Check:     check(catalogs.PipelineConfig, "correct the file"),
		},
		{
			ID: "pipeline/ci-config", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
			Doc: `the ci.yaml of an operator is invalid
The pipelines check operators/NAME/ci.yaml by a schema: its values, the keys of fbc and of
each template in catalog_mapping. They reject updateGraph beside fbc, and a catalog that two
templates are mapped to. They ignore other unknown keys; one that looks misspelt is a warning.
Correct the file.`,
			Reference: "operator-pipelines static_tests/common check_schema_operator_ci_config, check_catalog_usage_ci_config; task read-config",
			Check:     check(catalogs.CIConfig, "correct the file"),
		},
		catalogMapping,
		{
			ID: "pipeline/cert-project", Severity: lint.Error, Gates: lint.GateCertified | lint.GateMarketplace,
			Doc: `an operator does not name its certification project
The pipelines of the certified and the marketplace catalog read the certification project of an operator from cert_project_id
in its ci.yaml, and reject a pull request without one. olmgraph cannot check offline whether the project exists.
Set cert_project_id in ci.yaml.`,
			Reference: "operator-pipelines check_certification_projects",
			Check:     check(catalogs.NoCertProject, "set cert_project_id in ci.yaml"),
		},
		releaseConfig,
		{
			ID: "pipeline/update-graph", Severity: lint.Warning, Gates: lint.GateCommunity,
			Doc: `an operator does not say how its bundles upgrade
updateGraph in ci.yaml is replaces-mode or semver-mode. Without it the pipelines use replaces-mode, and the
pipeline of the community catalog warns. Operators with file-based catalogs have their upgrades in templates.
Set updateGraph in ci.yaml.`,
			Reference: "operator-pipelines static_tests/community check_ci_upgrade_graph",
			Check:     check(catalogs.NoUpdateGraph, "set updateGraph in ci.yaml"),
		},
		{
			ID: "pipeline/file-based", Severity: lint.Warning, Gates: lint.GateCommunity,
			Doc: `an operator does not use file-based catalogs
The bundles of an operator without templates are added to the index one by one, and a release cannot change the upgrades of an earlier
one. The pipeline of the community catalog warns of it.
Enable fbc in ci.yaml, with a template for each catalog.`,
			Reference: "operator-pipelines static_tests/community check_using_fbc",
			Check:     check(catalogs.WithoutTemplates, "enable fbc in ci.yaml, with templates"),
		},
	})
}

// check returns a Check that reports the problems of a kind, but not those of operators that the base has and that have not changed,
// and of published bundles only those that the base does not have.
func check(kind catalogs.ProblemKind, fix string) func(*lint.Pass) {
	return func(p *lint.Pass) { p.ReportProblems(judgedProblems(p, kind), fix, completeFinding) }
}

// completeFinding completes the finding about a problem.
func completeFinding(problem *catalogs.Problem, f *lint.Finding) bool {
	f.Bundle, f.Cause = "", append([]string{judge.FieldPath(problem.Field)}, problem.Cause...)
	if problem.Accepted {
		f.Severity, f.Gates = lint.Warning, lint.GateAdvice
	}
	return true
}

// judgedProblems returns the problems of a kind that a pipeline judges.
func judgedProblems(p *lint.Pass, kind catalogs.ProblemKind) []catalogs.Problem {
	return slices.DeleteFunc(slices.Clone(p.Catalog.Configuration), func(problem catalogs.Problem) bool {
		return problem.Kind != kind || isInBase(p, &problem) || problem.Published && !compare.IsNewFile(p.Catalog, problem.Pos.File, p.BaseCatalog) ||
			kind == catalogs.ReleaseConfig && p.BaseCatalog != nil && compare.SameFile(p.Catalog, problem.Pos.File, p.BaseCatalog) // it was released
	})
}

// isInBase reports whether the base has the problem too, of an operator that is the same there.
func isInBase(p *lint.Pass, of *catalogs.Problem) bool {
	if p.BaseCatalog == nil || slices.Contains(p.ChangedPackages, of.Package) {
		return false
	}
	return slices.ContainsFunc(p.BaseCatalog.Configuration, func(other catalogs.Problem) bool {
		return other.Kind == of.Kind && other.Package == of.Package && other.Field == of.Field && slices.Equal(other.Cause, of.Cause)
	})
}

var catalogMapping = lint.Rule{
	ID: "pipeline/catalog-mapping", Severity: lint.Error, Gates: lint.GateAdvice,
	Doc: `catalog_mapping in ci.yaml does not match the templates or catalogs
make catalogs first removes the operator from all catalogs in catalogs/, and then makes those of catalog_mapping in
ci.yaml. If a template is missing or has another type, it fails, and nothing is published. A catalog that nothing is
mapped to is removed, which is a warning. A template that is mapped to no catalog is not published, which is an info;
so is one that is missing while nothing of the operator is published.
Correct catalog_mapping in ci.yaml.`,
	Reference: "operator-pipelines fbc/Makefile, render_catalogs.sh",
	Check:     checkCatalogMapping,
}

func checkCatalogMapping(p *lint.Pass) {
	check(catalogs.CatalogMapping, "correct catalog_mapping in ci.yaml")(p)
	p.ReportProblems(judgedProblems(p, catalogs.UnmappedTemplate), "", func(problem *catalogs.Problem, f *lint.Finding) bool {
		completeFinding(problem, f)
		f.Severity = lint.Info
		return true
	})
}

var releaseConfig = lint.Rule{
	ID: "pipeline/release-config", Severity: lint.Error, Gates: lint.GatePipelines | lint.GateAdvice,
	Doc: `the release-config.yaml of a bundle is invalid
The pipelines add a bundle to the templates that its release-config.yaml names. They check the file by a schema, and reject it
if ci.yaml does not enable fbc, or if a template is not in catalog_mapping there. defaultChannel must be in channels, and a
channel of a template of type olm.semver must be Fast, Candidate or Stable. For such a template they ignore everything but the
channels, which is a warning. To a basic template they add an entry even if it lists the bundle already with other replaces or
skips; opm rejects two entries of one name. olmgraph checks the templates as the release makes them, which the pipelines render
and validate last before the merge. It does not report what a template of a new operator lacks only until then.
Correct the file.`,
	Reference: "operator-pipelines static_tests/common check_bundle_release_config, check_validate_schema_bundle_release_config; add_bundle_to_fbc",
	Check:     checkReleaseConfig,
}

func checkReleaseConfig(p *lint.Pass) {
	var found []*lint.Finding
	same := map[string]*lint.Finding{} // of several templates
	for _, problem := range judgedProblems(p, catalogs.ReleaseOutcome) {
		if text := problem.Release.SkipRange; text.Value != "" && graph.ReadRange(text.Value) == nil && problemAt(p, text.Pos) == nil {
			found = append(found, &lint.Finding{Subject: lint.Subject{Package: problem.Package}, Cause: []string{"skipRange", text.Value}, Pos: text.Pos,
				Message: fmt.Sprintf("skipRange %q is invalid: opm rejects it from 1.69 on, and OLM ignores it", text.Value),
				Fix:     "write full versions with spaces between them, as in >=1.0.0 <1.2.3"})
			continue
		}
		before, after := problem.Release.Make(p.Context())
		if after == nil {
			continue
		}
		f := checkRelease(p, &problem, before, after)
		if f == nil {
			continue
		}
		key := strings.ReplaceAll(f.Message, problem.Release.Template, "")
		if first := same[key]; first != nil {
			first.Also = append(first.Also, lint.Occurrence{Subject: f.Subject, Pos: f.Pos})
			continue
		}
		same[key], found = f, append(found, f)
	}
	for _, f := range found {
		f.Message += words.AndMore(len(f.Also), "template")
		if cause := problemAt(p, f.Pos); cause != nil && cause.Fix != f.Fix {
			f.Message, f.Fix = cause.Message+"; "+f.Message, cause.Fix
		}
		p.Report(*f)
	}
	reportOthers(p, found)
}

// problemAt returns what is invalid in a line of a release-config.yaml; nil if nothing is.
func problemAt(p *lint.Pass, at catalogs.Pos) *catalogs.Problem {
	i := slices.IndexFunc(p.Catalog.Configuration, func(problem catalogs.Problem) bool {
		return problem.Kind == catalogs.ReleaseConfig && problem.Pos.File == at.File && problem.Pos.Line == at.Line
	})
	if i < 0 {
		return nil
	}
	return &p.Catalog.Configuration[i]
}

// reportOthers reports what is invalid, but not where what becomes of it is told.
func reportOthers(p *lint.Pass, told []*lint.Finding) {
	p.ReportProblems(judgedProblems(p, catalogs.ReleaseConfig), "correct the file", func(problem *catalogs.Problem, f *lint.Finding) bool {
		return completeFinding(problem, f) && !slices.ContainsFunc(told, func(o *lint.Finding) bool { return o.Pos.File == f.Pos.File && o.Pos.Line == f.Pos.Line })
	})
}

// checkRelease returns what the release of a bundle makes of a template: what is misspelt, or else the worst of what opm and users get of it;
// nil if there is nothing.
func checkRelease(p *lint.Pass, problem *catalogs.Problem, before, after *catalogs.Catalog) *lint.Finding {
	r := problem.Release
	f := &lint.Finding{Subject: lint.Subject{Package: problem.Package}, Cause: []string{"outcome", r.Template, r.Bundle}, Severity: lint.Warning, Gates: lint.GateAdvice, Pos: problem.Pos}
	for _, c := range r.Channels {
		if near, ok := likelyChannel(c.Value, before); ok {
			f.Pos, f.Fix = c.Pos, fmt.Sprintf("write %s, unless a channel of that name is intended", near)
			f.Message = fmt.Sprintf("the release adds the channel %q to %s, which has %q: it looks misspelt", c.Value, r.Template, near)
			return f
		}
	}
	found, err := p.IntroducedFindings(after, before)
	if err != nil || len(found) == 0 {
		return nil
	}
	worst := &found[0]
	f.Cause = append(f.Cause, worst.Rule)
	f.Severity, f.Gates, f.Pos, f.Fix = worst.Severity, worst.Gates, positionIn(r, worst), worst.Fix
	f.Message = fmt.Sprintf("after the release of %q, in %s: %s", r.Bundle, r.Template, worst.Message)
	heads := channelHead(before, worst.Channel)
	switch {
	case r.Misspelt.Value != "":
		f.Pos, f.Fix = r.Misspelt.Pos, "write "+r.Misspelt.Value
		return f
	case len(heads) > 0 && worst.Rule == "graph/multiple-heads":
		head := heads[0]
		if named := fmt.Sprintf("%q", r.Bundle); !strings.HasPrefix(worst.Message, named) && !strings.HasPrefix(worst.Message, "channel ") { // an older entry is no cause
			f.Message = fmt.Sprintf("after the release channel %q of %s has 2 heads, %q and %q: opm rejects it", worst.Channel, r.Template, head, r.Bundle)
		}
		f.Fix = fmt.Sprintf("write replaces: %s, the head of channel %q, or skip it", head, worst.Channel)
	default:
		if i := slices.IndexFunc(heads, func(name string) bool { return name != r.Replaces.Value && isRightWith(p, r, name, before) }); i >= 0 {
			f.Fix = fmt.Sprintf("write replaces: %s; or %s", heads[i], f.Fix)
		}
	}
	for _, other := range found[1:] {
		f.Details = append(f.Details, lint.Related{Pos: positionIn(r, &other), Message: other.Message})
	}
	return f
}

// isRightWith reports whether a release that replaces another bundle introduces nothing.
func isRightWith(p *lint.Pass, r *catalogs.Release, replaces string, before *catalogs.Catalog) bool {
	_, after := r.WithReplaces(replaces).Make(p.Context())
	if after == nil {
		return false
	}
	found, err := p.IntroducedFindings(after, before)
	return err == nil && len(found) == 0
}

// likelyChannel returns the channel of a basic template that a misspelt new one is probably meant to be.
func likelyChannel(channel string, before *catalogs.Catalog) (string, bool) {
	var known []string
	for _, p := range before.Packages {
		known = append(known, p.ChannelNames()...)
	}
	if slices.Contains(known, channel) || before.Template.IsGenerated() {
		return "", false
	}
	return words.NearestVersioned(channel, known)
}

// channelHead returns the head of a channel of a template, and what it replaces.
func channelHead(c *catalogs.Catalog, channel string) (names []string) {
	for _, p := range c.Packages {
		if ch := p.Channel(channel); ch != nil {
			g := graph.New(p, ch)
			if head, ok := g.Head(); ok {
				names = append(names, g.Name(head))
				if replaced := ch.Entries[head].Replaces.Value; replaced != "" {
					names = append(names, replaced)
				}
			}
		}
	}
	return names
}

// positionIn returns where a release has what a finding is about: the first of its values that the message names, or else its channel.
func positionIn(r *catalogs.Release, f *lint.Finding) catalogs.Pos {
	for _, t := range slices.Concat([]catalogs.Text{r.Replaces}, r.Skips, []catalogs.Text{r.SkipRange}) {
		if t.Value != "" && strings.Contains(f.Message, fmt.Sprintf("%q", t.Value)) {
			return t.Pos
		}
	}
	if i := slices.IndexFunc(r.Channels, func(c catalogs.Text) bool { return c.Value == f.Channel && !r.Replaces.Pos.IsKnown() }); i >= 0 {
		return r.Channels[i].Pos
	}
	return catalogs.KnownPos(r.Replaces.Pos, r.Channels[0].Pos)
}
