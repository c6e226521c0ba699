package plan

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/lifecycle"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
	"github.com/olmgraph/olmgraph/graph/resolve"
)

// maxOf is the newest OpenShift that an installed operator allows.
type maxOf struct {
	operator, pkg string
	limit         Minor
	text          string
	err           error // it is invalid: no newer OpenShift is allowed
}

var (
	errEmptyMax = errors.New("it is empty")
	errTwoMax   = errors.New("there are several")
	errPatchMax = errors.New("it has more than major and minor")
)

// maxOpenShift returns the olm.maxOpenShiftVersion of an installed operator; false if it has none (operator-framework-olm: openshift
// maxOpenShiftVersion, which reads the annotation operatorframework.io/properties only).
func maxOpenShift(in *resolve.InstalledOperator) (maxOf, bool) {
	m := maxOf{operator: in.Name, pkg: operatorPackage(in)}
	if in.Facts == nil || !in.FromAnnotation {
		return m, false
	}
	var found bool
	m.limit, m.text, found, m.err = OpenShiftLimit(in.Facts)
	return m, found
}

// OpenShiftLimit returns the newest OpenShift that properties allow, and how that is written; false if they do not say (operator-framework-olm: openshift
// maxOpenShiftVersion). With an error OpenShift allows no newer version.
func OpenShiftLimit(f *catalogs.Facts) (limit Minor, text string, found bool, err error) {
	for _, p := range f.Properties {
		if p.Type != catalogs.TypeMaxOpenShift {
			continue
		}
		if found {
			err = errTwoMax
		}
		found, text = true, strings.Trim(string(p.Value), `"`)
	}
	if found && err == nil {
		limit, err = ParseMaxOpenShift(text)
	}
	return limit, text, found, err
}

// ParseMaxOpenShift parses the value of an olm.maxOpenShiftVersion (operator-framework-olm: openshift maxOpenShiftVersion). With an invalid one
// OpenShift allows no newer version.
func ParseMaxOpenShift(text string) (Minor, error) {
	if text == "" {
		return 0, errEmptyMax
	}
	v, err := semver.ParseTolerant(text)
	switch {
	case err != nil:
		return 0, err
	case !v.EQ(semver.Version{Major: v.Major, Minor: v.Minor}):
		return 0, errPatchMax
	case v.Major < 4:
		return -1, nil
	case v.Major == 4:
		return Minor(min(v.Minor, 1000)), nil
	}
	return Minor(min(v.Minor, 1000)) + firstOf5 + Minor(min(v.Major-5, 10))*1000, nil
}

// allows reports whether OpenShift allows an update to a minor version (operator-framework-olm: openshift incompatibleOperators).
func (m *maxOf) allows(to Minor) bool { return m.err == nil && m.limit >= to }

// findPackage returns a package with a bundle: in its source, or, if that does not have it any more, in another catalog.
func (c *content) findPackage(in *resolve.Install, m Minor) *packageContent {
	if p := c.pkg(in.Source, m, in.Package); p != nil && p.graph.Package.Bundle(in.Name) != nil {
		return p
	}
	for i := range c.all {
		k := &c.all[i]
		if p := c.pkg(k.Source, k.Minor, in.Package); p != nil && p.graph.Package.Bundle(in.Name) != nil {
			return p
		}
	}
	return nil
}

// check returns what keeps a bundle from being installed at a minor version, apart from what the resolver says, and the stored versions
// afterwards.
func (w *world) check(in *resolve.Install, m Minor, stored map[string][]string) ([]Blocker, map[string][]string) {
	p := w.content.findPackage(in, m)
	if p == nil {
		return nil, stored
	}
	b := p.graph.Package.Bundle(in.Name)
	var all []Blocker
	block := func(kind BlockerKind, limit, message string) {
		all = append(all, Blocker{Kind: kind, Minor: m, Namespace: w.base.Name, Package: in.Package, Operator: in.Name, Channel: in.Channel,
			Source: in.Source, Limit: limit, Message: message})
	}
	for _, r := range w.content.judge(in, m, p.manifests, b) {
		switch {
		case r.Stored: // below: of this cluster
		case r.Row.Upgrade && r.Kind != crd.Kind:
			block(ImmutableField, r.Kind+" "+r.Name, r.Message)
		case r.Row.ID == "object/removed-api" || r.Row.ID == "crd/v1beta1":
			if !slices.ContainsFunc(all, func(b Blocker) bool { return b.Kind == RemovedAPI }) { // one says it
				block(RemovedAPI, r.Name, r.String())
			}
		default:
			block(UpgradeFails, r.Name, r.String())
		}
	}
	after, cloned := stored, false
	for _, c := range p.manifests.CRDs(b) {
		name := c.Manifest.Name
		if c.Outline == nil {
			continue
		}
		before, changed := stored[name]
		if !changed {
			before = w.stored[name]
		}
		for _, version := range before {
			if !c.Has(version) {
				block(StoredVersions, version, fmt.Sprintf("CRD %q no longer has the version %s", name, version))
			}
		}
		if v := c.StorageVersion(); v != "" && !slices.Contains(before, v) {
			if !cloned {
				after, cloned = maps.Collect(maps.All(stored)), true
			}
			after[name] = append(slices.Clone(before), v)
		}
	}
	return all, after
}

// judgedUpgrade is an upgrade at a version of OpenShift.
type judgedUpgrade struct {
	from, to *catalogs.Bundle
	minor    Minor
}

// judge returns why a bundle cannot be installed in place of what the operator before has.
func (c *content) judge(in *resolve.Install, m Minor, of *judge.Package, b *catalogs.Bundle) []judge.Reason {
	var from *catalogs.Bundle
	if in.Replaces != "" {
		before := *in
		before.Name = in.Replaces
		if p := c.findPackage(&before, m); p != nil {
			from = p.graph.Package.Bundle(in.Replaces)
		}
	}
	return c.judged.Get(judgedUpgrade{from, b, m}, func() []judge.Reason {
		return of.JudgeUpgrade(from, b, judge.On{OLM: graph.V0, Kubernetes: m.kubernetesVersion(), Cluster: c.cluster, Resolved: true}).Reasons
	})
}

// AssumedStored returns status.storedVersions of the CRDs of a cluster of which nothing else is known: for each CRD of what subscriptions have
// installed its storage version, which Kubernetes adds when the CRD is created. Only what catalogs of the cluster's minor version have
// counts.
func AssumedStored(cluster Cluster, all []Catalog) map[string][]string {
	c, stored := newContent(all, &cluster), map[string][]string{}
	for _, n := range cluster.Namespaces {
		for i := range n.Subscriptions {
			sub := &n.Subscriptions[i]
			p := c.pkg(sub.Source, cluster.Minor, sub.Package)
			if p == nil || p.graph.Package.Bundle(sub.InstalledCSV) == nil {
				continue
			}
			for _, one := range p.manifests.CRDs(p.graph.Package.Bundle(sub.InstalledCSV)) {
				if one.Outline == nil {
					continue
				}
				if v := one.StorageVersion(); v != "" && !slices.Contains(stored[one.Manifest.Name], v) {
					stored[one.Manifest.Name] = append(stored[one.Manifest.Name], v)
				}
			}
		}
	}
	return stored
}

// IsUnsupported reports whether a lifecycle lists OpenShift versions, and not this one.
func IsUnsupported(l *lifecycle.Lifecycle, m Minor) bool {
	return l != nil && len(l.OpenShift) > 0 && !slices.ContainsFunc(l.OpenShift, func(text string) bool {
		listed, err := ParseMinor(text)
		return err == nil && listed == m
	})
}
