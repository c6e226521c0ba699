package resolve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// What OLM calls these things.
const (
	excludeGlobal = "olm.operatorframework.io/exclude-global-namespace-resolution"
	failForward   = "TechPreviewUnsafeFailForward"
)

// readSubscriptions reads the Subscriptions of the namespace.
func (s *NamespaceState) readSubscriptions(subs []snapshot.Subscription) error {
	for i := range subs {
		o := &subs[i]
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
func (s *NamespaceState) readInstalled(csvs []snapshot.ClusterServiceVersion) error {
	for i := range csvs {
		in, err := installedAs(&csvs[i])
		if err != nil {
			return fmt.Errorf("ClusterServiceVersion %q in namespace %q: %w", csvs[i].Metadata.Name, s.Name, err)
		}
		s.Installed = append(s.Installed, in)
	}
	slices.SortStableFunc(s.Installed, func(a, b InstalledOperator) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

func installedAs(c *snapshot.ClusterServiceVersion) (InstalledOperator, error) {
	in := InstalledOperator{Name: c.Metadata.Name, Replaces: c.Spec.Replaces, Phase: csvPhase(c), reason: c.Status.Reason, MinKube: c.Spec.MinKube}
	if c.Spec.InstallModes != nil { // OLM would have none then, but not let it run either: the text has left them out
		in.modes = &c.Spec.InstallModes
	}
	in.Version, _ = semver.Parse(c.Spec.Version) // as OLM, which has 0.0.0 then
	var err error
	if in.Facts, in.FromAnnotation, err = factsOfCSV(c); err != nil {
		err = fmt.Errorf("annotation %s: %w", snapshot.Properties, err)
	}
	return in, err
}

func csvPhase(c *snapshot.ClusterServiceVersion) Phase {
	if c.Status.Phase == "Succeeded" {
		return succeeded
	}
	return Phase(c.Status.Phase)
}

// factsOfCSV returns the properties of the annotation, or else the APIs of the CSV (OLM: resolver newEntryFromV1Alpha1CSV).
func factsOfCSV(c *snapshot.ClusterServiceVersion) (facts *catalogs.Facts, projected bool, err error) {
	values, ok, err := c.Properties()
	switch {
	case err != nil:
		return nil, false, err
	case !ok:
		return factsOfAPIs(c), false, nil
	}
	return catalogs.NewFacts(values), true, nil
}

// factsOfAPIs returns the APIs that a ClusterServiceVersion owns and requires, as properties.
func factsOfAPIs(c *snapshot.ClusterServiceVersion) *catalogs.Facts {
	var values []catalogs.PropertyValue
	add := func(kind string, api catalogs.API) {
		if value, err := json.Marshal(map[string]string{"group": api.Group, "version": api.Version, "kind": api.Kind}); err == nil {
			values = append(values, catalogs.PropertyValue{Type: kind, Value: value})
		}
	}
	ofCRD := func(o csv.CRDDescription) catalogs.API {
		_, group, _ := strings.Cut(o.Name, ".")
		return catalogs.API{Group: group, Version: o.Version, Kind: o.Kind}
	}
	ofService := func(o csv.APIServiceDescription) catalogs.API {
		return catalogs.API{Group: o.Group, Version: o.Version, Kind: o.Kind}
	}
	for _, o := range c.Spec.CRDs.Owned {
		add(catalogs.TypeGVK, ofCRD(o))
	}
	for _, o := range c.Spec.APIServices.Owned {
		add(catalogs.TypeGVK, ofService(o))
	}
	for _, o := range c.Spec.CRDs.Required {
		add(catalogs.TypeGVKRequired, ofCRD(o))
	}
	for _, o := range c.Spec.APIServices.Required {
		add(catalogs.TypeGVKRequired, ofService(o))
	}
	return catalogs.NewFacts(values)
}

// readGroups reads the OperatorGroups of the namespace.
func (s *NamespaceState) readGroups(groups []snapshot.OperatorGroup) {
	s.Groups = &OperatorGroups{}
	for i := range groups {
		g := &groups[i]
		s.Groups.Names = append(s.Groups.Names, g.Metadata.Name)
		s.Groups.Targets, s.Groups.Known = g.Targets()
		s.Groups.ServiceAccount = g.Spec.ServiceAccount
		s.OwnCatalogsOnly = g.Metadata.Annotations[excludeGlobal] == "true"
		s.FailForward = g.Spec.Strategy == failForward
	}
	slices.Sort(s.Groups.Names)
	if len(s.Groups.Names) != 1 {
		s.OwnCatalogsOnly, s.FailForward = false, false
	}
}

// readSources reads the CatalogSources of the namespace and of the global namespace. If there are none of such a namespace in
// the text, they may have been left out: then those that subscriptions name are assumed.
func (s *NamespaceState) readSources(sources map[string][]snapshot.CatalogSource) {
	for _, namespace := range slices.Compact([]string{s.Name, s.Global}) {
		for i := range sources[namespace] {
			o := &sources[namespace][i]
			s.addSource(Source{SourceKey: SourceKey{o.Metadata.Name, namespace}, Priority: o.Spec.Priority, Unreachable: o.Unreachable()})
		}
	}
	for i := range s.Subscriptions {
		known := len(sources[s.Subscriptions[i].Source.Namespace]) > 0 || s.Subscriptions[i].Source.Namespace == s.Name && len(sources) > 0
		if key := s.Subscriptions[i].Source; !known && s.Sees(key.Namespace) {
			s.addSource(Source{SourceKey: key})
		}
	}
}

// addSource adds a source unless it exists.
func (s *NamespaceState) addSource(source Source) {
	if !s.has[source.SourceKey] {
		s.has[source.SourceKey] = true
		s.Sources = append(s.Sources, source)
	}
}

// readConditions reads the OperatorConditions of the namespace that forbid an upgrade.
func (s *NamespaceState) readConditions(conditions []snapshot.OperatorCondition) {
	s.Conditions = map[string]Condition{}
	for i := range conditions {
		if c := forbids(&conditions[i]); c != nil {
			s.Conditions[conditions[i].Metadata.Name] = *c
		}
	}
}

// readPlans reads the InstallPlans of the namespace. unknown says that the text has none of any namespace.
func (s *NamespaceState) readPlans(plans []snapshot.InstallPlan, unknown bool) {
	s.PlansUnknown = unknown
	for i := range plans {
		s.Plans = append(s.Plans, readPlan(&plans[i]))
	}
	slices.SortStableFunc(s.Plans, func(a, b InstallPlan) int { return strings.Compare(a.Name, b.Name) })
}

// readPlan reads the steps of an InstallPlan for operators and subscriptions. Manifests that cannot be read are left out.
func readPlan(o *snapshot.InstallPlan) InstallPlan {
	p := InstallPlan{Name: o.Metadata.Name, CSVs: o.Spec.CSVs, Approved: o.Spec.Approved, Phase: o.Status.Phase,
		steps: map[string]plannedCSV{}, subs: map[string]Subscription{}}
	for i := range o.Status.Plan {
		if p.Phase == "Complete" {
			break // without manifests
		}
		resource := &o.Status.Plan[i].Resource
		switch resource.Kind {
		case "ClusterServiceVersion":
			p.steps[resource.Name] = csvIn(resource.Name, resource.Manifest)
		case "Subscription":
			var sub snapshot.Subscription
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
	csv := snapshot.ClusterServiceVersion{Metadata: snapshot.Metadata{Name: name}}
	if unpacked.Kind != "ConfigMap" {
		if json.Unmarshal([]byte(manifest), &csv) != nil {
			return plannedCSV{}
		}
		in, err := installedAs(&csv)
		if err != nil {
			return plannedCSV{replaces: csv.Spec.Replaces}
		}
		return plannedCSV{csv.Spec.Replaces, &in}
	}
	csv.Metadata.Annotations = map[string]string{snapshot.Properties: unpacked.Properties}
	in, err := installedAs(&csv)
	if err != nil {
		return plannedCSV{replaces: unpacked.Replaces}
	}
	in.modes = nil
	if n := len(in.Facts.Packages); n > 0 {
		in.Version, _ = semver.ParseTolerant(in.Facts.Packages[n-1].Version)
	}
	return plannedCSV{unpacked.Replaces, &in}
}
