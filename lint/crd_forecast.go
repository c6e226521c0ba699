package lint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
)

// Cluster is what is known of the CRDs of a cluster, and of some objects of their kinds.
type Cluster struct {
	crds    map[string]*liveCRD
	objects []*catalogs.Object
}

// liveCRD is a CRD on a cluster.
type liveCRD struct {
	*crd.Definition
	stored []string // status.storedVersions
}

// NewCluster takes the objects of a cluster: its CRDs as kubectl prints them, with their status, and, if they are there, objects
// of their kinds.
func NewCluster(objects []*catalogs.Object) (*Cluster, error) {
	c := &Cluster{crds: map[string]*liveCRD{}}
	for _, o := range objects {
		if o.Kind != crd.Kind {
			c.objects = append(c.objects, o)
			continue
		}
		live, err := newLive(o)
		if err != nil {
			return nil, fmt.Errorf("CRD %s: %w", o.Name, err)
		}
		c.crds[o.Name] = live
	}
	if len(c.crds) == 0 {
		return nil, fmt.Errorf("there is no CustomResourceDefinition in it: print them with kubectl get crd -o yaml")
	}
	return c, nil
}

func newLive(o *catalogs.Object) (*liveCRD, error) {
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

// HopForecast is what becomes of one upgrade.
type HopForecast struct {
	From, To string
	// Reasons are why the upgrade is refused; it goes through if there are none.
	Reasons []Reason
	// Warnings are said, and the upgrade goes through all the same.
	Warnings []Reason
	// Stored are the versions in status.storedVersions of each CRD of the bundle afterwards.
	Stored []StoredVersions
	// Reached is false where an upgrade before is refused already, or nothing is known of it.
	Reached bool
	// Known is false where the catalog has not the manifests of To.
	Known bool
}

// Reason is what somebody holds against the CRD of an upgrade.
type Reason struct{ CRD, Message string }

// StoredVersions is status.storedVersions of a CRD.
type StoredVersions struct {
	CRD      string
	Versions []string
}

// Forecast predicts what becomes of the upgrades of a way on a cluster: the first one is held against the CRDs that are there,
// each other one against what the one before leaves behind. Nothing migrates objects in between.
func (c *Cluster) Forecast(cat *catalogs.Catalog, pkg *catalogs.Package, way graph.Path, olm graph.Generation) []HopForecast {
	f := &forecast{pass: newPass(cat, pkg, nil), olm: olm, live: map[string]*liveCRD{}, objects: c.objects}
	for name, live := range c.crds {
		f.live[name] = live
	}
	reached := true
	var hops []HopForecast
	for _, step := range way {
		if step.Switch() {
			continue
		}
		hop := HopForecast{From: step.From, To: step.To, Reached: reached}
		if reached {
			f.upgrade(&hop, pkg.Bundle(step.To))
			reached = hop.Known && len(hop.Reasons) == 0
		}
		hops = append(hops, hop)
	}
	return hops
}

// forecast is a cluster on its way.
type forecast struct {
	pass    *Pass
	olm     graph.Generation
	live    map[string]*liveCRD
	objects []*catalogs.Object
}

func (f *forecast) upgrade(hop *HopForecast, to *catalogs.Bundle) {
	if to == nil || !to.HasManifests() {
		return
	}
	hop.Known = true
	after := map[string]*liveCRD{}
	for _, own := range f.pass.CRDs(to) {
		name := own.Manifest.Name
		if own.err != nil {
			hop.judge(name, nil, own.err)
			continue
		}
		live := f.live[name]
		whole := f.pass.facts.crds.whole(own)
		next := &liveCRD{Definition: whole, stored: []string{own.StorageVersion()}}
		if live == nil {
			faults, err := whole.Faults()
			hop.judge(name, faults, err)
		} else {
			f.judge(hop, live, own, to)
			next.stored = union(live.stored, own.StorageVersion())
		}
		after[name] = next
		hop.Stored = append(hop.Stored, StoredVersions{name, next.stored})
	}
	if len(hop.Reasons) > 0 {
		return
	}
	for name, next := range after {
		f.live[name] = next
	}
}

func (h *HopForecast) refuse(crd string, messages []string) {
	for _, m := range messages {
		h.Reasons = append(h.Reasons, Reason{crd, m})
	}
}

// judge notes faults as refusals, and so an error, unless it only says that something is not known.
func (h *HopForecast) judge(crd string, faults []crd.Fault, err error) {
	h.refuse(crd, faultTexts(faults, nil))
	if isUnchecked(err) {
		h.Warnings = append(h.Warnings, Reason{crd, "not checked: " + err.Error()})
	} else if err != nil {
		h.refuse(crd, []string{err.Error()})
	}
}

func union(stored []string, version string) []string {
	if slices.Contains(stored, version) {
		return stored
	}
	return append(slices.Clone(stored), version)
}

// judge holds a CRD against the one on the cluster.
func (f *forecast) judge(hop *HopForecast, live *liveCRD, own *ownCRD, to *catalogs.Bundle) {
	name := own.Manifest.Name
	for _, version := range live.stored {
		if !own.has(version) {
			hop.refuse(name, []string{fmt.Sprintf("status.storedVersions has %s, which the CRD has no more (\"risk of data loss\")", version)})
		}
	}
	faults, err := crd.Refusals(live.Outline, own.Outline, live.stored)
	faults = slices.DeleteFunc(faults, func(f crd.Fault) bool { return strings.HasPrefix(f.Path, "status.storedVersions") })
	hop.judge(name, faults, err)
	if f.olm == graph.V1 {
		f.preflight(hop, live, own, to)
		return
	}
	for _, message := range f.invalidObjects(hop, live, own) {
		if own.Conversion == "Webhook" {
			hop.Warnings = append(hop.Warnings, Reason{name, message})
		} else {
			hop.Reasons = append(hop.Reasons, Reason{name, message})
		}
	}
}

// preflight is what OLM v1 finds in the schemas.
func (f *forecast) preflight(hop *HopForecast, live *liveCRD, own *ownCRD, to *catalogs.Bundle) {
	if own.APIVersion != crd.V1 {
		hop.refuse(own.Manifest.Name, []string{"OLM v1 reads no CRD in " + own.APIVersion})
		return
	}
	changes, err := compared(live.Definition, f.pass.rendition(to, own).render(f.pass.facts.crds.whole(own)))
	if err != nil {
		hop.judge(own.Manifest.Name, nil, err)
	}
	for _, c := range changes {
		hop.refuse(own.Manifest.Name, []string{strings.TrimPrefix(c.Version+": "+c.Message, ": ")})
	}
}

// invalidObjects says which objects of the cluster do not fit the new schema of a version that is served before and after (OLM:
// validateExistingCRs), and notes the ones of which that is not known.
func (f *forecast) invalidObjects(hop *HopForecast, live *liveCRD, own *ownCRD) []string {
	var all []string
	whole := f.pass.facts.crds.whole(own)
	for _, o := range f.objects {
		api := csv.APIOf(o.JSON())
		if api.Group != live.Group || api.Kind != live.Kind {
			continue
		}
		for _, v := range live.Versions {
			// Without a webhook an object looks the same in all versions.
			if !v.Served || !own.Serves(v.Name) || v.Name != api.Version && live.Conversion != "None" {
				continue
			}
			faults, err := whole.Invalid(v.Name, o.JSON())
			if isUnchecked(err) {
				hop.judge(own.Manifest.Name, nil, err)
			} else if texts := faultTexts(faults, err); len(texts) > 0 {
				all = append(all, fmt.Sprintf("%s %q does not fit the new schema of %s: %s%s", api.Kind, o.Name, v.Name, texts[0], andMore(len(texts)-1, "fault")))
			}
		}
	}
	return all
}

func faultTexts(faults []crd.Fault, err error) []string {
	if err != nil {
		return []string{err.Error()}
	}
	var texts []string
	for _, f := range faults {
		texts = append(texts, faultText(f))
	}
	return texts
}
