package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/plan/mirrored"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/diagram/graphviz"
	"github.com/olmgraph/olmgraph/render/page"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

const planHelp = `examples:
  olmgraph plan --snapshot cluster.yaml --to 4.16 redhat-operators@4.14=a/ redhat-operators@4.15=b/ redhat-operators@4.16=c/
  olmgraph plan --snapshot cluster.yaml --to 4.18 --eus community@4.16=a/ community@4.18=b/ -o runbook.md
  olmgraph plan --snapshot cluster.yaml --to 4.16 community@4.14=a/ community@4.16=b/ -o plan.svg -o plan.html
  olmgraph plan --snapshot cluster.yaml --to 4.16 community@4.14=a/ community@4.16=b/ --imageset -o FOLDER/
  olmgraph plan --snapshot few-lines.yaml --to 4.16 catalog@4.14=a/ catalog@4.16=c/

The plan is the steps in order: which operators OLM upgrades, automatically or after an approval, which subscription is switched to
another channel or catalog, when OpenShift is updated. It has the fewest switches, then the fewest approvals, then the fewest upgrades.

NAME@4.14=REF is the catalog that CatalogSource NAME has at OpenShift 4.14, NAME=REF one that it has at every version. A NAME that FILE
does not have is assumed to be a CatalogSource that is created in the global namespace. The catalogs of the version in --to are needed.
At a version without its catalog nothing is upgraded in the plan, and the plan says so.

` + snapshotHelp + `

FILE may also describe one namespace in a few lines, with any NAME if there is only one catalog:

  openshift: "4.14"
  subscriptions:
  - {package: etcd, channel: alpha, installed: etcdoperator.v0.9.0}

The plan takes into account olm.maxOpenShiftVersion, minKubeVersion, APIs and CRD versions that are gone, stored versions in
CRDs, dependencies, install modes, OperatorConditions, and InstallPlans that wait for approval. If there is no plan it says how far the
cluster gets, what blocks it, and what to do first. It does not know other operators of OpenShift that are not upgradeable, nor whether
migrations of objects succeed.

--imageset writes what oc-mirror v2 has to mirror: for each version passed, the packages and channels of the plan with the versions that it passes,
dependencies included. The plan is then found again on what oc-mirror leaves of the catalogs: it is the same.

exit status: 0 there is a plan; 1 there is none; 2 misuse; 3 a catalog or FILE could not be opened or read, not all of a catalog could
be read, it is none, or the answer takes more work than olmgraph tries.`

func (p *program) planCommand() *cli.Command {
	return p.catalogCommand(&cli.Command{
		Name:        "plan",
		Usage:       "plan the update of a cluster to another OpenShift version, with all its operators",
		UsageText:   "[flags] --snapshot FILE --to VERSION NAME@VERSION=REF...",
		Description: planHelp,
		Flags: append(planOutputs(false).flags(),
			snapshotFlag("the objects of a cluster, or a description of a namespace, in a `FILE`"),
			&cli.StringFlag{Name: "to", Usage: "the OpenShift `VERSION` to get to, as 4.18"},
			&cli.StringFlag{Name: "from", Usage: "the OpenShift `VERSION` of the cluster, if FILE has none"},
			&cli.BoolFlag{Name: "eus", Usage: "update the workers only at even versions (control plane only updates)"},
			&cli.BoolFlag{Name: "any", Usage: "operators need not be at the head of their channel in the end"},
			&cli.StringFlag{Name: "global-namespace", Usage: "the `NAME` of the namespace of global CatalogSources (default: olm, or openshift-marketplace if FILE is of OpenShift)"},
			&cli.BoolFlag{Name: "imageset", Usage: "only ImageSetConfigurations for oc-mirror v2, one for each version passed, that mirror what the plan needs; -o FOLDER/ for a file of each"},
			&cli.StringSliceFlag{Name: "catalog-image", Usage: "the image that --imageset is to name for a catalog: `NAME@VERSION=IMAGE`, repeatable (default: REF)"},
			timeoutFlag(),
			colorFlag(),
		),
	}, p.plan)
}

// planOutputs lists the formats of a plan as text, as a picture and as a page; --imageset has its own.
func planOutputs(imageset bool) formatList {
	if imageset {
		return formatList{names: []string{"imageset"}, folders: true}
	}
	return formatList{names: slices.Concat(formatNames(render.PlanFormats()), pictureFormats(), []string{"html"})}
}

// writePlan writes the plan to all outputs.
func (p *program) writePlan(c *cli.Context, to []output, out *plan.Plan) error {
	return writeAll(to, func(o output) error {
		if slices.Contains(formatNames(render.PlanFormats()), o.format) {
			return write(p, c, []output{o}, render.PlanFormats(), out)
		}
		r := newRenderer(c, o.format)
		picture, err := r.plan(c.Context, out)
		if o.format == "html" && c.Context.Err() == nil {
			if err != nil {
				p.logf("the page has no picture: %v", err)
			}
			var whole bytes.Buffer
			err = page.PlanHTML(&whole, out, picture)
			picture = whole.Bytes()
		}
		if err != nil {
			return fmt.Errorf("the picture of the plan: %w", err)
		}
		return p.writeOutput(o, picture)
	})
}

// plan draws a plan: with fewer operators if it is too large.
func (r *renderer) plan(ctx context.Context, out *plan.Plan) (picture []byte, err error) {
	for most := 400; ; most = most * 2 / 3 {
		drawing := diagram.Plan(out, most)
		if most > 10 && (drawing.TooLarge() || r.format == "mermaid" && !diagram.FitsGitHub(diagram.MermaidWhole(drawing))) {
			continue
		}
		if r.format == "mermaid" {
			return []byte(diagram.MermaidWhole(drawing)), nil
		}
		var dot bytes.Buffer
		if err := diagram.DOT(&dot, drawing); err != nil {
			return nil, err
		}
		picture, err = r.layOut(ctx, dot.Bytes(), func(w io.Writer, laidOut []byte) error { return diagram.SVG(w, drawing, laidOut) })
		tooLarge := errors.Is(err, graphviz.ErrTimeout) || errors.Is(err, graphviz.ErrMemory)
		switch {
		case tooLarge && most > 10:
			continue
		case errors.Is(err, graphviz.ErrTimeout):
			err = fmt.Errorf("it takes more than %s; --timeout allows more", r.timeout)
		}
		return picture, err
	}
}

func (p *program) plan(c *cli.Context, o *opener) error {
	files := snapshotFiles(c)
	switch {
	case len(files) == 0:
		return try(misusef("plan needs the objects of the cluster in --snapshot FILE: %s > cluster.yaml", wording.KubectlGet),
			slices.Concat([]string{"plan", "--snapshot", "cluster.yaml"}, p.given[1:])...)
	case c.String("to") == "":
		return misusef("plan needs the OpenShift version to get to: --to VERSION, for example --to 4.18")
	case c.IsSet("catalog-image") && !c.Bool("imageset"):
		return misusef("--catalog-image needs --imageset")
	case readsStdinTwice(slices.Concat(files, referencesOf(c.Args().Slice()))...):
		return errStdinTwice
	}
	to, err := planOutputs(c.Bool("imageset")).outputs(c)
	if err == nil {
		err = p.checkBinary(to)
	}
	if err != nil {
		return err
	}
	in, err := o.planInput(c, files)
	if err != nil {
		return err
	}
	out, err := plan.Find(c.Context, in.cluster, in.catalogs, in.request)
	if err != nil {
		return err
	}
	switch err := in.write(c, to, out); {
	case err != nil:
		return err
	case out.Undecided():
		return status(statusIncomplete)
	case !out.Possible():
		return status(statusFindings)
	}
	return nil
}

// write writes the plan, or what has to be mirrored for it; if there is no plan, --imageset writes why to standard error.
func (in *planInput) write(c *cli.Context, to []output, out *plan.Plan) error {
	switch {
	case !c.Bool("imageset"):
		return in.writePlan(c, to, out)
	case !out.Possible():
		return render.PlanText(in.stderr, out, text.Style{Width: widthOf(in.stderr)})
	}
	sets, err := mirrored.Of(c.Context, in.cluster, in.catalogs, in.request, out)
	if err != nil {
		return err
	}
	if err := makeFolders(to); err != nil {
		return err
	}
	images := in.imagesOf(sets)
	var documents []string
	for i := range sets {
		documents = append(documents, render.PlanImageSet(&sets[i], images))
	}
	return writeAll(to, func(o output) error {
		if !o.folder {
			return in.writeOutput(o, []byte(strings.Join(documents, "---\n")))
		}
		for i := range sets {
			one := o
			one.path = filepath.Join(o.path, fmt.Sprintf("imageset-%s.yaml", sets[i].Minor))
			if err := in.writeOutput(one, []byte(documents[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

// setImages sets the images that --catalog-image names.
func (in *planInput) setImages(given []string) error {
	in.images = make([]string, len(in.refs))
	for _, arg := range given {
		name, image, ok := strings.Cut(arg, "=")
		at := slices.Index(in.names, name)
		if !ok || image == "" || at < 0 {
			return misusef("--catalog-image %s: want NAME@VERSION=IMAGE, with one of %s", arg, strings.Join(in.names, ", "))
		}
		in.images[at] = image
	}
	return nil
}

// imagesOf returns the image of each catalog: that of --catalog-image, else the reference that was given.
func (in *planInput) imagesOf(sets []mirrored.Set) []string {
	images := slices.Clone(in.images)
	var missing []string
	for i := range images {
		if images[i] != "" {
			continue
		}
		images[i] = strings.TrimPrefix(in.refs[i], "docker://")
		used := slices.ContainsFunc(sets, func(s mirrored.Set) bool {
			return slices.ContainsFunc(s.Catalogs, func(c mirrored.Catalog) bool { return c.Index == i })
		})
		if used && !isImage(images[i]) {
			missing = append(missing, "--catalog-image "+in.names[i]+"=IMAGE")
		}
	}
	if len(missing) > 0 {
		in.logf("oc-mirror needs images: give those of the catalogs with %s", strings.Join(missing, " "))
	}
	return images
}

// isImage reports whether a reference that was opened, without docker://, is an image in a registry.
func isImage(ref string) bool {
	_, err := os.Stat(ref)
	scheme, _, _ := strings.Cut(ref, ":")
	return err != nil && ref != "-" && !slices.Contains([]string{"git", "oci", "docker-archive"}, scheme) && !strings.Contains(ref, "://")
}

// planInput is what a plan is made of.
type planInput struct {
	*program
	snapshot *resolve.Snapshot
	files    []string
	states   []*resolve.NamespaceState
	global   string
	cluster  plan.Cluster
	catalogs []plan.Catalog
	refs     []string // of each catalog
	names    []string // of each catalog, as NAME@VERSION
	anyName  bool     // of the only catalog: see describesOne
	images   []string // of each catalog, by --catalog-image; or ""
	request  plan.Request
}

// planInput reads the snapshot and opens the catalogs.
func (o *opener) planInput(c *cli.Context, files []string) (*planInput, error) {
	in := &planInput{program: o.program, files: files, request: plan.Request{EUS: c.Bool("eus"), Any: c.Bool("any")}}
	var err error
	if in.request.To, err = plan.ParseMinor(c.String("to")); err != nil {
		return nil, misusef("--to %w", err)
	}
	if in.snapshot, err = o.readSnapshot(files); err != nil {
		return nil, err
	}
	if err := in.readStates(c.String("global-namespace")); err != nil {
		return nil, err
	}
	if err := in.setMinor(c.String("from")); err != nil {
		return nil, err
	}
	in.anyName = in.describesOne(c.Args().Slice())
	for _, arg := range c.Args().Slice() {
		if err := in.addCatalog(c.Context, o, arg); err != nil {
			return nil, err
		}
	}
	if err := in.setImages(c.StringSlice("catalog-image")); err != nil {
		return nil, err
	}
	if err := in.checkCatalogs(); err != nil {
		return nil, err
	}
	in.addFacts()
	return in, in.addStored()
}

// readStates reads the namespaces.
func (in *planInput) readStates(global string) error {
	names := in.snapshot.Namespaces()
	if len(names) == 0 && len(in.snapshot.Extensions) == 0 {
		state, err := in.snapshot.State("", global)
		if err != nil {
			return fmt.Errorf("--snapshot %s: %w", strings.Join(in.files, ", "), err)
		}
		in.states, in.global = []*resolve.NamespaceState{state}, state.Global
		return nil
	}
	for _, name := range names {
		state, err := in.snapshot.Assumed(name, global)
		if err != nil {
			return fmt.Errorf("--snapshot %s: %w", strings.Join(in.files, ", "), err)
		}
		in.states, in.global = append(in.states, state), state.Global
	}
	return nil
}

// setMinor sets the version of the cluster, and that of the workers.
func (in *planInput) setMinor(from string) error {
	if from == "" {
		from = in.snapshot.OpenShift
		for _, s := range in.states {
			if s.OpenShift != "" {
				from = s.OpenShift
			}
		}
	}
	if from == "" {
		return misusef("the OpenShift version of the cluster is not known: give --from VERSION, or a snapshot with what this prints: %s", wording.KubectlGetOpenShift)
	}
	if parts := strings.SplitN(from, ".", 3); len(parts) == 3 {
		from = parts[0] + "." + parts[1]
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

// addCatalog opens the catalog of an argument: NAME@MINOR=REF or NAME=REF.
func (in *planInput) addCatalog(ctx context.Context, o *opener, arg string) error {
	name, ref, named := strings.Cut(arg, "=")
	if !named || ref == "" || name == "" {
		return misusef("%s: want NAME@VERSION=REF: the catalog that a CatalogSource has at an OpenShift version%s", arg, didYouMean("", in.sourceNames()))
	}
	given := name
	name, version, dated := strings.Cut(name, "@")
	one := plan.Catalog{}
	if dated {
		var err error
		if one.Minor, err = plan.ParseMinor(version); err != nil {
			return misusef("%s: %w", arg, err)
		}
	}
	if err := in.findSource(&one, name); err != nil {
		return err
	}
	if slices.ContainsFunc(in.catalogs, func(c plan.Catalog) bool {
		return c.Source == one.Source && (c.Minor == one.Minor || c.Minor == 0 || one.Minor == 0)
	}) {
		return misusef("the catalog of %s is given twice: leave one out", arg)
	}
	cats, err := o.openFor(ctx, ref, "", true)
	if err != nil {
		return err
	}
	if len(cats) != 1 {
		return misusef("%s holds %d catalogs, but a CatalogSource has one", ref, len(cats))
	}
	if err := requireEdges(ref, cats...); err != nil {
		return err
	}
	one.Packages = cats[0]
	if one.Resolver, err = resolve.NewCatalog(ctx, cats[0]); err != nil {
		return err
	}
	one.Lifecycles, err = readLifecycles(cats[0])
	in.catalogs, in.refs, in.names = append(in.catalogs, one), append(in.refs, ref), append(in.names, given)
	return err
}

// describesOne reports whether FILE describes a namespace of which all subscriptions have one catalog, and all arguments are of one: then its
// name does not matter.
func (in *planInput) describesOne(args []string) bool {
	if !in.snapshot.Described() || len(args) == 0 || len(in.states) != 1 || len(in.states[0].Subscriptions) == 0 {
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

func (in *planInput) sourceNames() []string {
	var names []string
	for _, s := range in.states {
		for i := range s.Sources {
			if name := s.Sources[i].Name; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// findSource finds the CatalogSource of a name, or NAMESPACE/NAME; one that is not there is added to the global namespace.
func (in *planInput) findSource(c *plan.Catalog, name string) error {
	var found []resolve.SourceKey
	for _, s := range in.states {
		for _, key := range s.KeysNamed(name) {
			if !slices.Contains(found, key) {
				found = append(found, key)
			}
		}
	}
	switch {
	case len(found) > 1:
		return misusef("several namespaces have a CatalogSource %q: give NAMESPACE/%s", name, name)
	case len(found) == 1:
		c.Source = found[0]
		return nil
	case in.anyName:
		c.Source = in.states[0].Subscriptions[0].Source
		return nil
	case c.Minor == 0 || c.Minor == in.cluster.Minor:
		return misusef("no CatalogSource %q in the snapshot%s", name, didYouMean(name, in.sourceNames()))
	}
	c.Source = resolve.SourceKey{Name: name, Namespace: in.global}
	in.logf("no CatalogSource %q in the snapshot: it is assumed to be created in namespace %q", name, in.global)
	for _, s := range in.states {
		s.Sources = append(s.Sources, resolve.Source{SourceKey: c.Source})
	}
	return nil
}

// readLifecycles reads the lifecycle metadata of a catalog.
func readLifecycles(c *catalogs.Catalog) (plan.Lifecycles, error) {
	var texts []json.RawMessage
	read := map[string]bool{}
	for i := range c.Others {
		file := c.Others[i].Pos.File
		if c.Others[i].Schema.Value != plan.LifecycleSchema || read[file] {
			continue
		}
		read[file] = true
		text, err := c.ReadFile(file)
		if err != nil {
			return nil, err
		}
		objects, err := catalogs.ParseObjects(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, o := range objects {
			texts = append(texts, o.JSON())
		}
	}
	if len(texts) == 0 {
		return nil, nil
	}
	return plan.ParseLifecycles(texts), nil
}

// checkCatalogs rejects a plan without the catalogs of its end.
func (in *planInput) checkCatalogs() error {
	target := in.request.To
	has := func(key resolve.SourceKey, m plan.Minor) bool {
		return slices.ContainsFunc(in.catalogs, func(c plan.Catalog) bool { return c.Source == key && (c.Minor == m || c.Minor == 0) })
	}
	for _, s := range in.states {
		for i := range s.Subscriptions {
			key := s.Subscriptions[i].Source
			exists := slices.ContainsFunc(s.Sources, func(source resolve.Source) bool { return source.SourceKey == key && source.Unreachable == "" })
			given := slices.ContainsFunc(in.catalogs, func(c plan.Catalog) bool { return c.Source == key })
			other := slices.ContainsFunc(in.catalogs, func(c plan.Catalog) bool { return c.Minor == target })
			if exists && !has(key, target) && !(given && other) {
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
	for _, c := range in.catalogs {
		if !slices.Contains(minors, c.Minor) {
			minors = append(minors, c.Minor)
		}
	}
	slices.Sort(minors[1:])
	for _, s := range in.states {
		sources := slices.Clone(s.Sources)
		var unknown []resolve.InstalledOperator
		for _, m := range minors {
			for i := range s.Sources {
				s.Sources[i].Catalog = nil
				for _, c := range in.catalogs {
					if c.Source == s.Sources[i].SourceKey && (c.Minor == m || c.Minor == 0) {
						s.Sources[i].Catalog = c.Resolver
					}
				}
			}
			unknown = s.AddFacts()
			s.NameOnly = nil
			for i := range unknown {
				s.NameOnly = append(s.NameOnly, unknown[i].Name)
			}
		}
		for i := range unknown {
			in.logf("no catalog has %q: its provided and required APIs are not known; its version is assumed to be %s", unknown[i].Name, unknown[i].Version)
		}
		s.Sources = sources
		in.cluster.Namespaces = append(in.cluster.Namespaces, s.Namespace)
	}
}

// addStored reads the stored versions of the CRDs, or assumes them if there is none.
func (in *planInput) addStored() error {
	in.cluster.Stored = map[string][]string{}
	for _, o := range in.snapshot.CRDs {
		var crd struct {
			Status struct {
				Stored []string `json:"storedVersions"`
			} `json:"status"`
		}
		if err := json.Unmarshal(o.JSON(), &crd); err != nil {
			return fmt.Errorf("--snapshot %s: CustomResourceDefinition %q: %w", strings.Join(in.files, ", "), o.Name, err)
		}
		in.cluster.Stored[o.Name] = crd.Status.Stored
	}
	if in.snapshot.Missing("CustomResourceDefinition") {
		if in.cluster.Stored = plan.AssumedStored(in.cluster, in.catalogs); len(in.cluster.Stored) > 0 {
			in.logf("the snapshot has no CustomResourceDefinition: assumed: status.storedVersions of each has the storage version of what is installed")
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
