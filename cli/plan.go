package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/page"
	"github.com/olmgraph/olmgraph/render/wording"
)

const planHelp = `examples:
  olmgraph plan --snapshot cluster.yaml --to 4.16 community-operators=catalogs/      with v4.14, v4.15 and v4.16 in it
  olmgraph plan --snapshot cluster.yaml --to 4.16 redhat-operators@4.14=a/ redhat-operators@4.15=b/ redhat-operators@4.16=c/
  olmgraph plan --snapshot cluster.yaml --to 4.18 --eus community@4.16=a/ community@4.18=b/ -o runbook.md
  olmgraph plan --snapshot cluster.yaml --to 4.16 community@4.14=a/ community@4.16=b/ -o plan.html
  olmgraph plan --snapshot few-lines.yaml --to 4.16 catalog@4.14=a/ catalog@4.16=c/

The plan is the steps in order: which operators OLM upgrades, automatically or after an approval, which subscription is switched to
another channel or catalog, when OpenShift is updated. It has the fewest switches, then the fewest approvals, then the fewest upgrades.

NAME@4.14=REF is the catalog that CatalogSource NAME has at OpenShift 4.14, NAME=REF one that it has at every version, or at the only
one that the name of REF has. If REF is a folder with a catalog for each OpenShift version, NAME=REF has those of the versions passed.
NAME can be left out if there is one CatalogSource. A NAME that FILE does not have is assumed to be a CatalogSource that is created in the
global namespace. The catalogs of the version in --to are needed. At a version without its catalog nothing is upgraded in the plan, and
the plan says so.

` + snapshotHelp + `

FILE may also describe one namespace in a few lines, with any NAME if there is only one catalog:

  openshift: "4.14"
  subscriptions:
  - {package: etcd, channel: alpha, installed: etcdoperator.v0.9.0}

The plan takes into account olm.maxOpenShiftVersion, minKubeVersion, removed APIs and CRD versions, stored versions
in CRDs, dependencies, install modes, OperatorConditions, and InstallPlans that wait for approval. If there is no
plan, the answer is how far the cluster can be updated, what blocks it, and what to do first. The plan does not
consider other operators of OpenShift that are not upgradeable, nor whether migrations of objects succeed.

exit status: 0 there is a plan; 1 there is none, or an operator is blocked today; 2 misuse; 3 a catalog or FILE could not be
opened or read completely, is not a catalog, or the answer takes more work than olmgraph tries.`

func planCommand() command {
	return command{
		name:     "plan",
		usage:    "plan the update of a cluster to another OpenShift version, with all its operators",
		args:     "[flags] --snapshot FILE --to VERSION [NAME[@VERSION]=]REF...",
		help:     planHelp,
		synonyms: map[string]string{"adm upgrade": "", "upgrade-cluster": "", "can-i-upgrade": ""},
		flags: []cli.Flag{
			snapshotFlag("the objects of a cluster, or a description of a namespace, in a `FILE`"),
			&cli.StringFlag{Name: "to", Usage: "the OpenShift `VERSION` to update to, as 4.18"},
			&cli.StringFlag{Name: "from", Usage: "the OpenShift `VERSION` of the cluster, if FILE has none"},
			&cli.BoolFlag{Name: "eus", Usage: "update the workers only at even versions (control plane only updates)"},
			&cli.BoolFlag{Name: "details", Usage: "with the commands that check each step, in text"},
			&cli.BoolFlag{Name: "any", Usage: "operators need not be at the head of their channel in the end"},
			globalNamespaceFlag(),
			colorFlag(),
		},
		formats: planOutputs(),
		check:   checkPlan,
		answer:  runPlan,
	}
}

// planOutputs lists the formats of a plan as text and as a page.
func planOutputs() formatList {
	return formatList{names: append(formatNames(render.PlanFormats()), "html")}
}

// writePlan writes the plan to all outputs.
func writePlan(to outputs, out *render.Plan) error {
	return to.each(func(o output) error {
		if o.format != "html" {
			return writeTo(to, o, render.PlanFormats(), out)
		}
		var whole bytes.Buffer
		if err := page.PlanHTML(&whole, out.Plan); err != nil {
			return err
		}
		return to.write(o, whole.Bytes())
	})
}

func checkPlan(c *cli.Context, given []string) error {
	switch {
	case len(snapshotFiles(c)) == 0:
		return needsSnapshot(c, given)
	case c.String("to") == "":
		return misusef("plan needs the OpenShift version to update to: --to VERSION, for example --to 4.18")
	}
	return nil
}

func runPlan(c *cli.Context, o *opener, to outputs) error {
	in, err := o.planInput(c)
	if err != nil {
		return err
	}
	out, err := plan.Find(c.Context, in.cluster, in.contents, in.request)
	if err != nil {
		return err
	}
	if out.Today, err = in.blockedToday(c.Context, out); err != nil {
		return err
	}
	return answerStatus(writePlan(to, &render.Plan{Plan: out, Details: c.Bool("details")}), out.IsUndecided(), !out.IsPossible() || len(out.Today) > 0)
}

// blockedToday returns the operators that cluster finds not to run, or whose InstallPlan does not go on, except those that the plan reports.
func (in *planInput) blockedToday(ctx context.Context, out *plan.Plan) ([]plan.Today, error) {
	bound := in.catalogs
	defer func() { in.catalogs = bound }()
	in.catalogs = slices.DeleteFunc(slices.Clone(bound), func(b boundCatalog) bool { return b.minor != 0 && b.minor != in.cluster.Minor })
	question, err := in.question(ctx)
	if err != nil {
		return nil, err
	}
	report, err := cluster.Find(ctx, question)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(report.NotRunning(), func(one plan.Today) bool {
		return slices.ContainsFunc(out.Blockers, func(b plan.Blocker) bool {
			return b.Namespace == one.Namespace && b.Package == one.Package && b.Minor == out.From
		})
	}), nil
}

// planInput is what a plan is made of.
type planInput struct {
	*clusterInput
	cluster  plan.Cluster
	contents []plan.Catalog // of the catalogs
	request  plan.Request
}

// planInput reads the snapshot and opens the catalogs.
func (o *opener) planInput(c *cli.Context) (*planInput, error) {
	in := &planInput{request: plan.Request{EUS: c.Bool("eus"), Any: c.Bool("any")}}
	var err error
	if in.request.To, err = plan.ParseMinor(strings.TrimPrefix(c.String("to"), "v")); err != nil {
		err, to := misusef("--to %w", err), c.String("to")
		if minor := strings.TrimPrefix(to[:max(strings.LastIndex(to, "."), 0)], "v"); openShiftVersion.MatchString(minor) {
			err = suggestInstead(err, to, minor)
		}
		return nil, err
	}
	if in.clusterInput, err = o.clusterInput(c, snapshotFiles(c)); err != nil {
		return nil, err
	}
	if err := in.setMinor(strings.TrimPrefix(c.String("from"), "v")); err != nil {
		return nil, err
	}
	in.versions, in.unknown = true, in.assumedSource(c.Args().Slice())
	in.asked = versionRange{in.cluster.Minor.String(), in.request.To.String()}
	if err := in.bind(c); err != nil {
		return nil, err
	}
	for _, b := range in.catalogs {
		one, err := in.readContent(c.Context, b.Catalog)
		if err != nil {
			return nil, err
		}
		one.Source, one.Minor = b.keys[0], b.minor
		in.contents = append(in.contents, one)
	}
	if err := in.checkCatalogs(); err != nil {
		return nil, err
	}
	in.addFacts()
	return in, in.addStored(c)
}

// setMinor sets the version of the cluster, and that of the workers.
func (in *planInput) setMinor(from string) error {
	if has := minorVersion(in.openShift()); from != "" && has != "" && has != minorVersion(from) {
		in.logf("--from %s is taken, though the snapshot has OpenShift %s", from, has)
	}
	from = cmp.Or(minorVersion(from), in.openShift())
	if from == "" {
		return suggestCommand(misuse{words.Advice{Err: errors.New("the OpenShift version of the cluster is not known: give --from VERSION, or one more --snapshot with what this prints"),
			Command: wording.KubectlGetOpenShift + " > openshift.yaml"}}, append(slices.Clone(in.given), "--from", "VERSION")...)
	}
	minor, err := plan.ParseMinor(from)
	if err != nil {
		return misusef("the version of the cluster: %w", err)
	}
	if in.cluster.Minor = minor; in.request.To < minor {
		return misusef("--to %s: the cluster is at %s already, and OpenShift has no downgrades", in.request.To, minor)
	}
	if len(in.snapshot.Kubelets) > 0 {
		if v, err := semver.ParseTolerant(strings.TrimPrefix(in.snapshot.Kubelets[0], "v")); err == nil && v.Major == 1 && v.Minor > 13 {
			in.cluster.Workers = min(minor, plan.Minor(v.Minor)-13)
		}
	}
	return nil
}

// assumedSource returns a function that returns the source of a name that the snapshot does not have: the one that is described, if its name
// does not matter, or a new one in the global namespace, if its catalog is of a later version.
func (in *planInput) assumedSource(args []string) func(*boundCatalog) (resolve.SourceKey, bool) {
	only := in.describesOne(args)
	return func(b *boundCatalog) (resolve.SourceKey, bool) {
		if only {
			return in.states[0].Subscriptions[0].Source, true
		}
		if b.minor == 0 || b.minor == in.cluster.Minor {
			return resolve.SourceKey{}, false
		}
		name, _, _ := strings.Cut(b.name, "@")
		key := resolve.SourceKey{Name: name, Namespace: in.snapshot.Global()}
		if len(in.states) > 0 {
			key.Namespace = in.states[0].Global
		}
		in.logf("no CatalogSource %q in the snapshot: it is assumed to be created in namespace %q", name, key.Namespace)
		for _, s := range in.states {
			s.Sources = append(s.Sources, resolve.Source{SourceKey: key})
		}
		return key, true
	}
}

// describesOne reports whether FILE describes a namespace of which all subscriptions have one catalog, and all arguments are of one: then its
// name does not matter.
func (in *planInput) describesOne(args []string) bool {
	if in.snapshot.Description == nil || len(args) == 0 || len(in.states[0].Subscriptions) == 0 {
		return false
	}
	nameOf := func(arg string) string {
		name, _, _ := strings.Cut(arg, "=")
		name, _, _ = strings.Cut(name, "@")
		return name
	}
	subs := in.states[0].Subscriptions
	return !slices.ContainsFunc(args, func(arg string) bool { return nameOf(arg) != nameOf(args[0]) }) &&
		!slices.ContainsFunc(subs, func(s resolve.Subscription) bool { return s.Source != subs[0].Source })
}

// checkCatalogs rejects a plan without the catalogs of its end.
func (in *planInput) checkCatalogs() error {
	target := in.request.To
	for _, s := range in.states {
		for i := range s.Subscriptions {
			key := s.Subscriptions[i].Source
			exists := slices.ContainsFunc(s.Sources, func(source resolve.Source) bool { return source.SourceKey == key && source.Unreachable == "" })
			other := slices.ContainsFunc(in.catalogs, func(b boundCatalog) bool { return b.minor == target })
			if exists && in.findBound(key, target) == nil && !(in.findBound(key, 0) != nil && other) {
				return misusef("subscription %q in namespace %q uses CatalogSource %q: give its catalog as %s@%s=REF", s.Subscriptions[i].Name, s.Name, key.String(), key.Name, target)
			}
		}
	}
	return nil
}

// addFacts gives installed operators of which only the name is known the facts that a catalog has: that of the cluster's version, or
// else the oldest one that has it.
func (in *planInput) addFacts() {
	minors := []plan.Minor{in.cluster.Minor}
	minors = find.Distinct(append(minors, words.Map(in.contents, func(c plan.Catalog) plan.Minor { return c.Minor })...))
	slices.Sort(minors[1:])
	for _, s := range in.states {
		sources := s.Sources
		var unknown []resolve.InstalledOperator
		for _, m := range minors {
			s.Sources = slices.Clone(sources)
			for i := range s.Sources {
				at := slices.IndexFunc(in.contents, func(c plan.Catalog) bool {
					return c.Source == s.Sources[i].SourceKey && (c.Minor == m || c.Minor == 0)
				})
				if at >= 0 {
					s.Sources[i].Catalog = in.contents[at].Content
				}
			}
			unknown = s.AddFacts()
		}
		in.noteUnknown(unknown)
		s.Sources = sources
		in.cluster.Namespaces = append(in.cluster.Namespaces, s.Namespace)
	}
}

// addStored reads the stored versions of the CRDs, or assumes them if there is none.
func (in *planInput) addStored(c *cli.Context) error {
	in.cluster.Stored, in.cluster.Objects = map[string][]string{}, in.snapshot.CustomResources
	for _, o := range in.snapshot.CRDs {
		var crd struct {
			Status struct {
				Stored []string `json:"storedVersions"`
			} `json:"status"`
		}
		if err := json.Unmarshal(o.JSON(), &crd); err != nil {
			return snapshotError(snapshotFiles(c), fmt.Errorf("CustomResourceDefinition %q: %w", o.Name, err))
		}
		in.cluster.Stored[o.Name] = crd.Status.Stored
	}
	if in.snapshot.IsMissing("CustomResourceDefinition") {
		if in.cluster.Stored = plan.AssumedStored(in.cluster, in.contents); len(in.cluster.Stored) > 0 {
			in.logf("the snapshot has no CustomResourceDefinition: each is assumed to have stored only the storage version of the installed bundle")
		}
	}
	for i := range in.snapshot.ClusterOperators {
		if o := &in.snapshot.ClusterOperators[i]; o.Name() != "operator-lifecycle-manager" {
			if message, not := o.NotUpgradeable(); not {
				in.logf("ClusterOperator %q is not upgradeable, which blocks the update to the next minor version until it is: %s", o.Name(), message)
			}
		}
	}
	return nil
}
