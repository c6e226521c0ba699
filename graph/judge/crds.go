package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// CRD is a CustomResourceDefinition in a bundle. Outline is nil if it cannot be read: Err says why.
type CRD struct {
	*crd.Outline
	Manifest *bundled.Manifest
	Err      error
}

// readOutline is the outline of a CRD, or why it cannot be read.
type readOutline struct {
	*crd.Outline
	err error
}

// CRDs returns the CRDs in a bundle, by name. Of two with the same name it is the one in v1, or the first.
func (p *Package) CRDs(b *catalogs.Bundle) []*CRD {
	p.prepare()
	return p.crds.Get(b, func() []*CRD {
		var all []*CRD
		for _, m := range p.uniqueCRDManifests(b) {
			all = append(all, p.crd(m))
		}
		return all
	})
}

// CRD returns the CRD of that name in a bundle, readable or not; nil if there is none.
func (p *Package) CRD(b *catalogs.Bundle, name string) *CRD {
	return find.Value(p.CRDs(b), func(c *CRD) bool { return c.Manifest.Name == name })
}

// ReadableCRD returns the CRD of that name in a bundle, nil if there is none that can be read.
func (p *Package) ReadableCRD(b *catalogs.Bundle, name string) *CRD {
	if c := p.CRD(b, name); c != nil && c.Outline != nil {
		return c
	}
	return nil
}

// CRDManifests returns the manifests of all CRDs of a bundle. It reads nothing if the bundle cannot have any.
func (p *Package) CRDManifests(b *catalogs.Bundle) []*bundled.Manifest {
	if !b.HasManifests() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.Manifests(b)), func(m *bundled.Manifest) bool { return m.Kind != crd.Kind })
}

// uniqueCRDManifests returns the manifests of the CRDs of a bundle, by name, each name once: see CRDs.
func (p *Package) uniqueCRDManifests(b *catalogs.Bundle) []*bundled.Manifest {
	return p.crdManifests.Get(b, func() []*bundled.Manifest {
		all := p.CRDManifests(b)
		slices.SortStableFunc(all, func(a, b *bundled.Manifest) int {
			return cmp.Or(cmp.Compare(a.Name, b.Name), find.CompareFirst(a.APIVersion == crd.V1, b.APIVersion == crd.V1))
		})
		return slices.CompactFunc(all, func(a, b *bundled.Manifest) bool { return a.Name == b.Name })
	})
}

// crd reads the CRD of a manifest. An object of several bundles is read once.
func (k *Cache) crd(m *bundled.Manifest) *CRD {
	of := k.crdNamed(m.Name)
	sum := of.sum(m.Object)
	known := k.results.outlines.Get(sum, func() readOutline {
		whole, err := of.decoded.decode(sum, m.Object)
		if err != nil {
			return readOutline{err: err}
		}
		return readOutline{Outline: whole.Outline}
	})
	return &CRD{Outline: known.Outline, Manifest: m, Err: known.err}
}

// findImmutable finds what the API server rejects in the update of CRDs of which objects are stored in their storage versions, except that these
// are removed.
func findImmutable(c *upgradeCase) {
	for _, old := range c.pkg.CRDs(c.From) {
		own := c.pkg.ReadableCRD(c.To, old.Manifest.Name)
		if own == nil || old.Outline == nil || old.Manifest.Object == own.Manifest.Object {
			continue
		}
		rejected := c.pkg.results.rejected.Get([2]*crd.Outline{old.Outline, own.Outline}, func() (f faults) {
			f.all, f.err = updateFaults(old.Outline, own.Outline, []string{old.StorageVersion()})
			return f
		})
		if rejected.err != nil {
			continue // crd/invalid reports it
		}
		for i := range rejected.all {
			r := faultReason(c.row, own, &rejected.all[i])
			r.Old, r.OldPath = old.Manifest, r.Path
			c.found = append(c.found, r)
		}
	}
}

// updateFaults returns what the API server rejects in the update of a CRD, except for stored versions.
func updateFaults(old, new *crd.Outline, stored []string) ([]crd.Fault, error) {
	all, err := crd.UpdateFaults(old, new, stored)
	return slices.DeleteFunc(all, func(f crd.Fault) bool { return strings.HasPrefix(f.Path, "status.storedVersions") }), err
}

// validatesCABundle is the minor version of Kubernetes from which on an invalid caBundle is rejected.
const validatesCABundle = 31

// faultReason returns the reason that a CRD has a fault.
func faultReason(row *Row, own *CRD, f *crd.Fault) *Reason {
	r := &Reason{Row: row, Kind: crd.Kind, Name: own.Manifest.Name, Message: f.String(), Fix: "revert the change, or ship the new form under another name",
		Cause: FaultCause(own, f), Manifest: own.Manifest, Path: f.Path}
	if strings.HasSuffix(f.Path, ".caBundle") {
		r.Fix, r.Where = "leave caBundle out", []Condition{{Kind: KubernetesFrom, Minor: validatesCABundle}}
	}
	return r
}

// FaultCause identifies a fault of a CRD. The path has names of versions instead of indexes.
func FaultCause(c *CRD, f *crd.Fault) []string {
	path := f.Path
	if c.Outline != nil {
		for i, v := range c.Versions {
			path = strings.Replace(path, fmt.Sprintf("spec.versions[%d]", i), "spec.versions["+v.Name+"]", 1)
		}
	}
	return []string{FieldPath(path), f.Type, f.Value}
}
