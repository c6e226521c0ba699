package readiness

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// Operator says whether an operator that OLM v0 has installed can be handed over to OLM v1.
type Operator struct {
	Namespace    string  `json:"namespace"`
	Subscription string  `json:"subscription"`
	Package      string  `json:"package"`
	Channel      string  `json:"channel"`       // of the subscription, or the default one if it names none; "" if not known
	ChannelGiven bool    `json:"-"`             // the subscription names it
	Source       string  `json:"catalogSource"` // as NAMESPACE/NAME
	Manual       bool    `json:"manual"`        // installPlanApproval
	Name         string  `json:"-"`             // of what is installed; "" if nothing is
	Version      string  `json:"-"`
	Installed    *Bundle `json:"-"`
	// Next is what OLM v1 upgrades to once the ClusterExtension has no version any more: nil if it stays.
	Next *Bundle `json:"-"`
	// Rejected are why the upgrade to Next fails, of CRDs as far as the snapshot has them.
	Rejected []judge.Reason `json:"-"`
	// Hard must be changed before a migration; Soft changes what the operator does, and must be accepted (operator-framework/library-olm:
	// specs/20260821-migration-v0-to-v1 requirements).
	Hard      []Obstacle `json:"inTheWay"`
	Soft      []Obstacle `json:"changes"`
	NotKnown  []string   `json:"notKnown"`
	Notes     []string   `json:"notes"`
	Extension *Extension `json:"-"` // nil if there is a Hard requirement
	Steps     []Step     `json:"-"` // likewise
	Image     string     `json:"-"` // of the CatalogSource; "" if it is not known
}

// Verdict says whether it can be handed over.
func (o *Operator) Verdict() Verdict { return decideVerdict(o.Hard, o.NotKnown) }

// migration determines the migration of one operator.
type migration struct {
	*Operator
	release Release
	cluster *Cluster
	sub     *snapshot.Subscription
	of      *snapshot.CatalogSource  // nil if the snapshot does not have it
	serving *snapshot.ClusterCatalog // the available one of its image; nil if there is none
	group   *snapshot.OperatorGroup
	csv     *snapshot.ClusterServiceVersion
	judged  *judged // of the package; nil if the catalog does not have it
	graph   *graph.PackageGraph
}

// Operators returns what becomes of each Subscription of a cluster, by namespace and name. sources are the catalogs of the CatalogSources
// that it uses. An error means that a catalog cannot be read any more.
func (r Release) Operators(c *Cluster, sources map[resolve.SourceKey]*catalogs.Catalog) ([]*Operator, error) {
	all := []*Operator{}
	for _, sub := range c.subscriptions {
		key := resolve.SourceKey{Name: sub.Spec.Source, Namespace: sub.Spec.Namespace}
		m := &migration{Operator: &Operator{Subscription: sub.Metadata.Name, Namespace: sub.Metadata.Namespace, Package: sub.Spec.Package,
			Channel: sub.Spec.Channel, ChannelGiven: sub.Spec.Channel != "", Source: key.String(), Manual: sub.Spec.Approval == "Manual",
			Name: sub.Status.Installed}, release: r, cluster: c, sub: sub, of: c.CatalogSource(key.Namespace, key.Name)}
		m.serving = c.ClusterCatalogFor(m.of)
		if err := m.run(sources[key]); err != nil {
			return nil, err
		}
		all = append(all, m.Operator)
	}
	return all, nil
}

func (m *migration) run(c *catalogs.Catalog) error {
	m.find()
	m.checkSubscription()
	m.checkSource()
	if err := m.checkBundle(c); err != nil {
		return err
	}
	m.checkGroup()
	m.checkState()
	if len(m.Hard) > 0 {
		return nil
	}
	m.Extension = m.extension()
	if m.of != nil {
		m.Image = m.of.Spec.Image
	}
	m.Steps = m.steps()
	return nil
}

func (m *migration) addHard(id, format string, args ...any) {
	m.Hard = append(m.Hard, Obstacle{Kind: id, Text: fmt.Sprintf(format, args...)})
}

func (m *migration) addSoft(id, format string, args ...any) {
	m.Soft = append(m.Soft, Obstacle{Kind: id, Text: fmt.Sprintf(format, args...)})
}

// find looks for the objects of the operator.
func (m *migration) find() {
	if groups := m.cluster.OperatorGroups[m.Namespace]; len(groups) > 0 {
		m.group = &groups[0]
	}
	m.csv = m.object(m.Name)
}

// object returns a ClusterServiceVersion of the namespace; nil if the snapshot has none.
func (m *migration) object(name string) *snapshot.ClusterServiceVersion {
	return find.Pointer(m.cluster.ClusterServiceVersions[m.Namespace], func(c snapshot.ClusterServiceVersion) bool { return c.Metadata.Name == name })
}

// checkSubscription checks what other objects say of the package.
func (m *migration) checkSubscription() {
	if m.Name == "" {
		m.addHard("installed", "nothing is installed for the Subscription: delete it, and apply a ClusterExtension")
	}
	if by, ok := m.sub.Metadata.Annotations["olm.generated-by"]; ok {
		m.addHard("dependency", "OLM v0 has created the Subscription for what another operator requires (olm.generated-by: %s)", cmp.Or(by, "no name"))
	}
	const format = "Subscription %q in namespace %q"
	if others := m.cluster.alike[packageOf+m.Package].without(m.sub.Metadata.Namespace+"/"+m.Subscription, format, "is", "are"); others != "" {
		m.addHard("one-owner", "%s of the same package: OLM v1 installs an operator once on a cluster", others)
	}
	if others := m.cluster.alike[nameOf+m.Subscription].without(m.Package, format, "has", "have"); others != "" {
		m.addSoft("name", "%s the same name: give its ClusterExtension another one", others)
	}
	for i := range m.cluster.ClusterExtensions {
		if e := &m.cluster.ClusterExtensions[i]; e.Spec.Source.Catalog.Package == m.Package {
			m.addHard("one-owner", "ClusterExtension %q is of the same package: OLM v1 installs an operator once on a cluster", e.Metadata.Name)
		} else if e.Metadata.Name == m.Subscription {
			m.addHard("name", "ClusterExtension %q exists, and is of the package %q", e.Metadata.Name, e.Spec.Source.Catalog.Package)
		}
	}
}

// checkSource checks the CatalogSource.
func (m *migration) checkSource() {
	switch of := m.of; {
	case of == nil && m.cluster.IsMissing("CatalogSource"):
		m.NotKnown = append(m.NotKnown, "CatalogSource "+m.Source+": the snapshot has none")
	case of == nil:
		m.addHard("source", "CatalogSource %q does not exist", m.Source)
	case of.Spec.Type != "grpc" || of.Spec.Image == "":
		m.addHard("source", "CatalogSource %q has no image (spec.sourceType %q), and a ClusterCatalog needs one", m.Source, of.Spec.Type)
	}
}

// checkBundle judges what is installed and what OLM v1 upgrades it to.
func (m *migration) checkBundle(c *catalogs.Catalog) error {
	if m.Name == "" {
		return nil
	}
	if c == nil {
		m.NotKnown = append(m.NotKnown, "the catalog of CatalogSource "+m.Source+": none is given")
		return nil
	}
	p := c.Package(m.Package)
	if p == nil {
		m.addHard("catalog", "its catalog does not have the package %q", m.Package)
		return nil
	}
	if m.cluster.judged[p] == nil {
		m.cluster.judged[p] = newJudged(m.release, c, p, judge.New(p, judge.Options{}))
	}
	m.judged, m.graph = m.cluster.judged[p], graph.NewPackageGraph(p)
	if !m.ChannelGiven {
		m.Channel = p.DefaultChannel.Value
	}
	g := m.graph.Graph(m.Channel)
	b := p.Bundle(m.Name)
	switch {
	case g == nil:
		m.addHard("channel", "its catalog does not have the channel %q", m.Channel)
	case b == nil:
		m.addHard("catalog", "its catalog no longer has %s, and a ClusterExtension cannot install a bundle that no catalog has", m.Name)
	}
	if b != nil {
		m.Version = b.Version.Value
		if err := m.judgeInstalled(b); err != nil {
			return err
		}
	}
	if g == nil {
		return nil
	}
	x := m.graph.ExtensionFor(m.release.releaseOrder(), g)
	if b != nil {
		m.checkRequest(x, b)
	}
	return m.judgeNext(x, b)
}

// judgeInstalled judges the installed bundle by its ClusterServiceVersion on the cluster, which has all of it.
func (m *migration) judgeInstalled(b *catalogs.Bundle) error {
	c, err := m.judged.readContents(b)
	if err != nil {
		return err
	}
	if m.csv != nil && (c.csv == nil || c.csv.Manifest.Partial) {
		live, manifest := *c, bundled.Manifest{}
		if c.csv != nil {
			manifest = *c.csv.Manifest
		}
		manifest.Object, manifest.Partial = m.csv.Object, false
		live.csv = &csv.CSV{Document: csv.Decode(m.csv.Object), Manifest: &manifest}
		live.reasons = m.judged.contents.InstalledReasons(b, live.csv)
		c = &live
	}
	m.Installed = m.release.judge(b, c)
	for _, o := range m.Installed.Obstacles {
		o.Text = m.Name + " " + o.Text
		m.Hard = append(m.Hard, o)
	}
	m.NotKnown = append(m.NotKnown, m.Installed.NotKnown...)
	m.Notes = append(m.Notes, m.Installed.Notes...)
	if m.Installed.usesV0 {
		m.addSoft("olm-v0-api", "its permissions name resources of OLM v0 (operators.coreos.com) and none of OLM v1: it may depend on them")
	}
	m.checkDependents(c.facts)
	return nil
}

// checkDependents looks for other installed operators that require this one.
func (m *migration) checkDependents(own *catalogs.Facts) {
	required := []string{m.Package}
	for _, api := range own.Provides {
		required = append(required, api.String())
	}
	slices.Sort(required)
	for _, r := range slices.Compact(required) {
		if others := m.cluster.alike[requirementOf+r].without(m.Name, "%s in namespace %s", "requires", "require"); others != "" {
			m.addSoft("dependents", "%s %s: OLM v0 may install %s again for it", others, r, m.Package)
		}
	}
}

// checkRequest checks that OLM v1 installs the bundle if its version is requested.
func (m *migration) checkRequest(x *graph.Extension, b *catalogs.Bundle) {
	version, requested := b.Semver(), x.RequestedBundles()
	at := slices.IndexFunc(requested, func(other *catalogs.Bundle) bool { return version != nil && other.Semver().EQ(*version) })
	switch {
	case !x.Has(m.Name):
		m.addHard("channel", "the channel %q does not have %s, and a ClusterExtension that names it cannot install it", m.Channel, m.Name)
	case at >= 0 && requested[at] != b:
		m.addHard("version", "OLM v1 installs %s if the version %s is requested", requested[at].Name.Value, b.Version.Value)
	}
}

// judgeNext judges what OLM v1 chooses next, and looks for what it can install if the installed bundle cannot be.
func (m *migration) judgeNext(x *graph.Extension, b *catalogs.Bundle) error {
	choice := x.Choose(graph.InstalledBundle{Name: m.Name, Version: m.Version})
	if choice.Step != nil {
		next, err := m.judged.bundle(m.judged.pkg.Bundle(choice.Bundle))
		if err != nil {
			return err
		}
		m.Next = next
		m.judgeUpgrade(choice.Step)
	}
	if len(m.Hard) == 0 {
		return nil
	}
	better, err := m.judged.newestBundle(x)
	if err == nil && better != nil && better.Listed != b && (b == nil || b.Semver() != nil && better.Listed.Semver().GT(*b.Semver())) {
		m.Notes = append(m.Notes, fmt.Sprintf("nothing known blocks %s: upgrade to it under OLM v0 first, if there is a path", better.Name))
	}
	return err
}

// judgeUpgrade checks the objects of the next bundle against those of the installed one, and CRDs against those of the cluster.
func (m *migration) judgeUpgrade(step *graph.Step) {
	cluster := m.cluster.crds()
	if cluster == nil {
		cluster = &judge.Cluster{}
	}
	for _, o := range m.judged.contents.Judge(graph.Path{*step}, judge.On{OLM: graph.V1, Cluster: cluster, Resolved: true}) {
		m.Rejected = append(m.Rejected, slices.DeleteFunc(o.Reasons, func(r judge.Reason) bool { return !r.Row.Upgrade })...) // Next has those
	}
}

// checkGroup checks the OperatorGroup.
func (m *migration) checkGroup() {
	g := m.group
	if g == nil && m.mustWatch() {
		m.addHard(kindInstallModes, "the ClusterExtension must name the namespace to watch, and the snapshot has no OperatorGroup of namespace %q", m.Namespace)
		return
	}
	if g == nil {
		m.NotKnown = append(m.NotKnown, "the OperatorGroup of namespace "+m.Namespace+": the snapshot has none")
		return
	}
	switch targets, _ := g.Targets(); {
	case m.watchedNamespace() != "":
	case m.mustWatch():
		m.addHard(kindInstallModes, "OperatorGroup %q limits it to %s, but the ClusterExtension must name one namespace that the operator can watch", g.Metadata.Name, namespacesText(targets))
	case !slices.Equal(targets, []string{""}):
		m.addSoft("watch-scope", "OperatorGroup %q limits it to %s; under OLM v1 it watches all namespaces", g.Metadata.Name, namespacesText(targets))
	}
	if g.Spec.ServiceAccount != "" {
		m.addSoft("service-account", "OperatorGroup %q limits it to the service account %q; OLM v1 has no such limit", g.Metadata.Name, g.Spec.ServiceAccount)
	}
	if g.Spec.Strategy != "" && g.Spec.Strategy != "Default" {
		m.Notes = append(m.Notes, fmt.Sprintf("OperatorGroup %q has the upgradeStrategy %s, which OLM v1 does not have", g.Metadata.Name, g.Spec.Strategy))
	}
}

// mustWatch reports whether OLM v1 installs the operator only for one namespace.
func (m *migration) mustWatch() bool {
	return m.release.Gates[judge.FeatureNamespaces] && m.Installed != nil && !slices.Contains(m.Installed.Modes, csv.AllNamespaces) && m.Installed.Verdict != Blocked
}

func namespacesText(namespaces []string) string {
	if len(namespaces) == 0 {
		return "namespaces with labels"
	}
	if slices.Contains(namespaces, "") {
		return "no namespace"
	}
	return "namespace " + strings.Join(namespaces, ", ")
}

// watchedNamespace returns the one namespace that the ClusterExtension can name as watched, as the OperatorGroup does; "" if it cannot.
func (m *migration) watchedNamespace() string {
	if !m.release.Gates[judge.FeatureNamespaces] || m.group == nil || m.Installed == nil {
		return ""
	}
	targets, _ := m.group.Targets()
	if len(targets) != 1 || targets[0] == "" {
		return ""
	}
	mode := "SingleNamespace"
	if targets[0] == m.Namespace {
		mode = "OwnNamespace"
	}
	if !slices.Contains(m.Installed.Modes, mode) {
		return ""
	}
	return targets[0]
}

// checkState checks the state of the operator.
func (m *migration) checkState() {
	if state := m.sub.Status.State; m.Name != "" && state != "AtLatestKnown" && state != "UpgradePending" {
		m.addSoft("steady", "the Subscription is in the state %q, and not AtLatestKnown or UpgradePending", state)
	}
	incomplete := func(from string, to *snapshot.ClusterServiceVersion) {
		m.addHard("steady", "the upgrade from %s to %s is not complete: the new ClusterServiceVersion is in the phase %q", from, to.Metadata.Name, to.Status.Phase)
	}
	newer := find.Pointer(m.cluster.ClusterServiceVersions[m.Namespace], func(c snapshot.ClusterServiceVersion) bool { return c.Spec.Replaces == m.Name })
	switch {
	case m.Name == "":
	case m.csv == nil:
		m.NotKnown = append(m.NotKnown, "ClusterServiceVersion "+m.Name+": the snapshot has none")
	case m.csv.Status.Phase != "Succeeded" && m.object(m.csv.Spec.Replaces) != nil:
		incomplete(m.csv.Spec.Replaces, m.csv)
	case newer != nil && newer.Status.Phase != "Succeeded":
		incomplete(m.Name, newer)
	case m.csv.Status.Phase != "Succeeded":
		m.addSoft("steady", "ClusterServiceVersion %q is in the phase %q, and not Succeeded", m.Name, m.csv.Status.Phase)
	}
	for _, c := range m.cluster.OperatorConditions[m.Namespace] {
		if c.Metadata.Name == m.Name && len(c.Spec.Conditions)+len(c.Status.Conditions) > 0 {
			m.addSoft("operator-condition", "it sets its OperatorCondition, and OLM v1 has none: it may fail")
		}
	}
	if m.deployment() != nil && !m.release.deploymentConfig() {
		m.addSoft("config", "spec.config of the Subscription is lost%s", orFeatureGate(m.release))
	}
}

// orFeatureGate says which feature gate keeps the configuration of deployments.
func orFeatureGate(r Release) string {
	if _, has := r.Gates[judge.FeatureDeployment]; has {
		return " without the feature gate " + judge.FeatureDeployment
	}
	return ""
}

// deployment returns spec.config of the Subscription without its selector, which OLM v0 ignores (operator-controller: config
// DeploymentConfig); nil if nothing is left.
func (m *migration) deployment() json.RawMessage {
	kept := map[string]json.RawMessage{}
	for name, value := range m.sub.Spec.Config {
		if name != "selector" {
			kept[name] = value
		}
	}
	if len(kept) == 0 {
		return nil
	}
	text, err := json.Marshal(kept)
	if err != nil {
		return nil
	}
	return text
}

// extension returns the ClusterExtension that takes the operator over as it is.
func (m *migration) extension() *Extension {
	e := m.release.extension(m.Subscription, m.Namespace, m.Package)
	e.Channel, e.Version = m.Channel, m.Version
	e.Catalog = m.sub.Spec.Source // that of the ClusterCatalog to create
	if m.serving != nil {
		e.Catalog = m.serving.Metadata.Name
	}
	if namespace := m.watchedNamespace(); namespace != "" {
		m.release.watch(e, namespace)
	}
	if m.release.deploymentConfig() {
		e.Deployment = m.deployment()
	}
	return e
}
