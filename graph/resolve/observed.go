package resolve

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
)

// metadata is what counts of an object's metadata.
type metadata struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

type subscriptionObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Package     string `json:"name"`
		Channel     string `json:"channel"`
		Source      string `json:"source"`
		Namespace   string `json:"sourceNamespace"`
		StartingCSV string `json:"startingCSV"`
	} `json:"spec"`
	Status struct {
		Installed string `json:"installedCSV"`
		Current   string `json:"currentCSV"`
	} `json:"status"`
}

type csvObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Version     string     `json:"version"`
		Replaces    string     `json:"replaces"`
		CRDs        owns[crd]  `json:"customresourcedefinitions"`
		APIServices owns[apis] `json:"apiservicedefinitions"`
	} `json:"spec"`
	Status struct {
		Phase  Phase  `json:"phase"`
		Reason string `json:"reason"`
	} `json:"status"`
}

// owns is what a CSV owns and requires of one kind.
type owns[T any] struct {
	Owned    []T `json:"owned"`
	Required []T `json:"required"`
}

// crd is a CRD as a CSV names it.
type crd struct{ Name, Version, Kind string }

func (c crd) api() catalogs.API {
	_, group, _ := strings.Cut(c.Name, ".")
	return catalogs.API{Group: group, Version: c.Version, Kind: c.Kind}
}

// apis is an API of an API service.
type apis struct{ Group, Version, Kind string }

func (a apis) api() catalogs.API { return catalogs.API(a) }

type sourceObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Priority int `json:"priority"`
	} `json:"spec"`
}

type groupObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Strategy string `json:"upgradeStrategy"`
	} `json:"spec"`
}

// What OLM calls these things.
const (
	excludeGlobal = "olm.operatorframework.io/exclude-global-namespace-resolution"
	properties    = "operatorframework.io/properties"
	copiedFrom    = "olm.copiedFrom"
	failForward   = "TechPreviewUnsafeFailForward"
)

// group is the API group of all objects that count.
const group = "operators.coreos.com/"

// of returns the objects of a kind.
func of[T any](objects []*catalogs.Object, kind string) ([]T, error) {
	var all []T
	for _, o := range objects {
		if o.Kind != kind || !strings.HasPrefix(o.APIVersion, group) {
			continue
		}
		var v T
		if err := json.Unmarshal(o.JSON, &v); err != nil {
			return nil, fmt.Errorf("%s %q: %w", kind, o.Name, err)
		}
		all = append(all, v)
	}
	return all, nil
}

// observed reads the objects of a cluster.
func observed(objects []*catalogs.Object, in string) (*State, error) {
	subs, err := of[subscriptionObject](objects, "Subscription")
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range subs {
		names = append(names, subs[i].Metadata.Namespace)
	}
	s := &State{Refs: map[Key]string{}}
	if s.Name, err = choose(names, in); err != nil {
		return nil, err
	}
	for i := range subs {
		if o := &subs[i]; o.Metadata.Namespace == s.Name {
			s.Subscriptions = append(s.Subscriptions, Subscription{Name: o.Metadata.Name, Package: o.Spec.Package, Channel: o.Spec.Channel,
				Source: Key{o.Spec.Source, o.Spec.Namespace}, StartingCSV: o.Spec.StartingCSV, Installed: o.Status.Installed, Current: o.Status.Current})
		}
	}
	for _, read := range []func([]*catalogs.Object) error{s.readInstalled, s.readGroups, s.readSources} {
		if err := read(objects); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// readInstalled reads the CSVs that are the namespace's own.
func (s *State) readInstalled(objects []*catalogs.Object) error {
	csvs, err := of[csvObject](objects, "ClusterServiceVersion")
	if err != nil {
		return err
	}
	for i := range csvs {
		c := &csvs[i]
		if c.Metadata.Namespace != s.Name || c.Status.Reason == "Copied" || c.Metadata.Labels[copiedFrom] != "" {
			continue
		}
		in := Installed{Name: c.Metadata.Name, Replaces: c.Spec.Replaces, Phase: c.phase()}
		in.Version, _ = semver.Parse(c.Spec.Version) // as OLM, which has 0.0.0 then
		if in.Facts, in.Projected, err = c.facts(); err != nil {
			return fmt.Errorf("ClusterServiceVersion %q: annotation %s: %w", c.Metadata.Name, properties, err)
		}
		s.Installed = append(s.Installed, in)
	}
	slices.SortStableFunc(s.Installed, func(a, b Installed) int { return strings.Compare(a.Name, b.Name) })
	return nil
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
		return c.inherent(), false, nil
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

// inherent are the APIs that a CSV owns and requires, as properties.
func (c *csvObject) inherent() *catalogs.Facts {
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

func (s *State) readGroups(objects []*catalogs.Object) error {
	groups, err := of[groupObject](objects, "OperatorGroup")
	for i := range groups {
		if g := &groups[i]; g.Metadata.Namespace == s.Name {
			s.Groups++
			s.OwnCatalogsOnly = g.Metadata.Annotations[excludeGlobal] == "true"
			s.FailForward = g.Spec.Strategy == failForward
		}
	}
	return err
}

// readSources reads the CatalogSources of the namespace and of the one for global ones: that which a subscription names, or
// which OLM or OpenShift makes for them. Of a namespace whose CatalogSources the text has none of, there are those that
// subscriptions name.
func (s *State) readSources(objects []*catalogs.Object) error {
	sources, err := of[sourceObject](objects, "CatalogSource")
	global := []string{s.Name, "olm", "openshift-marketplace"}
	for i := range s.Subscriptions {
		global = append(global, s.Subscriptions[i].Source.Namespace)
	}
	known := map[string]bool{}
	for i := range sources {
		o := &sources[i]
		known[o.Metadata.Namespace] = true
		if slices.Contains(global, o.Metadata.Namespace) {
			s.Sources = append(s.Sources, Source{Key: Key{o.Metadata.Name, o.Metadata.Namespace}, Priority: o.Spec.Priority})
		}
	}
	for i := range s.Subscriptions {
		if key := s.Subscriptions[i].Source; !known[key.Namespace] {
			s.addSource(Source{Key: key})
		}
	}
	return err
}

// addSource adds a source unless it is there.
func (s *State) addSource(source Source) {
	if !slices.ContainsFunc(s.Sources, func(known Source) bool { return known.Key == source.Key }) {
		s.Sources = append(s.Sources, source)
	}
}
