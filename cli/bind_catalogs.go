package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/lifecycle"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// clusterInput is what a snapshot says of a cluster, and the catalogs that arguments give for it.
type clusterInput struct {
	*opener
	files    []string // of the snapshot
	snapshot *snapshot.Snapshot
	states   []*resolve.NamespaceState
	// namespace is the one that is asked about; "" for all.
	namespace string
	catalogs  []boundCatalog
	// asked are the versions of OpenShift of which catalogs are used, where a reference has several: that of the cluster, or a range.
	asked versionRange
	// versions says that the names in arguments have a version of OpenShift, and unknown returns the source of a name that the snapshot
	// does not have; nil if that is an error.
	versions bool
	unknown  func(*boundCatalog) (resolve.SourceKey, bool)
	// cluster is " in cluster NAME" of several clusters, and elsewhere reports whether any of them has a source; "" and nil if there is one cluster.
	cluster   string
	elsewhere func(name string) bool
}

// boundCatalog is the catalog that an argument, or a description, gives for CatalogSources and ClusterCatalogs.
type boundCatalog struct {
	name  string     // as in the argument; "" if it has none
	minor plan.Minor // of the version in the name, 0 if there is none
	ref   string
	keys  []resolve.SourceKey
	*catalogs.Catalog
}

// clusterInput reads the snapshot in some files, and all its namespaces.
func (o *opener) clusterInput(c *cli.Context, files []string) (*clusterInput, error) {
	s, err := readSnapshot(o, c, files)
	if err != nil {
		return nil, err
	}
	states, err := resolve.ReadStates(s, c.String("namespace"), c.String("global-namespace"))
	if err != nil {
		return nil, snapshotError(files, err)
	}
	in := &clusterInput{opener: o, files: files, snapshot: s, states: states}
	at := in.openShift()
	in.asked = versionRange{at, at}
	return in, nil
}

// sources returns the CatalogSources and ClusterCatalogs of the cluster; only CatalogSources if arguments have versions, and only those that
// subscriptions use if used is set.
func (in *clusterInput) sources(used bool) []resolve.SourceKey {
	found := map[resolve.SourceKey]bool{}
	for _, s := range in.states {
		if used && in.namespace != "" && s.Name != in.namespace {
			continue
		}
		for i := range s.Sources {
			key := s.Sources[i].SourceKey
			if !used || slices.ContainsFunc(s.Subscriptions, func(sub resolve.Subscription) bool { return sub.Source == key }) {
				found[key] = true
			}
		}
	}
	for i := range in.snapshot.ClusterCatalogs {
		if !used && !in.versions {
			found[resolve.SourceKey{Name: in.snapshot.ClusterCatalogs[i].Metadata.Name}] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b resolve.SourceKey) int { return strings.Compare(a.String(), b.String()) })
}

// matchSources returns those of some sources that a name means, which may begin with the namespace.
func matchSources(name string, all []resolve.SourceKey) []resolve.SourceKey {
	return slices.DeleteFunc(slices.Clone(all), func(key resolve.SourceKey) bool { return name != key.Name && name != key.String() })
}

// sourceName returns the name of a source, with its namespace where another one has the same name.
func (in *clusterInput) sourceName(key resolve.SourceKey) string {
	if len(matchSources(key.Name, in.sources(false))) > 1 {
		return key.String()
	}
	return key.Name
}

func (in *clusterInput) names() []string {
	all := words.Map(in.sources(false), in.sourceName)
	return slices.Compact(all)
}

// bind opens the catalogs of arguments and of a description: REF, NAME=REF or NAMESPACE/NAME=REF.
func (in *clusterInput) bind(c *cli.Context) error {
	for _, arg := range c.Args().Slice() {
		if name, _ := cutName(arg); in.versions && openShiftVersion.MatchString(name) {
			return suggestCommand(misusef("%s: a CatalogSource comes before the version: NAME@VERSION=REF", arg), in.command.arrange(c.Context, in.given)...)
		}
		if err := in.add(arg, c.NArg()); err != nil {
			return err
		}
	}
	for _, s := range in.states {
		for i := range s.Sources {
			if key := s.Sources[i].SourceKey; s.Refs[key] != "" && in.findBound(key, 0) == nil {
				in.catalogs = append(in.catalogs, boundCatalog{ref: s.Refs[key], keys: []resolve.SourceKey{key}})
			}
		}
	}
	refs := slices.Clone(in.files)
	for i := range in.catalogs {
		in.addOfImage(&in.catalogs[i])
		refs = append(refs, in.catalogs[i].ref)
	}
	if readsStdinTwice(refs...) {
		return errStdinTwice
	}
	var opened []boundCatalog
	for _, b := range in.catalogs {
		these, err := in.open(c.Context, b)
		if err != nil {
			return err
		}
		opened = append(opened, these...)
	}
	in.catalogs = opened
	return nil
}

// sourceName matches a name, with or without a namespace and a version: an argument that begins otherwise is a reference.
var sourceName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9./]*[a-z0-9])?(@.*)?$`)

// cutName splits NAME=REF; the name of an argument without one is "".
func cutName(arg string) (name, ref string) {
	if name, ref, ok := strings.Cut(arg, "="); ok && sourceName.MatchString(name) {
		return name, ref
	}
	return "", arg
}

// add adds the catalog of one of n arguments.
func (in *clusterInput) add(arg string, n int) (err error) {
	var b boundCatalog
	b.name, b.ref = cutName(arg)
	name, version, dated := b.name, "", false
	if in.versions {
		name, version, dated = strings.Cut(b.name, "@")
	}
	switch {
	case b.name == "":
		b.keys, err = in.soleSource(arg, n)
	case dated:
		if b.minor, err = plan.ParseMinor(strings.TrimPrefix(version, "v")); err != nil {
			return misusef("%s: %w", arg, err)
		}
		fallthrough
	default:
		b.keys, err = in.findSources(&b, name)
	}
	if err != nil {
		return err
	}
	for _, key := range b.keys {
		if first := in.findBound(key, b.minor); first != nil {
			return misusef("the catalog of %q is given twice, as %s and as %s: leave one out", in.sourceName(key), first.ref, b.ref)
		}
	}
	if len(b.keys) > 0 {
		in.catalogs = append(in.catalogs, b)
	}
	return nil
}

// findSources returns the sources that a name means; none if it is one that OLM does not consider.
func (in *clusterInput) findSources(b *boundCatalog, name string) ([]resolve.SourceKey, error) {
	found := matchSources(name, in.sources(false))
	switch inNamespace := slices.DeleteFunc(slices.Clone(found), func(key resolve.SourceKey) bool { return key.Namespace == "" }); {
	case len(inNamespace) > 1:
		return nil, misusef("several namespaces have a CatalogSource %q: give NAMESPACE/NAME=%s%s", name, b.ref, didYouMean("", in.names()))
	case b.ref == "":
		return nil, misusef("%s= has no catalog after the =: give it as NAME=REF", b.name)
	case len(found) > 0:
		return found, nil
	}
	for i := range in.snapshot.CatalogSources {
		o := &in.snapshot.CatalogSources[i].Metadata
		if key := (resolve.SourceKey{Name: o.Name, Namespace: o.Namespace}); len(in.states) > 0 && len(matchSources(name, []resolve.SourceKey{key})) > 0 {
			in.logf("CatalogSource %q is not considered: OLM uses those of namespaces %q and %q only (--global-namespace)", key.String(), in.states[0].Name, in.states[0].Global)
			return nil, nil
		}
	}
	if in.elsewhere != nil && in.elsewhere(name) {
		return nil, nil
	}
	if in.unknown != nil {
		if key, ok := in.unknown(b); ok {
			return []resolve.SourceKey{key}, nil
		}
	}
	if _, misspelt := words.Nearest(name, in.names()); !misspelt && len(in.args) > 1 {
		return nil, in.logf("the snapshot has no CatalogSource or ClusterCatalog %q: %s is not used", name, b.ref)
	}
	err := misusef("no CatalogSource or ClusterCatalog %q in the snapshot%s", name, didYouMean(name, in.names()))
	if all := in.names(); len(all) == 1 {
		return nil, suggestInstead(err, name+"="+b.ref, all[0]+"="+b.ref)
	}
	return nil, err
}

// soleSource returns the source of one of n arguments without a name: the only one, or the only one that subscriptions use.
func (in *clusterInput) soleSource(arg string, n int) ([]resolve.SourceKey, error) {
	for _, used := range []bool{false, true} {
		if all := in.sources(used); len(all) == 1 && n == 1 {
			return all, nil
		}
	}
	for _, word := range append([]string{arg}, in.args...) {
		if !disk.Exists(word) && !strings.ContainsAny(word, "/:.=") {
			return nil, suggestInstead(misusef("%s is no catalog, and a package is not given: the answer is of all operators", word), word)
		}
	}
	if isImageSet(arg) {
		return nil, suggestInstead(misusef("%s is an image set, which mirror reads, and no catalog", arg), arg)
	}
	err := misusef("the CatalogSource of %s is ambiguous: give NAME=%[1]s%s", arg, didYouMean("", in.names()))
	if folder := filepath.Dir(arg); n > 1 && !slices.ContainsFunc(in.args, func(other string) bool { return filepath.Dir(other) != folder }) { // as the shell writes folder/*
		line := slices.DeleteFunc(slices.Clone(in.given), func(word string) bool { return slices.Contains(in.args, word) })
		return nil, suggestCommand(err, append(line, folder)...)
	}
	return nil, suggestInstead(err, arg, "NAME="+arg)
}

// addOfImage adds to the sources of a ClusterCatalog the CatalogSources of the same image that have no other catalog.
func (in *clusterInput) addOfImage(b *boundCatalog) {
	for _, key := range in.sources(false) {
		served := in.snapshot.ClusterCatalogFor(in.snapshot.CatalogSource(key.Namespace, key.Name))
		if served != nil && slices.Contains(b.keys, resolve.SourceKey{Name: served.Metadata.Name}) && in.findBound(key, 0) == nil {
			b.keys = append(b.keys, key)
		}
	}
}

// findBound returns the catalog that a source has at a minor version; any version is 0.
func (in *clusterInput) findBound(key resolve.SourceKey, m plan.Minor) *boundCatalog {
	i := slices.IndexFunc(in.catalogs, func(b boundCatalog) bool {
		return slices.Contains(b.keys, key) && (b.minor == m || b.minor == 0 || m == 0)
	})
	if i < 0 {
		return nil
	}
	return &in.catalogs[i]
}

// readContent returns what OLM and people see of a catalog, which is read once: its bundles and its lifecycle metadata.
func (o *opener) readContent(ctx context.Context, c *catalogs.Catalog) (one plan.Catalog, err error) {
	if one, ok := o.planCatalogs[c]; ok {
		return one, nil
	}
	if one.Content, err = resolve.NewCatalog(ctx, c); err == nil {
		one.Lifecycles, err = lifecycle.Read(c)
	}
	if err == nil {
		o.planCatalogs[c] = one
	}
	return one, err
}

// question returns the question about the cluster, with the catalogs by their sources.
func (in *clusterInput) question(ctx context.Context) (cluster.Input, error) {
	q := cluster.Input{Snapshot: in.snapshot, States: in.states, Namespace: in.namespace,
		Catalogs: map[resolve.SourceKey]*resolve.Catalog{}, Lifecycles: map[resolve.SourceKey]lifecycle.Lifecycles{}}
	for _, b := range in.catalogs {
		one, err := in.readContent(ctx, b.Catalog)
		if err != nil {
			return q, err
		}
		for _, key := range b.keys {
			q.Catalogs[key], q.Lifecycles[key] = one.Content, one.Lifecycles
		}
	}
	return q, nil
}

// openShift returns the minor version of the cluster's OpenShift, as "4.14"; "" if it is not known.
func (in *clusterInput) openShift() string {
	at := in.snapshot.OpenShift
	for _, s := range in.states {
		at = cmp.Or(s.OpenShift, at)
	}
	return minorVersion(at)
}

// minorVersion returns 4.14 of 4.14.30.
func minorVersion(version string) string {
	parts := strings.SplitN(version, ".", 3)
	return strings.Join(parts[:min(len(parts), 2)], ".")
}

// open opens the catalog of an argument, which has edges: of catalogs for several OpenShift versions those of the versions that are asked for.
func (in *clusterInput) open(ctx context.Context, b boundCatalog) ([]boundCatalog, error) {
	cats, err := in.clusterCatalogs[b.ref], error(nil)
	if cats == nil {
		cats, err = in.openFor(ctx, b.ref, "", true)
		in.clusterCatalogs[b.ref] = cats
	}
	asked := in.asked
	if b.minor != 0 {
		asked = versionRange{b.minor.String(), b.minor.String()}
	}
	several := err == nil && len(cats) > 1 && asked.from != ""
	if several {
		cats, err = asked.selectCatalogs(b.ref, cats)
	}
	if err != nil {
		return nil, err
	}
	versions, _ := versionedCatalogs(cats, "")
	switch {
	case in.versions && asked.isRange() && len(versions) > 1 && len(versions) < len(cats):
		return nil, suggestInstead(misusef("%s holds several catalogs for one OpenShift version: give one for each", b.ref), b.argument(), in.versionArguments(b, versions)...)
	case len(cats) > 1 && (!asked.isRange() || len(versions) < len(cats)):
		how := "give one of " + strings.Join(references(b.ref, cats), ", ")
		if len(versions) == len(cats) {
			how += "; or the OpenShift version, as --ocp " + versions[len(versions)-1].String()
		}
		return nil, misusef("%s holds %d catalogs, but a CatalogSource has one: %s", b.ref, len(cats), how)
	case in.versions && b.name == "" && !several:
		err := misusef("%s: want NAME@VERSION=REF: the catalog that a CatalogSource has at an OpenShift version%s", b.ref, didYouMean("", in.names()))
		version, ok := catalogVersion(filepath.Base(b.ref))
		if len(b.keys) != 1 || !ok {
			return nil, err
		}
		return nil, suggestInstead(err, b.ref, in.sourceName(b.keys[0])+"@"+version+"="+b.ref)
	case len(cats) == 1:
		if several {
			in.logf("%s: using its catalog for OpenShift %s%s", b.ref, asked.from, in.cluster)
		}
		b.Catalog = cats[0]
		if own, err := plan.ParseMinor(b.Catalog.OpenShift); in.versions && b.minor == 0 && err == nil {
			b.minor = own
			in.logf("%s is taken as the catalog of OpenShift %s alone, by its name: give %s@VERSION=REF for each other version", b.ref, own, b.name)
		} else if at := cmp.Or(asked.from, in.openShift()); in.options.OpenShift == "" && !in.versions && !several && err == nil && at != "" && at != own.String() {
			in.logf("%s is the catalog of OpenShift %s, by its name, and the cluster runs %s", b.ref, own, at)
		}
		return []boundCatalog{b}, requireEdges(b.ref, cats...)
	}
	var all []boundCatalog
	for _, v := range versions {
		one := b
		one.minor, one.Catalog, one.name = v.Minor, v.Catalog, in.versionName(b, v.Minor)
		all = append(all, one)
	}
	in.logf("%s: using its catalogs for OpenShift %s", b.ref, words.And(words.Map(versions, openshift.Version.String)))
	return all, requireEdges(b.ref, cats...)
}

// argument returns the argument that gave the catalog.
func (b *boundCatalog) argument() string {
	if b.name == "" {
		return b.ref
	}
	return b.name + "=" + b.ref
}

// versionName returns NAME@VERSION of the catalog that an argument gives at a version.
func (in *clusterInput) versionName(b boundCatalog, at plan.Minor) string {
	return cmp.Or(b.name, in.sourceName(b.keys[0])) + "@" + at.String()
}

// versionArguments returns an argument for the catalog of each version.
func (in *clusterInput) versionArguments(b boundCatalog, versions []openshift.Version) []string {
	return words.Map(versions, func(v openshift.Version) string {
		return in.versionName(b, v.Minor) + "=" + subReference(b.ref, v.Catalog.Name)
	})
}

// noteUnknown warns of installed operators of which only the name is known.
func (l *logger) noteUnknown(all []resolve.InstalledOperator) {
	for _, operator := range all {
		version := "its version is assumed to be " + operator.Version.String()
		if operator.Version.Equals(semver.Version{}) {
			version = fmt.Sprintf("its version is not known either: give it as %s@VERSION", operator.Name)
		}
		l.logf("no catalog has %q: its provided and required APIs are not known; %s", operator.Name, version)
	}
}
