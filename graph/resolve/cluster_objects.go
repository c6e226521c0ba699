package resolve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// readObjects reads the objects of a cluster. global is the namespace of the CatalogSources that every namespace sees, "" to derive
// it.
func readObjects(objects []*catalogs.Object, in, global string) (*NamespaceState, error) {
	subs, err := decodeObjects[subscriptionObject](objects, "Subscription")
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range subs {
		names = append(names, subs[i].Metadata.Namespace)
	}
	s := &NamespaceState{Refs: map[SourceKey]string{}}
	if s.Name, err = chooseNamespace(names, in); err != nil {
		return nil, err
	}
	s.Global = cmp.Or(global, globalOf(objects, subs))
	if err := s.readSubscriptions(subs); err != nil {
		return nil, err
	}
	for _, read := range []func([]*catalogs.Object) error{s.readInstalled, s.readGroups, s.readSources, s.readConditions, s.readPlans} {
		if err := read(objects); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// OpenShift's namespace for global CatalogSources, and what the names of its own namespaces begin with.
const (
	openShiftCatalogs = "openshift-marketplace"
	openShiftPrefix   = "openshift-"
)

// globalOf returns the namespace of global CatalogSources: that of OpenShift if the objects are of OpenShift, which has a
// ClusterVersion and reserves namespaces that begin with openshift-, and else that of OLM (OLM: cmd/catalog, --namespace).
func globalOf(objects []*catalogs.Object, subs []subscriptionObject) string {
	sources := 0
	for _, o := range objects {
		if o.Kind == "ClusterVersion" && strings.HasPrefix(o.APIVersion, "config.openshift.io/") || strings.HasPrefix(namespaceOfObject(o), openShiftPrefix) {
			return openShiftCatalogs
		}
		if o.Kind == "CatalogSource" {
			sources++
		}
	}
	if sources == 0 && slices.ContainsFunc(subs, func(o subscriptionObject) bool { return o.Spec.Namespace == openShiftCatalogs }) {
		return openShiftCatalogs
	}
	return globalNamespace
}

// readSubscriptions reads the Subscriptions of the namespace.
func (s *NamespaceState) readSubscriptions(subs []subscriptionObject) error {
	for i := range subs {
		o := &subs[i]
		if o.Metadata.Namespace != s.Name {
			continue
		}
		for _, field := range [][2]string{{"name", o.Spec.Package}, {"source", o.Spec.Source}, {"sourceNamespace", o.Spec.Namespace}} {
			if field[1] == "" {
				return fmt.Errorf("Subscription %q in namespace %q: spec.%s is missing", o.Metadata.Name, s.Name, field[0])
			}
		}
		s.Subscriptions = append(s.Subscriptions, Subscription{Name: o.Metadata.Name, Package: o.Spec.Package, Channel: o.Spec.Channel,
			Source: SourceKey{o.Spec.Source, o.Spec.Namespace}, StartingCSV: o.Spec.StartingCSV, InstalledCSV: o.Status.Installed, CurrentCSV: o.Status.Current,
			Manual: o.Spec.Approval == "Manual", Plan: o.Status.Plan.Name, Pending: o.Status.State == "UpgradePending"})
	}
	return nil
}

// readInstalled reads the ClusterServiceVersions of the namespace, without copies from others.
func (s *NamespaceState) readInstalled(objects []*catalogs.Object) error {
	csvs, err := decodeObjects[csvObject](objects, "ClusterServiceVersion")
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(s.Subscriptions, func(sub Subscription) bool { return sub.InstalledCSV != "" }); i >= 0 && len(csvs) == 0 {
		return fmt.Errorf("Subscription %q in namespace %q has installed %s, but there is no ClusterServiceVersion of any namespace: they were left out",
			s.Subscriptions[i].Name, s.Name, s.Subscriptions[i].InstalledCSV)
	}
	for i := range csvs {
		c := &csvs[i]
		if c.Metadata.Namespace != s.Name || c.copied() {
			continue
		}
		in, err := c.installed()
		if err != nil {
			return fmt.Errorf("ClusterServiceVersion %q in namespace %q: %w", c.Metadata.Name, s.Name, err)
		}
		s.Installed = append(s.Installed, in)
	}
	slices.SortStableFunc(s.Installed, func(a, b InstalledOperator) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// copied reports whether OLM has copied it from the namespace of its OperatorGroup (api: v1alpha1 IsCopied).
func (c *csvObject) copied() bool {
	from, in := c.Metadata.Annotations[copiedIn]
	_, labelled := c.Metadata.Labels[copiedFrom]
	return c.Status.Reason == "Copied" || in && from != c.Metadata.Namespace || labelled
}

func (c *csvObject) installed() (InstalledOperator, error) {
	in := InstalledOperator{Name: c.Metadata.Name, Replaces: c.Spec.Replaces, Phase: c.phase(), reason: c.Status.Reason}
	if c.Spec.InstallModes != nil { // OLM would have none then, but not let it run either: the text has left them out
		in.modes = &c.Spec.InstallModes
	}
	in.Version, _ = semver.Parse(c.Spec.Version) // as OLM, which has 0.0.0 then
	var err error
	if in.Facts, in.FromAnnotation, err = c.facts(); err != nil {
		err = fmt.Errorf("annotation %s: %w", properties, err)
	}
	return in, err
}

func (c *csvObject) phase() Phase {
	if c.Status.Phase == "Succeeded" {
		return Succeeded
	}
	return c.Status.Phase
}

// facts returns the properties of the annotation, or else the APIs of the CSV (OLM: resolver newEntryFromV1Alpha1CSV).
func (c *csvObject) facts() (facts *catalogs.Facts, projected bool, err error) {
	text, ok := c.Metadata.Annotations[properties]
	if !ok {
		return c.factsOfAPIs(), false, nil
	}
	var list struct {
		Properties []struct {
			Type  string          `json:"type"`
			Value json.RawMessage `json:"value"`
		} `json:"properties"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, false, err
	}
	var values []catalogs.PropertyValue
	for _, p := range list.Properties {
		values = append(values, catalogs.PropertyValue{Type: p.Type, Value: p.Value})
	}
	return catalogs.FactsOf(values), true, nil
}

// factsOfAPIs returns the APIs that a ClusterServiceVersion owns and requires, as properties.
func (c *csvObject) factsOfAPIs() *catalogs.Facts {
	var values []catalogs.PropertyValue
	add := func(kind string, api catalogs.API) {
		if value, err := json.Marshal(map[string]string{"group": api.Group, "version": api.Version, "kind": api.Kind}); err == nil {
			values = append(values, catalogs.PropertyValue{Type: kind, Value: value})
		}
	}
	for _, o := range c.Spec.CRDs.Owned {
		add(catalogs.TypeGVK, o.api())
	}
	for _, o := range c.Spec.APIServices.Owned {
		add(catalogs.TypeGVK, o.api())
	}
	for _, o := range c.Spec.CRDs.Required {
		add(catalogs.TypeGVKRequired, o.api())
	}
	for _, o := range c.Spec.APIServices.Required {
		add(catalogs.TypeGVKRequired, o.api())
	}
	return catalogs.FactsOf(values)
}

// readGroups reads the OperatorGroups of the namespace.
func (s *NamespaceState) readGroups(objects []*catalogs.Object) error {
	groups, err := decodeObjects[groupObject](objects, "OperatorGroup")
	s.Groups = &OperatorGroups{NoneGiven: len(groups) == 0}
	for i := range groups {
		if g := &groups[i]; g.Metadata.Namespace == s.Name {
			s.Groups.Names = append(s.Groups.Names, g.Metadata.Name)
			s.Groups.Targets, s.Groups.Known = g.targets()
			s.OwnCatalogsOnly = g.Metadata.Annotations[excludeGlobal] == "true"
			s.FailForward = g.Spec.Strategy == failForward
		}
	}
	slices.Sort(s.Groups.Names)
	if len(s.Groups.Names) != 1 {
		s.OwnCatalogsOnly, s.FailForward = false, false
	}
	return err
}

// readSources reads the CatalogSources of the namespace and of the global namespace. If there are none of such a namespace in
// the text, they may have been left out: then those that subscriptions name are assumed.
func (s *NamespaceState) readSources(objects []*catalogs.Object) error {
	sources, err := decodeObjects[sourceObject](objects, "CatalogSource")
	known := map[string]bool{s.Name: len(sources) > 0}
	for i := range sources {
		o := &sources[i]
		known[o.Metadata.Namespace] = true
		key := SourceKey{o.Metadata.Name, o.Metadata.Namespace}
		if key.Namespace == s.Name || key.Namespace == s.Global {
			s.addSource(Source{SourceKey: key, Priority: o.Spec.Priority, Unreachable: o.unreachable()})
		} else {
			s.Unseen = append(s.Unseen, key)
		}
	}
	for i := range s.Subscriptions {
		if key := s.Subscriptions[i].Source; !known[key.Namespace] && s.Sees(key.Namespace) {
			s.addSource(Source{SourceKey: key})
		}
	}
	return err
}

// addSource adds a source unless it exists.
func (s *NamespaceState) addSource(source Source) {
	if !slices.ContainsFunc(s.Sources, func(known Source) bool { return known.SourceKey == source.SourceKey }) {
		s.Sources = append(s.Sources, source)
	}
}

// readConditions reads the OperatorConditions of the namespace that forbid an upgrade.
func (s *NamespaceState) readConditions(objects []*catalogs.Object) error {
	conditions, err := decodeObjects[conditionObject](objects, "OperatorCondition")
	s.Conditions = map[string]Condition{}
	for i := range conditions {
		o := &conditions[i]
		if o.Metadata.Namespace != s.Name {
			continue
		}
		if c := o.forbids(); c != nil {
			s.Conditions[o.Metadata.Name] = *c
		}
	}
	return err
}

// readPlans reads the InstallPlans of the namespace.
func (s *NamespaceState) readPlans(objects []*catalogs.Object) error {
	plans, err := decodeObjects[planObject](objects, "InstallPlan")
	s.PlansUnknown = len(plans) == 0
	for i := range plans {
		if o := &plans[i]; o.Metadata.Namespace == s.Name {
			s.Plans = append(s.Plans, o.plan())
		}
	}
	slices.SortStableFunc(s.Plans, func(a, b InstallPlan) int { return strings.Compare(a.Name, b.Name) })
	return err
}

// plan reads the steps of an InstallPlan for operators and subscriptions. Manifests that cannot be read are left out.
func (o *planObject) plan() InstallPlan {
	p := InstallPlan{Name: o.Metadata.Name, CSVs: o.Spec.CSVs, Approved: o.Spec.Approved, Phase: o.Status.Phase,
		steps: map[string]plannedCSV{}, subs: map[string]Subscription{}}
	for i := range o.Status.Plan {
		resource := &o.Status.Plan[i].Resource
		switch resource.Kind {
		case "ClusterServiceVersion":
			p.steps[resource.Name] = csvIn(resource.Name, resource.Manifest)
		case "Subscription":
			var sub subscriptionObject
			if json.Unmarshal([]byte(resource.Manifest), &sub) == nil && sub.Spec.StartingCSV != "" {
				p.subs[sub.Spec.StartingCSV] = Subscription{Name: resource.Name, Package: sub.Spec.Package, Channel: sub.Spec.Channel,
					Source: SourceKey{sub.Spec.Source, sub.Spec.Namespace}, StartingCSV: sub.Spec.StartingCSV}
			}
		}
	}
	return p
}

// csvIn reads the manifest of a step: the whole ClusterServiceVersion, or where OLM has put it (OLM: catalog
// UnpackedBundleReference).
func csvIn(name, manifest string) plannedCSV {
	var unpacked struct {
		Kind       string `json:"kind"`
		Replaces   string `json:"replaces"`
		Properties string `json:"properties"`
	}
	if json.Unmarshal([]byte(manifest), &unpacked) != nil {
		return plannedCSV{}
	}
	csv := csvObject{Metadata: metadata{Name: name}}
	if unpacked.Kind != "ConfigMap" {
		if json.Unmarshal([]byte(manifest), &csv) != nil {
			return plannedCSV{}
		}
		in, err := csv.installed()
		if err != nil {
			return plannedCSV{replaces: csv.Spec.Replaces}
		}
		return plannedCSV{csv.Spec.Replaces, &in}
	}
	csv.Metadata.Annotations = map[string]string{properties: unpacked.Properties}
	in, err := csv.installed()
	if err != nil {
		return plannedCSV{replaces: unpacked.Replaces}
	}
	in.modes = nil
	if n := len(in.Facts.Packages); n > 0 {
		in.Version, _ = semver.ParseTolerant(in.Facts.Packages[n-1].Version)
	}
	return plannedCSV{unpacked.Replaces, &in}
}
