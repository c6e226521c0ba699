package lint

import (
	"cmp"
	"context"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// stage takes the findings of the stages before it, and returns those that there are then. cats are the catalogs that are linted together; those for the
// whole run have none.
type stage func(ctx context.Context, cats []*catalogs.Catalog, all []Finding) ([]Finding, error)

// stages are what happens to findings after rules report them, in this order: to those of catalogs that are linted together, then to those of the whole
// run. Nothing later moves a finding, or makes one of several; --min-severity and formats may show fewer. Runs within a run, as of a base or of a copy
// without a change, are stages of their own, or the first one alone.
func (l *Linter) stages() (together, whole []stage) {
	o := l.options
	together = []stage{
		l.runRules,      // unit.run sets severities, and drops what is not selected or not changed (run.go)
		l.suppress,      // marks what the configuration and comments suppress, at the places that rules report (suppress.go)
		o.afterReleases, // drops what is wrong with a template until a release adds a bundle (across_versions.go)
		o.newFindings,   // with OnlyNew drops what the base has too (compare.go)
		o.atCauses,      // moves findings to the changes that cause them, and folds those of one change (causes.go)
	}
	whole = []stage{
		l.betweenCatalogs,       // adds what is wrong between catalogs, and with those that are gone
		foldStage(foldDrift),    // into what another catalog may have (merge.go)
		l.acceptBaseline,        // marks each finding that it accepts, before they are folded
		foldStage(foldChannels), // which keeps apart what is suppressed (merge.go)
		l.recordBaseline,
		l.aboutSuppressions, // adds what is wrong with suppressions, comments and the baseline (suppress.go)
	}
	if o.ForReport {
		whole = append(whole, foldStage(foldCatalogs), l.sort, foldStage(foldCRDs))
	}
	return together, whole
}

// pass passes findings through stages.
func pass(ctx context.Context, through []stage, cats []*catalogs.Catalog, all []Finding) (_ []Finding, err error) {
	for _, s := range through {
		if all, err = s(ctx, cats, all); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// foldStage returns the stage in which findings become parts of others.
func foldStage(fold func([]Finding) []Finding) stage {
	return func(_ context.Context, _ []*catalogs.Catalog, all []Finding) ([]Finding, error) {
		return fold(all), nil
	}
}

func (l *Linter) runRules(ctx context.Context, cats []*catalogs.Catalog, _ []Finding) ([]Finding, error) {
	return l.options.runRulesOn(ctx, cats)
}

func (l *Linter) suppress(_ context.Context, cats []*catalogs.Catalog, all []Finding) ([]Finding, error) {
	l.suppressor.readComments(cats)
	l.suppressor.mark(all)
	return all, nil
}

func (l *Linter) betweenCatalogs(ctx context.Context, _ []*catalogs.Catalog, all []Finding) ([]Finding, error) {
	more, err := l.acrossVersions(ctx)
	more = append(more, l.options.catalogChanges()...)
	l.suppressor.mark(more)
	return append(all, more...), err
}

func (l *Linter) acceptBaseline(_ context.Context, _ []*catalogs.Catalog, all []Finding) ([]Finding, error) {
	if l.options.Baseline != nil {
		l.options.Baseline.Accept(all)
	}
	return all, nil
}

func (l *Linter) recordBaseline(_ context.Context, _ []*catalogs.Catalog, all []Finding) ([]Finding, error) {
	if l.options.Record == nil {
		return all, nil
	}
	return all, l.options.Record(all)
}

func (l *Linter) aboutSuppressions(_ context.Context, _ []*catalogs.Catalog, all []Finding) ([]Finding, error) {
	return append(all, l.suppressor.ownFindings()...), nil
}

// sort is the order of a report: first the packages with errors, then those with warnings, then the others, each by name; what is about catalogs as a
// whole is a package without a name. In a package the worst come first, then they are by catalog and position.
func (l *Linter) sort(_ context.Context, _ []*catalogs.Catalog, all []Finding) ([]Finding, error) {
	worst, catalog := map[string]Severity{}, map[string]int{}
	for _, name := range l.names {
		catalog[name] = len(catalog)
	}
	for i := range all {
		f := &all[i]
		if f.Suppressed == "" {
			worst[f.Package] = max(worst[f.Package], f.Severity)
		}
		if _, met := catalog[f.Catalog]; !met {
			catalog[f.Catalog] = len(catalog)
		}
	}
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(worst[b.Package], worst[a.Package]),
			cmp.Compare(a.Package, b.Package),
			cmp.Compare(b.Severity, a.Severity),
			cmp.Compare(catalog[a.Catalog], catalog[b.Catalog]),
			compareFindings(a, b),
		)
	})
	return all, nil
}
