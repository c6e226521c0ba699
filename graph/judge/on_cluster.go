package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// Cluster has the CRDs of a cluster, and some objects of their kinds. The zero value has none.
type Cluster struct {
	crds    map[string]*liveCRD
	objects []*bundled.Object
}

// liveCRD is a CRD on a cluster.
type liveCRD struct {
	*crd.Definition
	stored []string        // status.storedVersions
	of     *bundled.Object // what it was made of; nil: it is as the cluster has it
}

// NewCluster returns the cluster with some objects: CRDs as kubectl prints them, with their status, and optionally custom
// resources.
func NewCluster(objects []*bundled.Object) (*Cluster, error) {
	c := &Cluster{crds: map[string]*liveCRD{}}
	for _, o := range objects {
		if o.Kind != crd.Kind {
			c.objects = append(c.objects, o)
			continue
		}
		live, err := newLiveCRD(o)
		if err != nil {
			return nil, fmt.Errorf("CRD %s: %w", o.Name, err)
		}
		c.crds[o.Name] = live
	}
	if len(c.crds) == 0 {
		return nil, fmt.Errorf("it has no CustomResourceDefinition: print them with kubectl get crd -o yaml")
	}
	return c, nil
}

func newLiveCRD(o *bundled.Object) (*liveCRD, error) {
	d, err := crd.Parse(o.JSON())
	if err != nil {
		return nil, err
	}
	var live struct {
		Status struct {
			StoredVersions []string `json:"storedVersions"`
		} `json:"status"`
	}
	if err := json.Unmarshal(o.JSON(), &live); err != nil || len(live.Status.StoredVersions) == 0 {
		return nil, fmt.Errorf("no status.storedVersions: print it with kubectl get crd -o yaml")
	}
	return &liveCRD{Definition: d, stored: live.Status.StoredVersions}, nil
}

// Outcome is the result of one upgrade on a cluster.
type Outcome struct {
	From, To string
	// Reasons say why the upgrade is rejected; none if it succeeds.
	Reasons []Reason
	// Warnings do not block the upgrade.
	Warnings []Reason
	// Stored are the versions in status.storedVersions of each CRD of the bundle afterwards.
	Stored []CRDStoredVersions
	// Reached is false if an upgrade before is rejected, or nothing is known of it.
	Reached bool
	// Known is false if the catalog does not have the manifests of To or, without a cluster, of From. Reasons that are known of less are told
	// nevertheless.
	Known bool
}

// Outcomes are the results of the upgrades of a path.
type Outcomes []Outcome

// Rejected reports whether an upgrade is rejected.
func (all Outcomes) Rejected() bool {
	return slices.ContainsFunc(all, func(o Outcome) bool { return len(o.Reasons) > 0 })
}

// CRDStoredVersions is status.storedVersions of a CRD.
type CRDStoredVersions struct {
	CRD      string
	Versions []string
}

// Preflight returns the outcomes of the upgrades of a path on a cluster: the first one is checked against the CRDs of the cluster,
// each other one against the state after the one before. It assumes that no objects are migrated in between.
func (c *Cluster) Preflight(pkg *catalogs.Package, path graph.Path, olm graph.Generation) Outcomes {
	return New(pkg, Options{}).outcomes(path, c.state(olm))
}

func (c *Cluster) state(olm graph.Generation) *clusterState {
	s := &clusterState{olm: olm, crds: map[string]*liveCRD{}, objects: c.objects}
	maps.Copy(s.crds, c.crds)
	return s
}

// Outcomes returns the outcomes of the upgrades of a path on a cluster or, if it is nil, on one where the first bundle was installed, without others
// of the package before. It assumes that no objects are migrated in between.
func (p *Package) Outcomes(path graph.Path, olm graph.Generation, on *Cluster) Outcomes {
	if on != nil {
		s := on.state(olm)
		s.requirements = true
		return p.outcomes(path, s)
	}
	s := &clusterState{olm: olm, crds: map[string]*liveCRD{}, needsFrom: true, requirements: true}
	if i := slices.IndexFunc(path, func(s graph.Step) bool { return !s.Switch() }); i >= 0 {
		if first := p.pkg.Bundle(path[i].From); first != nil && first.HasManifests() {
			for _, own := range p.CRDs(first) {
				if own.Err == nil && own.StorageVersion() != "" {
					s.crds[own.Manifest.Name] = &liveCRD{p.definition(own), []string{own.StorageVersion()}, own.Manifest.Object}
				}
			}
		}
	}
	return p.outcomes(path, s)
}

// Failing returns why upgrades of the package fail on a cluster where the older bundle was installed first, by the names of both bundles:
// those of Upgrades, under OLM v0.
func (p *Package) Failing() map[[2]string][]Reason {
	found := map[[2]string][]Reason{}
	for _, u := range p.Upgrades() {
		step := graph.Step{From: u.From.Name.Value, To: u.To.Name.Value, Edge: u.Edge}
		for _, o := range p.Outcomes(graph.Path{step}, graph.V0, nil) {
			if len(o.Reasons) > 0 {
				found[[2]string{o.From, o.To}] = o.Reasons
			}
		}
	}
	return found
}

func (p *Package) outcomes(path graph.Path, s *clusterState) Outcomes {
	s.pkg = p
	reached := true
	var all Outcomes
	for _, step := range path {
		if step.Switch() {
			continue
		}
		o := Outcome{From: step.From, To: step.To, Reached: reached}
		if reached {
			s.upgrade(&o, p.pkg.Bundle(step.From), p.pkg.Bundle(step.To))
			reached = o.Known && len(o.Reasons) == 0
		}
		all = append(all, o)
	}
	return all
}

// clusterState is the cluster between two upgrades.
type clusterState struct {
	pkg     *Package
	olm     graph.Generation
	crds    map[string]*liveCRD
	objects []*bundled.Object

	needsFrom    bool // nothing is known but what bundles have
	requirements bool // of ClusterServiceVersions are checked
}

func (s *clusterState) upgrade(o *Outcome, from, to *catalogs.Bundle) {
	if to == nil {
		return
	}
	s.addBundle(o, from, to)
	if s.olm == graph.V0 && s.requirements && from != nil {
		s.addRequirements(o, from, to)
	}
	if !s.isKnown(to) || s.needsFrom && !s.isKnown(from) {
		return
	}
	o.Known = true
	if from != nil {
		for _, r := range s.pkg.Refused(from, to) {
			o.Reasons = append(o.Reasons, Reason{Kind: r.Kind, Name: r.Name, Message: r.Field + ": " + r.Message})
		}
		for _, m := range s.pkg.NotServed(from, to) {
			o.Warnings = append(o.Warnings, Reason{Kind: m.Kind, Name: m.Name, Message: notServed(m)})
		}
	}
	after := s.addCRDs(o, to)
	if s.olm == graph.V0 {
		s.addUnserved(o, from, to, after)
	}
	if len(o.Reasons) == 0 {
		maps.Copy(s.crds, after)
	}
}

// addBundle adds what stops the installation of the newer bundle, and would not of the older one: the cluster lives with that.
func (s *clusterState) addBundle(o *Outcome, from, to *catalogs.Bundle) {
	before := map[string]bool{}
	if from != nil {
		for _, r := range s.pkg.inBundle(from) {
			before[r.Row.ID+" "+r.Message] = true
		}
	}
	for _, r := range s.pkg.inBundle(to) {
		if before[r.Row.ID+" "+r.Message] || !r.concerns(s.olm) || s.olm == graph.V0 && r.Row.ofState {
			continue
		}
		one := *r
		switch {
		case !s.meets(&one):
		case one.stops(s.olm) && len(one.Where) == 0:
			o.Reasons = append(o.Reasons, one)
		default:
			o.Warnings = append(o.Warnings, one)
		}
	}
}

// meets reports whether the cluster can meet the conditions of a reason, and leaves those that are open.
func (s *clusterState) meets(r *Reason) bool {
	var open []Condition
	for _, c := range r.Where {
		holds, known := s.holds(c)
		if known && !holds {
			return false
		}
		if !known {
			open = append(open, c)
		}
	}
	r.Where = open
	return true
}

// holds reports whether the cluster meets a condition, and whether that is known.
func (s *clusterState) holds(c Condition) (holds, known bool) {
	if c.Kind != KubernetesFrom {
		return false, false
	}
	v, err := semver.ParseTolerant(s.pkg.options.Kubernetes)
	return v.Major == 1 && v.Minor >= uint64(c.Minor), err == nil
}

// addCRDs adds why CRDs of a bundle are rejected, and returns those of the cluster afterwards.
func (s *clusterState) addCRDs(o *Outcome, to *catalogs.Bundle) map[string]*liveCRD {
	after := map[string]*liveCRD{}
	for _, own := range s.pkg.CRDs(to) {
		name := own.Manifest.Name
		if own.Err != nil {
			o.addFaults(name, nil, own.Err)
			continue
		}
		live := s.crds[name]
		next := &liveCRD{Definition: s.pkg.definition(own), stored: []string{own.StorageVersion()}, of: own.Manifest.Object}
		if live == nil {
			found := s.pkg.faultsOf(own)
			o.addFaults(name, found.all, found.err)
		} else {
			s.update(o, live, own, to)
			next.stored = union(live.stored, own.StorageVersion())
		}
		after[name] = next
		o.Stored = append(o.Stored, CRDStoredVersions{name, next.stored})
	}
	return after
}

// isKnown reports whether the ClusterServiceVersion and the other manifests of a bundle can be read.
func (s *clusterState) isKnown(b *catalogs.Bundle) bool {
	if b == nil || !b.HasManifests() {
		return false
	}
	unread := len(s.pkg.Unread())
	csv := s.pkg.CSV(b)
	return len(s.pkg.Unread()) == unread && csv != nil && csv.Err == nil
}

func (o *Outcome) reject(name string, messages ...string) {
	for _, m := range messages {
		o.Reasons = append(o.Reasons, Reason{Kind: crd.Kind, Name: name, Message: m})
	}
}

// addFaults adds faults and an error as reasons; an Unchecked error is added as a warning.
func (o *Outcome) addFaults(name string, faults []crd.Fault, err error) {
	for _, f := range faults {
		o.reject(name, f.String())
	}
	if crd.IsUnchecked(err) {
		o.Warnings = append(o.Warnings, Reason{Kind: crd.Kind, Name: name, Message: "not checked: " + err.Error()})
	} else if err != nil {
		o.reject(name, err.Error())
	}
}

func union(stored []string, version string) []string {
	if slices.Contains(stored, version) {
		return stored
	}
	return append(slices.Clone(stored), version)
}

// update checks a CRD against the one on the cluster.
func (s *clusterState) update(o *Outcome, live *liveCRD, own *CRD, to *catalogs.Bundle) {
	name := own.Manifest.Name
	for _, version := range live.stored {
		if !own.Has(version) {
			o.Reasons = append(o.Reasons, Reason{Kind: crd.Kind, Name: name, Stored: true,
				Message: fmt.Sprintf("status.storedVersions has %s, which the CRD no longer has (\"risk of data loss\")", version)})
		}
	}
	faults, err := crd.UpdateFaults(live.Outline, own.Outline, live.stored)
	faults = slices.DeleteFunc(faults, func(f crd.Fault) bool { return strings.HasPrefix(f.Path, "status.storedVersions") })
	if len(faults) == 0 && err == nil && live.of != own.Manifest.Object && len(s.pkg.faultsOf(own).all) > 0 { // whatever the new one alone is
		faults, err = crd.NewFaults(live.Definition, s.pkg.definition(own), live.stored)
	}
	o.addFaults(name, faults, err)
	if s.olm == graph.V1 {
		s.compareSchemas(o, live, own, to)
		return
	}
	for _, message := range s.invalidObjects(o, live, own) {
		if own.Conversion == "Webhook" {
			o.Warnings = append(o.Warnings, Reason{Kind: crd.Kind, Name: name, Message: message})
		} else {
			o.reject(name, message)
		}
	}
}

// compareSchemas adds the schema changes that OLM v1 rejects (operator-controller: crdUpgradeSafety).
func (s *clusterState) compareSchemas(o *Outcome, live *liveCRD, own *CRD, to *catalogs.Bundle) {
	name := own.Manifest.Name
	if own.APIVersion != crd.V1 {
		o.reject(name, "OLM v1 reads no CRD in "+own.APIVersion)
		return
	}
	changes, err := compare(live.Definition, s.pkg.rendered(to, own).apply(s.pkg.definition(own)))
	if err != nil {
		o.addFaults(name, nil, err)
	}
	for _, c := range changes {
		o.reject(name, strings.TrimPrefix(c.Version+": "+c.Message, ": "))
	}
}

// invalidObjects returns a message for each object of the cluster that is not valid under the new schema of a version that is
// served before and after (OLM: validateExistingCRs), and adds a warning for each that could not be checked.
func (s *clusterState) invalidObjects(o *Outcome, live *liveCRD, own *CRD) []string {
	var all []string
	whole := s.pkg.definition(own)
	for _, object := range s.objects {
		api := csv.APIOf(object.JSON())
		if api.Group != live.Group || api.Kind != live.Kind {
			continue
		}
		for _, v := range live.Versions {
			// Without a webhook an object is the same in all versions.
			if !v.Served || !own.Serves(v.Name) || v.Name != api.Version && live.Conversion != "None" {
				continue
			}
			faults, err := whole.Invalid(v.Name, object.JSON())
			if crd.IsUnchecked(err) {
				o.addFaults(own.Manifest.Name, nil, err)
				continue
			}
			says := crd.Summary(faults)
			if err != nil {
				says = err.Error()
			}
			if says != "" {
				all = append(all, fmt.Sprintf("%s %q does not match the new schema of %s: %s", api.Kind, object.Name, v.Name, says))
			}
		}
	}
	return all
}
