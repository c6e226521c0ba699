package judge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// Cluster has the CRDs of a cluster, and some objects of their kinds. The zero value has none.
type Cluster struct {
	crds    map[string]*liveCRD
	objects []*bundled.Object
	// Others are CRDs by API group which are read only if it matters whether they are served.
	Others map[string][]*bundled.Object
	// Modes are the install modes that the OperatorGroup needs; none: they are not known.
	Modes []string
	// ServiceAccount is the one to whose permissions the OperatorGroup limits OLM; "" if it limits it to none. It is not judged.
	ServiceAccount string
}

// liveCRD is a CRD on a cluster.
type liveCRD struct {
	*crd.Definition
	stored []string        // status.storedVersions
	of     *bundled.Object // what it was made of; nil: it is as the cluster has it
}

// NewCluster returns the cluster with some CRDs, as kubectl prints them, with their status, and some custom resources.
func NewCluster(crds, objects []*bundled.Object) (*Cluster, error) {
	c := &Cluster{crds: map[string]*liveCRD{}, objects: objects}
	for _, o := range crds {
		live, err := newLiveCRD(o)
		if err != nil {
			return nil, fmt.Errorf("CRD %s: %w", o.Name, err)
		}
		c.crds[o.Name] = live
	}
	return c, nil
}

// CRDs returns the number of CRDs that are known.
func (c *Cluster) CRDs() int { return len(c.crds) }

// Objects returns the number of custom resources that are known.
func (c *Cluster) Objects() int { return len(c.objects) }

// WithObjects returns a cluster of which nothing is known but some custom resources.
func WithObjects(objects []*bundled.Object) *Cluster { return &Cluster{objects: objects} }

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
	// Known is false if the catalog does not have the manifests of To or, without a cluster, of From. Reasons that are known of less are told
	// nevertheless.
	Known bool
}

// Outcomes are the results of the upgrades of a path.
type Outcomes []Outcome

// IsRejected reports whether an upgrade is rejected.
func (all Outcomes) IsRejected() bool {
	return slices.ContainsFunc(all, func(o Outcome) bool { return len(o.Reasons) > 0 })
}

// CRDStoredVersions is status.storedVersions of a CRD.
type CRDStoredVersions struct {
	CRD      string
	Versions []string
}

// On is what is known of a cluster.
type On struct {
	OLM        graph.Generation
	Kubernetes string   // its version, as 1.29; "": not known
	Cluster    *Cluster // its CRDs and objects; nil: those of the bundle that is installed first, and no others of the package before
	// Resolved says that the resolver has chosen the upgrade with what it knows: the OperatorGroup, and the version of Kubernetes.
	Resolved bool
	// Unseen says that what depends on objects and storage versions of which nothing is known is told as well.
	Unseen bool
}

// Judge returns the outcomes of the upgrades of a path: the first one on the cluster as it is, each other one on what the one before leaves, which is not
// known once one fails. No objects are migrated in between.
func (p *Package) Judge(path graph.Path, on On) Outcomes {
	s := p.state(on)
	var all Outcomes
	for _, step := range path {
		if step.Switch() {
			continue
		}
		o := Outcome{From: step.From, To: step.To}
		s.upgrade(&o, p.pkg.Bundle(step.From), p.pkg.Bundle(step.To))
		s.unknown = s.unknown || !o.Known || o.Fails()
		all = append(all, o)
	}
	return all
}

// JudgeUpgrade returns the outcome of one upgrade, of bundles that may be of other catalogs; of an installation if from is nil.
func (p *Package) JudgeUpgrade(from, to *catalogs.Bundle, on On) Outcome {
	o := Outcome{To: to.Name.Value}
	if from != nil {
		o.From = from.Name.Value
	}
	p.state(on).upgrade(&o, from, to)
	return o
}

func (p *Package) state(on On) *clusterState {
	s := &clusterState{On: on, pkg: p, crds: map[string]*liveCRD{}}
	if on.Cluster != nil {
		maps.Copy(s.crds, on.Cluster.crds)
		s.objects = on.Cluster.objects
	}
	return s
}

// Outcomes is Judge with the version of Kubernetes of the options.
func (p *Package) Outcomes(path graph.Path, olm graph.Generation, on *Cluster) Outcomes {
	return p.Judge(path, On{OLM: olm, Kubernetes: p.options.Kubernetes, Cluster: on, Unseen: true})
}

// FailingUpgrades returns why upgrades of the package fail on a cluster where the older bundle was installed first, by the names of both bundles:
// those of Upgrades, under OLM v0.
func (p *Package) FailingUpgrades() map[[2]string][]Reason {
	found := map[[2]string][]Reason{}
	for _, u := range p.Upgrades() {
		if reasons := p.failureReasons(graph.Step{From: u.From.Name.Value, To: u.To.Name.Value, Edge: u.Edge}); len(reasons) > 0 {
			found[[2]string{u.From.Name.Value, u.To.Name.Value}] = reasons
		}
	}
	return found
}

// clusterState is the cluster between two upgrades.
type clusterState struct {
	On
	pkg     *Package
	crds    map[string]*liveCRD
	objects []*bundled.Object
	unknown bool // what an earlier upgrade leaves is not known: of the next ones only what their bundles say is judged
	// leastKubernetes is the oldest version on which what is installed runs.
	leastKubernetes string
}

// addInstalled adds the CRDs of the bundle that is installed, as far as the cluster's are not known.
func (s *clusterState) addInstalled(from *catalogs.Bundle) {
	for _, own := range s.pkg.CRDs(from) {
		if name := own.Manifest.Name; own.Err == nil && own.StorageVersion() != "" && s.crds[name] == nil {
			s.crds[name] = &liveCRD{s.pkg.definition(own), []string{own.StorageVersion()}, own.Manifest.Object}
		}
	}
}

func (s *clusterState) upgrade(o *Outcome, from, to *catalogs.Bundle) {
	if to == nil {
		return
	}
	s.addBundle(o, from, to)
	if from != nil {
		s.addUpgrade(o, from, to)
	}
	if s.unknown || !s.isKnown(to) || s.Cluster == nil && !s.isKnown(from) {
		return
	}
	o.Known = true
	if from != nil {
		s.addInstalled(from)
	}
	after := s.addCRDs(o, to)
	if s.OLM == graph.V0 {
		s.addUnserved(o, from, to, after)
	}
	if !o.Fails() {
		maps.Copy(s.crds, after)
	}
}

// addBundle adds what stops the installation of the newer bundle, and would not of the older one: the cluster lives with that, unless
// Kubernetes has removed an API since.
func (s *clusterState) addBundle(o *Outcome, from, to *catalogs.Bundle) {
	before := map[string]bool{}
	s.leastKubernetes = oldestKubernetes
	if from != nil {
		if old := s.pkg.readableCSV(from); old != nil {
			s.leastKubernetes = cmp.Or(strings.TrimSpace(old.Spec.MinKubeVersion), oldestKubernetes)
		}
		for _, r := range s.pkg.inBundle(from) {
			before[r.identity()] = true
		}
	}
	for _, r := range s.pkg.inBundle(to) {
		if before[r.identity()] && !slices.ContainsFunc(r.Where, s.ofKubernetes) || !r.concerns(s.OLM) || s.OLM == graph.V0 && r.Row.needsClusterCRDs || s.Resolved && r.Row.resolved {
			continue
		}
		s.add(o, *r)
	}
}

// addUpgrade adds what the differences of two bundles do.
func (s *clusterState) addUpgrade(o *Outcome, from, to *catalogs.Bundle) {
	for _, row := range rowsOfUpgrades {
		if s.Resolved && row.resolved || row.needsClusterCRDs {
			continue
		}
		for _, r := range s.pkg.FindBetween(row, from, to) {
			if r.concerns(s.OLM) {
				s.add(o, *r)
			}
		}
	}
}

// Fails reports whether the upgrade fails whatever objects there are.
func (o *Outcome) Fails() bool {
	return slices.ContainsFunc(o.Reasons, func(r Reason) bool { return len(r.Where) == 0 })
}

// Stage returns the first stage that fails.
func (o *Outcome) Stage() Stage {
	return slices.MinFunc(o.Reasons, func(a, b Reason) int { return int(a.Row.Stage - b.Row.Stage) }).Row.Stage
}

// add adds a reason, unless the cluster does not meet its conditions: as a warning if it may not, or nobody rejects it.
func (s *clusterState) add(o *Outcome, r Reason) {
	switch {
	case !s.filterConditions(&r):
	case r.Stops(s.OLM) && len(r.Where) == 0:
		o.Reasons = append(o.Reasons, r)
	default:
		o.Warnings = append(o.Warnings, r)
	}
}

// addCRDs adds why CRDs of a bundle are rejected, and returns those of the cluster afterwards.
func (s *clusterState) addCRDs(o *Outcome, to *catalogs.Bundle) map[string]*liveCRD {
	after := map[string]*liveCRD{}
	for _, own := range s.pkg.CRDs(to) {
		name := own.Manifest.Name
		if own.Err != nil {
			o.addError(invalidCRD, name, own.Err)
			continue
		}
		live := s.crds[name]
		next := &liveCRD{Definition: s.pkg.definition(own), stored: []string{own.StorageVersion()}, of: own.Manifest.Object}
		if live == nil {
			found := s.pkg.crdFaults(own)
			s.addFaults(o, invalidCRD, own, found.all)
			o.addError(invalidCRD, name, found.err)
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
	csv := s.pkg.CSV(b)
	return csv != nil && csv.Err == nil && !slices.ContainsFunc(s.pkg.Unread(), func(u Unread) bool { return u.Bundle == b })
}

func (o *Outcome) reject(row *Row, name, message string) {
	o.Reasons = append(o.Reasons, Reason{Row: row, Kind: crd.Kind, Name: name, Message: message})
}

func (s *clusterState) addFaults(o *Outcome, row *Row, own *CRD, faults []crd.Fault) {
	for i := range faults {
		s.add(o, *faultReason(row, own, &faults[i]))
	}
}

// addError adds an error as a reason; an Unchecked error is added as a warning.
func (o *Outcome) addError(row *Row, name string, err error) {
	if crd.IsUnchecked(err) {
		o.Warnings = append(o.Warnings, Reason{Row: row, Kind: crd.Kind, Name: name, Message: "not checked: " + err.Error()})
	} else if err != nil {
		o.reject(row, name, err.Error())
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
	name, storage := own.Manifest.Name, live.StorageVersion()
	if !own.Has(storage) {
		storage = ""
	}
	for _, version := range live.stored {
		if !own.Has(version) {
			o.Reasons = append(o.Reasons, Reason{Row: storageRemoved, Kind: crd.Kind, Name: name, Stored: true, Storage: storage,
				Message: fmt.Sprintf("status.storedVersions has %s, which the CRD no longer has (\"risk of data loss\")", version)})
		}
	}
	faults, err := updateFaults(live.Outline, own.Outline, live.stored)
	if s.Unseen && s.Cluster == nil {
		s.addStoredBefore(o, live, own)
	}
	row := immutableCRD
	if len(faults) == 0 && err == nil && live.of != own.Manifest.Object && len(s.pkg.crdFaults(own).all) > 0 { // whatever the new one alone is
		row = invalidCRD
		faults, err = crd.NewFaults(live.Definition, s.pkg.definition(own), live.stored)
	}
	s.addFaults(o, row, own, faults)
	o.addError(row, name, err)
	if s.OLM == graph.V1 {
		s.compareSchemas(o, live, own, to)
		return
	}
	if s.Cluster == nil && live.of != own.Manifest.Object {
		s.addNoneFits(o, live, own)
	}
	for _, message := range s.invalidObjects(o, live, own) {
		if own.Conversion == crd.Webhook {
			o.Warnings = append(o.Warnings, Reason{Row: schemaNarrowed, Kind: crd.Kind, Name: name, Message: message})
		} else {
			o.reject(schemaNarrowed, name, message)
		}
	}
}

// addStoredBefore adds the versions that may be stored because of what users had before the bundle that is installed.
func (s *clusterState) addStoredBefore(o *Outcome, live *liveCRD, own *CRD) {
	if !slices.ContainsFunc(live.Versions, func(v crd.Version) bool { return !own.Has(v.Name) }) {
		return // a version that is still stored is in each CRD
	}
	for _, before := range s.pkg.StoredBefore(o.From, own.Manifest.Name) {
		if first := before.Path[0]; !own.Has(before.Version) && !slices.Contains(live.stored, before.Version) {
			o.Warnings = append(o.Warnings, Reason{Row: storageRemoved, Kind: crd.Kind, Name: own.Manifest.Name, Stored: true,
				Where:   []Condition{{Kind: storedIn, Name: before.Version}},
				Message: fmt.Sprintf("the CRD no longer has %s, in which clusters that had %s stored objects", before.Version, first.Name)})
		}
	}
}

// addNoneFits adds that no object is valid in both schemas of a version: the upgrade fails wherever there is one.
func (s *clusterState) addNoneFits(o *Outcome, live *liveCRD, own *CRD) {
	r := Reason{Row: schemaNarrowed, Kind: crd.Kind, Name: own.Manifest.Name}
	if why := noneFits(live.Definition, s.pkg.definition(own)); why != "" {
		r.Message, r.Where = "no object is valid in both schemas of "+why, []Condition{{Kind: objectsExist, Name: own.Kind}}
		o.Reasons = append(o.Reasons, r)
	} else if found := s.narrowingChanges(live, own); len(found) > 0 && own.Conversion != crd.Webhook {
		r.Message, r.Where = found[0].Version+": "+found[0].Message, []Condition{{Kind: objectsUnfit, Name: own.Kind}}
		if more := len(found) - 1; more > 0 {
			r.Message += " (and " + words.Count(more, "more change") + ")"
		}
		o.Warnings = append(o.Warnings, r)
	}
}

// narrowingChanges returns the changes of a schema that can make objects of users invalid.
func (s *clusterState) narrowingChanges(live *liveCRD, own *CRD) []crd.Change {
	if !s.Unseen || own.APIVersion != crd.V1 || live.APIVersion != crd.V1 {
		return nil
	}
	found, _ := compare(live.Definition, s.pkg.definition(own))
	unseen, _ := crd.Unseen(live.Definition, s.pkg.definition(own))
	return slices.DeleteFunc(slices.Concat(found, unseen), func(c crd.Change) bool {
		return !c.Narrows || c.Ample || c.Check == "scope" || strings.HasPrefix(c.Path, "^.status")
	})
}

// NoneFits says in which version no object is valid before and after an upgrade, and why; "" if objects can be in each version.
func (k *Cache) NoneFits(old, new *CRD) string {
	return noneFits(k.definition(old), k.definition(new))
}

func noneFits(old, new *crd.Definition) string {
	for _, v := range new.ServedVersions() {
		if old.Serves(v) && new.Conversion != crd.Webhook {
			if why := crd.NoneFits(old, new, v); why != "" {
				return v + ": " + why
			}
		}
	}
	return ""
}

// compareSchemas adds the schema changes that OLM v1 rejects (operator-controller: crdUpgradeSafety).
func (s *clusterState) compareSchemas(o *Outcome, live *liveCRD, own *CRD, to *catalogs.Bundle) {
	name := own.Manifest.Name
	if own.APIVersion != crd.V1 {
		o.reject(schemaChanged, name, "OLM v1 reads no CRD in "+own.APIVersion)
		return
	}
	changes, err := compare(live.Definition, s.pkg.renderCRD(to, own).apply(s.pkg.definition(own)))
	if err != nil {
		o.addError(schemaChanged, name, err)
	}
	for _, c := range changes {
		o.reject(schemaChanged, name, strings.TrimPrefix(c.Version+": "+c.Message, ": "))
	}
}

// invalidObjects returns a message for each object of the cluster that is not valid under the new schema of a version that is
// served before and after (OLM: validateExistingCRs), and adds a warning for each that could not be checked.
func (s *clusterState) invalidObjects(o *Outcome, live *liveCRD, own *CRD) []string {
	var all []string
	whole := s.pkg.definition(own)
	for _, object := range s.objects {
		api := csv.ParseAPI(object.JSON())
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
				o.addError(schemaNarrowed, own.Manifest.Name, err)
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
