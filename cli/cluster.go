package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render"
)

const clusterHelp = `examples:
  olmgraph cluster --snapshot cluster.yaml catalog/                    with one CatalogSource
  olmgraph cluster --snapshot cluster.yaml community-operators=a/ redhat-operators=b/
  olmgraph cluster --snapshot cluster.yaml --snapshot openshift.yaml olm/community=a/ -o cluster.md
  olmgraph cluster --snapshot east=e.yaml --snapshot west=w.yaml community-operators=catalogs/   several clusters
  olmgraph cluster --snapshot cluster.yaml catalog/ -n operators --details       one namespace, with the steps of each operator
  olmgraph cluster --snapshot cluster.yaml catalog/ --what-if prometheus=0.47.0
  olmgraph cluster --snapshot cluster.yaml catalog/ --remove etcd

` + snapshotHelp + `

The table has each operator of each namespace: what is installed, its channel, and its state. NEXT is the version to which OLM upgrades
it, then the last one that it reaches if nothing blocks it. Below, for everything that is blocked, is what to do and who has to act: the
administrator of the cluster, the maintainer of the package, or the operator. A namespace that is blocked as a whole is listed once.

-n shows only what is in one namespace. --details adds the steps of each operator, with their commands and the dependencies that OLM
installs. They assume that every InstallPlan is approved, and that every installation succeeds that OperatorGroup and
OperatorConditions allow. --what-if and --remove are about the namespace that has the package, or that of -n. --remove says who
requires an operator, how to remove it, and what OLM leaves. FILE may also describe a namespace in a few lines:

  installed: [etcd.v0.9.4]
  subscriptions:
  - {package: prometheus, channel: beta, installed: prometheusoperator.0.47.0}
  catalogs:
  - {name: community, ref: catalog/, priority: 10}

All but package can be left out. Further fields are namespace, the name, catalog and startingCSV of a subscription, and the
namespace of a catalog. Installed bundles are looked up in the catalogs. Give one that no catalog has as a name that ends in a
version, or as NAME@VERSION, here and in --what-if. A ref is as on the command line. One OperatorGroup that fits is assumed.

NAME=FILE is for several clusters; files of one NAME are of one cluster. The table has, for each package, what is
installed, what it is upgraded to, and in which clusters. Above it is which cluster is behind another one; below it
is what to do, once for all clusters. Give a file whose name has a = as ./FILE, and catalogs once for all clusters.

Give a catalog, published or not, as NAME=REF for a CatalogSource or ClusterCatalog, or as NAMESPACE/NAME=REF
if two have the same name. Without its catalog an operator is assumed not to change. Of a folder with a
catalog for each OpenShift version, the one for the cluster is used. Copied ClusterServiceVersions are
ignored. The answer says of which kinds FILE has no objects: these are assumed to be in order.

exit status: 0 nothing is blocked; 1 somebody has to act, in any of the clusters, or an operator breaks; 2 misuse; 3 a
catalog or FILE could not be opened or read completely, is not a catalog, or the answer takes more work than olmgraph tries.`

func clusterCommand() command {
	return command{
		name:  "cluster",
		usage: "show what OLM does next with each operator of a cluster, what blocks it, and who has to act",
		args:  "[flags] --snapshot [NAME=]FILE [NAME=]REF...",
		help:  clusterHelp,
		flags: []cli.Flag{
			snapshotFlag("the objects of a cluster, or a description of a namespace, in a `FILE`; NAME=FILE for one of several clusters"),
			&cli.StringFlag{Name: "namespace", Aliases: []string{"n"}, Usage: "only the namespace of this `NAME`"},
			&cli.BoolFlag{Name: "details", Usage: "with the steps of each operator, and their commands"},
			globalNamespaceFlag(),
			&cli.StringFlag{Name: "what-if", Usage: "assume this version or bundle is installed, in the catalog or not: `PACKAGE=VERSION`"},
			&cli.StringFlag{Name: "remove", Usage: "what to do to remove `PACKAGE`, and what follows"},
			colorFlag(),
		},
		synonyms: map[string]string{"approve": "", "resolve": "", "diagnose": "", "doctor": "", "status": "", "troubleshoot": "", "get subscriptions": "", "get sub": "", "get csv": "", "get installplan": "", "describe sub": "", "describe csv": ""},
		needless: map[string]string{"A": "all namespaces are judged", "all-namespaces": "all namespaces are judged",
			"context": "it reads files, and no cluster", "kubeconfig": "it reads files, and no cluster", "server": "it reads files, and no cluster", "token": "it reads files, and no cluster"},
		takes:   takes{snapshot: true},
		formats: answerFormats(render.ClusterFormats()),
		check:   checkCluster,
		answer:  runCluster,
	}
}

func runCluster(c *cli.Context, o *opener, to outputs) error {
	files, err := filesOfClusters(c)
	if err != nil {
		return err
	}
	if files[0].name != "" && (c.IsSet("namespace") || c.IsSet("what-if") || c.IsSet("remove")) {
		return misusef("-n, --what-if and --remove are for one cluster: give its files alone, without a name")
	}
	report, err := o.clusterReport(c, files)
	if err != nil {
		return err
	}
	o.noteUnknown(report.Unknown)
	return answerStatus(write(to, render.ClusterFormats(), report), report.IsUndecided(), report.Blocked)
}

// checkCluster rejects missing arguments and flags that cannot be combined.
func checkCluster(c *cli.Context, given []string) error {
	pkg, version, _ := strings.Cut(c.String("what-if"), "=")
	switch {
	case len(snapshotFiles(c)) == 0:
		return needsSnapshot(c, given)
	case c.IsSet("what-if") && (pkg == "" || version == ""):
		return misusef("--what-if %q: want PACKAGE=VERSION", c.String("what-if"))
	case c.IsSet("what-if") && c.IsSet("remove"):
		return misusef("--what-if and --remove cannot be used together")
	}
	return nil
}

// oneNamespace returns the namespace that is answered: that of -n, the one that is described, or the only one that has the package of a
// question, else the only one with Subscriptions, or at all; "" for all.
func (in *clusterInput) oneNamespace(c *cli.Context) (string, error) {
	if in.snapshot.Description != nil {
		return in.states[0].Name, nil
	}
	if c.IsSet("namespace") || !c.IsSet("what-if") && !c.IsSet("remove") {
		return c.String("namespace"), nil
	}
	pkg, _, _ := strings.Cut(c.String("what-if")+c.String("remove"), "=")
	hasPackage := func(s *resolve.NamespaceState) bool {
		_, operators, subs := s.Without(pkg)
		return len(operators)+len(subs) > 0
	}
	all := in.states
	for _, has := range []func(*resolve.NamespaceState) bool{func(s *resolve.NamespaceState) bool { return len(s.Subscriptions) > 0 }, hasPackage} {
		if some := slices.DeleteFunc(slices.Clone(in.states), func(s *resolve.NamespaceState) bool { return !has(s) }); len(some) > 0 {
			all = some
		}
	}
	names := words.Map(all, func(s *resolve.NamespaceState) string { return s.Name })
	switch len(names) {
	case 0:
		return "", misusef("the snapshot has no namespace with a Subscription or ClusterServiceVersion")
	case 1:
		return names[0], nil
	}
	which := "no namespace has"
	if hasPackage(all[0]) {
		which = "several namespaces have"
	}
	return "", misusef("%s package %q: select the one that the question is about with -n: %s", which, pkg, strings.Join(words.Quote(names), ", "))
}

// supposition returns what changes a namespace as flags ask; nil if none does.
func supposition(c *cli.Context) func(*resolve.ResolveReport) error {
	switch {
	case c.IsSet("what-if"):
		return func(r *resolve.ResolveReport) error { return whatIf(r, c.String("what-if")) }
	case c.IsSet("remove"):
		return func(r *resolve.ResolveReport) error { return remove(r, c.String("remove")) }
	}
	return nil
}

// whatIf changes the namespace as --what-if asks.
func whatIf(out *resolve.ResolveReport, text string) error {
	pkg, version, _ := strings.Cut(text, "=")
	source, pg, err := sourceWith(&out.Before, pkg)
	if err != nil {
		return err
	}
	if _, err := (selector{pg}).channels(nil); err != nil {
		return err
	}
	installed, err := selector{pg}.findInstalled(version, nil)
	if err != nil {
		return err
	}
	channel, _ := selector{pg}.installedChannel(installed)
	sub := resolve.Subscription{Name: pkg, Package: pkg, Channel: channel.Channel.Name.Value, Source: source.SourceKey}
	if !pg.Has(installed.Name) {
		return whatIfRemoved(out, installed, sub)
	}
	operator, _ := source.Catalog.InstalledOperator(pkg, installed.Name)
	out.Before = out.Before.WithInstalled(operator, sub)
	out.WhatIf = fmt.Sprintf("as if %s were installed", installed.Name)
	return nil
}

// whatIfRemoved is whatIf for a bundle that is not in the catalog any more. If only its version is known, its name is assumed
// to be PACKAGE.vVERSION.
func whatIfRemoved(out *resolve.ResolveReport, installed graph.InstalledBundle, sub resolve.Subscription) error {
	version, err := semver.ParseTolerant(installed.Version)
	if err != nil {
		return misusef("package %q has no bundle %q, and the name has no version: give it as NAME@VERSION", sub.Package, installed.Name)
	}
	name, note := installed.Name, ""
	if installed.HasOnlyVersion() {
		name = fmt.Sprintf("%s.v%s", sub.Package, version)
		note = "; this is assumed to be its name, since no entry replaces or skips one of this version"
	}
	out.Before = out.Before.WithInstalled(resolve.InstalledOperator{Name: name, Version: version}, sub)
	out.WhatIf = fmt.Sprintf("as if %s were installed, version %s, which CatalogSource %q does not have: its provided and required APIs are not known%s",
		name, version, out.Before.SourceName(sub.Source), note)
	return nil
}

// sourceWith returns a source that has the package: that of its subscription, or the first one.
func sourceWith(in *resolve.Namespace, pkg string) (*resolve.Source, *graph.PackageGraph, error) {
	var all []string
	var found *resolve.Source
	for i := range in.Sources {
		source := &in.Sources[i]
		catalog := source.Catalog
		if catalog == nil { // it cannot be reached
			continue
		}
		names := packageNames([]*catalogs.Catalog{catalog.Catalog})
		all = append(all, names...)
		wanted := slices.ContainsFunc(in.Subscriptions, func(s resolve.Subscription) bool { return s.Package == pkg && s.Source == source.SourceKey })
		if slices.Contains(names, pkg) && (found == nil || wanted) {
			found = source
		}
	}
	if found == nil {
		return nil, nil, misusef("no package %q in the catalogs%s", pkg, didYouMean(pkg, all))
	}
	return found, graph.NewPackageGraph(found.Catalog.Package(pkg)), nil
}

// remove changes the namespace as --remove asks.
func remove(out *resolve.ResolveReport, pkg string) error {
	if !out.Remove(pkg) {
		known := words.Map(out.Before.Operators(), func(o resolve.Operator) string { return o.Package })
		return misusef("package %q is not in the namespace%s", pkg, didYouMean(pkg, known))
	}
	out.WhatIf = "without " + strings.Join(slices.Concat(out.Removed.Operators, subscriptionWords(out.Removed.Subscriptions)), ", ")
	return nil
}

func subscriptionWords(names []string) []string {
	return words.Map(names, func(name string) string { return fmt.Sprintf("subscription %q", name) })
}
