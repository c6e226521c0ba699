package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/parallel"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
	"github.com/olmgraph/olmgraph/render/page"
)

// renderJob is one call of render: its flags and catalogs.
type renderJob struct {
	*opener
	drawer       // of output
	ref, baseRef string
	outputs      outputs
	output       output          // that is written
	noted        map[string]bool // messages, each of which is written once for all outputs
	notes        *[]string       // messages of one of several packages, which are noted later; or nil
	packages     selection

	options  diagram.UpgradeOptions
	from, to string
	config   *lint.Config

	cat        *catalogs.Catalog
	base       *catalogs.Catalog        // or nil
	pairs      []compare.Pair           // of cat and base or, of several OpenShift versions, of each
	shownIn    map[string]compare.Pair  // those that a page of a change shows a package in
	versions   []openshift.Version      // of the page of the catalogs for several OpenShift versions, of which cat is the newest
	index      *resolve.DependencyIndex // of cat, for the page and dependencies
	judgements *judgements              // of packages that were linted

	baseGiven, baseOpened string       // references of the base, as the user gave it and as it was opened
	command               page.Command // of the page
}

// drawer draws pictures in one format.
type drawer struct {
	format  string
	timeout time.Duration // of a picture
	pool    *graphviz.Pool
}

// selectedPackage is a package and the channels of it to draw; all if there are none.
type selectedPackage struct {
	name     string
	channels []string
}

// selection are the packages to draw.
type selection []selectedPackage

// parseSelection parses arguments PACKAGE and PACKAGE/CHANNEL.
func parseSelection(args []string) (all selection) {
	for _, arg := range args {
		name, channel, one := strings.Cut(arg, "/")
		at := slices.IndexFunc(all, func(p selectedPackage) bool { return p.name == name })
		if at < 0 {
			at = len(all)
			all = append(all, selectedPackage{name: name})
		}
		if one {
			all[at].channels = append(all[at].channels, channel)
		}
	}
	return all
}

// names returns the names of the packages.
func (all selection) names() []string {
	return words.Map(all, func(p selectedPackage) string { return p.name })
}

// withNames selects packages, with the channels that the user names.
func (all selection) withNames(names []string) selection {
	return words.Map(names, func(name string) selectedPackage {
		if at := slices.IndexFunc(all, func(p selectedPackage) bool { return p.name == name }); at >= 0 {
			return all[at]
		}
		return selectedPackage{name: name}
	})
}

// title returns the title of the page: its only package, or the catalog.
func (all selection) title(ref string) string {
	if len(all) == 1 {
		return all[0].name
	}
	return filepath.Base(ref)
}

// forOutput returns the job for one of its outputs.
func (j *renderJob) forOutput(o output) *renderJob {
	one := *j
	one.output, one.format = o, o.format
	return &one
}

// note writes a message, unless it was written for another output. forEachPackage does so in the order of the packages.
func (j *renderJob) note(format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	switch {
	case j.notes != nil:
		*j.notes = append(*j.notes, message)
	case !j.noted[message]:
		j.noted[message] = true
		j.logf("%s", message)
	}
}

// indexDependencies indexes the dependencies of the catalog, which has been read completely, unless it is done.
func (j *renderJob) indexDependencies(ctx context.Context) error {
	if j.index != nil {
		return nil
	}
	ready, err := resolve.NewCatalog(ctx, j.cat)
	if err != nil {
		return err
	}
	j.index, err = resolve.NewDependencyIndex(ctx, ready)
	return err
}

// lintIndex returns the index for the rules, nil if there is none.
func (j *renderJob) lintIndex() *lint.DependencyIndex {
	if j.index == nil {
		return nil
	}
	return &lint.DependencyIndex{Catalogs: []*catalogs.Catalog{j.cat}, DependencyIndex: j.index}
}

// judgements are those of packages that were linted: which upgrades fail and, for a page, what else it says. Several goroutines may use them.
type judgements struct{ byPackage sync.Map }

// storeJudgement checks a package after it was linted, with the manifests that its rules have read.
func (j *renderJob) storeJudgement(c *catalogs.Catalog, p *catalogs.Package, known *judge.Package) {
	if pair, chosen := j.shownIn[p.Name.Value]; chosen && c != pair.Now && c != pair.Base {
		return
	}
	if slices.ContainsFunc(j.pairs, func(p compare.Pair) bool { return p.Base == c }) {
		c = nil
	}
	if j.outputs.has("html") {
		j.judgements.byPackage.Store(p, page.NewJudgement(c, p, known))
	} else {
		j.judgements.byPackage.Store(p, &page.Judgement{Failing: known.FailingUpgrades()})
	}
}

// failingUpgrades returns the upgrades of a package that fail, or nil.
func (s *judgements) failingUpgrades(p *catalogs.Package) map[[2]string][]judge.Reason {
	if checked := s.find(p); checked != nil {
		return checked.Failing
	}
	return nil
}

// find returns the judgement of a package, or nil.
func (s *judgements) find(p *catalogs.Package) *page.Judgement {
	found, _ := s.byPackage.Load(p)
	checked, _ := found.(*page.Judgement)
	return checked
}

// pictureRules returns the rules whose findings pictures count: those that compare the schemas of CRDs take longer than all others, and what they find
// is no part of the graph. An upgrade that fails on the cluster because of its CRDs is drawn as one that fails.
func pictureRules() []lint.Rule {
	return slices.DeleteFunc(rules.All(), func(r lint.Rule) bool { return r.Asks != 0 })
}

// findings lints the packages: the pictures show findings at their entries. For a page it checks their CRDs too.
func (j *renderJob) findings(ctx context.Context, packages []*catalogs.Package) ([]lint.Finding, error) {
	o := lint.Options{Rules: pictureRules(), AllRules: rules.All(), Config: j.config, Progress: j.progress.showChecked}
	for _, p := range packages {
		if j.cat.Package(p.Name.Value) != nil {
			o.Packages = append(o.Packages, p.Name.Value)
		}
	}
	if j.outputs.has("html") {
		if err := j.indexDependencies(ctx); err != nil {
			return nil, err
		}
		o.Rules, o.Dependencies = o.AllRules, j.lintIndex()
	}
	if j.base == nil || !j.outputs.has("html") {
		o.Linted = j.storeJudgement
	}
	found, err := lint.Run(ctx, []*catalogs.Catalog{j.cat}, o)
	if err == nil && j.versions != nil {
		var across []lint.Finding
		across, err = j.acrossVersions(ctx, o)
		found = append(found, across...)
	}
	return slices.DeleteFunc(found, func(f lint.Finding) bool { return f.Suppressed != "" }), err
}

// findingsByPackage returns the findings of each package.
func findingsByPackage(findings []lint.Finding) map[string][]lint.Finding {
	grouped := map[string][]lint.Finding{}
	for i := range findings {
		grouped[findings[i].Package] = append(grouped[findings[i].Package], findings[i])
	}
	return grouped
}

// forEachPackage calls do for n packages, a few at a time, each with a job of its own. It notes what these note, and returns their errors, in
// the order of the packages.
func (j *renderJob) forEachPackage(n int, do func(j *renderJob, i int) error) []error {
	failed, notes := make([]error, n), make([][]string, n)
	j.progress.set("drawing", "pictures", 0, n)
	parallel.EachOn(2*runtime.GOMAXPROCS(0), n, func(i int) { // half of them wait for Graphviz
		one := *j
		one.notes = &notes[i]
		failed[i] = do(&one, i)
		j.progress.step()
	})
	for _, message := range slices.Concat(notes...) {
		j.note("%s", message)
	}
	return failed
}

// prepareOutputs rejects outputs that cannot hold the pictures, and makes their folders.
func (j *renderJob) prepareOutputs(pictures int) error {
	for _, o := range j.outputs.all {
		switch {
		case o.format == "html" && o.folder:
			return misusef("the page is one file: give -o FILE.html")
		case o.format != "html" && pictures > 1 && !o.folder && !j.outputs.trying:
			return suggestCommand(misusef("%d packages are %d pictures: give a folder for them with -o FOLDER/, or -o FILE.html for a page", pictures, pictures), toFile(j.opener.given, false)...)
		}
	}
	return j.outputs.makeFolders()
}
