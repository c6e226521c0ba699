package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
)

// checkInvalidCRD reports what the API server holds against a CRD, and what of one is not known.
func checkInvalidCRD(c *bundleContents) {
	pre := c.pass.Preflight()
	for _, m := range pre.CRDManifests(c.Bundle) {
		own, faults, err := pre.Faults(m)
		for i := range faults {
			c.reportFault(own, &faults[i], "is refused by Kubernetes: "+faults[i].String())
		}
		switch {
		case crd.IsUnchecked(own.Err):
			err = own.Err
		case own.Err != nil:
			c.reportFault(own, &crd.Fault{}, "cannot be used: "+own.Err.Error())
		}
		if err != nil {
			f := c.reportOn(m, "", "test it on a cluster, or make it smaller", "contains %s, which is not checked: %v", crdName(m), err)
			f.CRD, f.Severity, f.Gates = m.Name, Info, GateAdvice
		}
	}
}

func (c *bundleContents) reportFault(own *preflight.CRD, fault *crd.Fault, says string) {
	m := own.Manifest
	f := c.reportOn(m, fault.Path, "correct the field in the next bundle", "contains %s, which %s", crdName(m), says)
	f.CRD, f.Cause = m.Name, append(faultOf(own, fault), m.Name)
}

// crdName names a CRD, if it has a name.
func crdName(m *catalogs.Manifest) string {
	if m.Name == "" {
		return "a CRD without a name"
	}
	return "the CRD " + m.Name
}

// faultOf are the parts by which a fault of a CRD is known. Versions are named, since their places move.
func faultOf(c *preflight.CRD, f *crd.Fault) []string {
	path := f.Path
	if c.Outline != nil {
		for i, v := range c.Versions {
			path = strings.Replace(path, fmt.Sprintf("spec.versions[%d]", i), "spec.versions["+v.Name+"]", 1)
		}
	}
	return []string{fieldPath(path), f.Type, f.Value}
}

// checkV1beta1 reports CRDs that newer clusters do not take. What is in a head counts most, be there newer bundles or not.
func checkV1beta1(p *Pass) {
	heads := p.heads()
	isHead := func(b *catalogs.Bundle) bool { return slices.Contains(heads, b) }
	others := slices.DeleteFunc(newestFirst(p.Package), isHead)
	minor, _ := p.kube()
	p.checkBundles(slices.Concat(heads, others), heads, "other bundle", func(c *bundleContents) {
		for _, m := range c.pass.Preflight().CRDManifests(c.Bundle) {
			if m.APIVersion != crd.V1beta1 {
				continue
			}
			f := c.reportOn(m, "apiVersion", "convert it to apiextensions.k8s.io/v1",
				"contains %s in v1beta1, which Kubernetes 1.22 (OpenShift 4.9) and later reject", crdName(m))
			f.CRD = m.Name
			if isHead(c.Bundle) && minor >= 22 {
				f.Severity = Error
			}
		}
	})
}

// checkRefusals reports what the API server refuses in the update of a CRD, stored versions left out.
func checkRefusals(p *Pass, s *preflight.Upgrade, old, new *preflight.CRD) {
	if old.Manifest.Object == new.Manifest.Object {
		return
	}
	faults, err := crd.Refusals(old.Outline, new.Outline, []string{old.StorageVersion()})
	if err != nil {
		return // crd/invalid says what is wrong with one of them
	}
	for _, fault := range faults {
		if strings.HasPrefix(fault.Path, "status.storedVersions") {
			continue // crd/storage-removed
		}
		p.Report(Finding{
			Gates:   GateAPIServer | upgradeGates(s),
			Subject: Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
			Cause:   append(faultOf(new, &fault), s.From.Name.Value, new.Manifest.Name),
			Pos:     new.Manifest.At(fault.Path),
			Message: fmt.Sprintf("Kubernetes refuses the upgrade from %q to %q: CRD %s, %s%s",
				s.From.Name.Value, s.To.Name.Value, new.Manifest.Name, fault, leap(s)),
			Fix:     "revert the change, or ship the new form under another name",
			Related: []Related{before(old, fault.Path)},
		})
	}
}

// checkServedRemoved reports a version that goes though it was served until then, once for each CRD.
func checkServedRemoved(p *Pass) {
	f := newFold(p)
	eachCRDUpgrade(func(p *Pass, s *preflight.Upgrade, old, new *preflight.CRD) {
		for i, v := range old.Versions {
			key := new.Manifest.Name + " " + v.Name
			if !v.Served || new.Has(v.Name) || f.seen(key) {
				continue
			}
			severity := Warning
			if isAlpha(v.Name) {
				severity = Info
			}
			f.add(key, Finding{
				Severity: severity,
				Subject:  Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
				Cause:    []string{new.Manifest.Name, v.Name},
				Pos:      new.Manifest.At("spec.versions"),
				Message: fmt.Sprintf("the upgrade from %[3]q to %[4]q removes %[1]s of %[2]s, which was served until then%[5]s: its clients fail immediately",
					v.Name, new.Manifest.Name, s.From.Name.Value, s.To.Name.Value, leap(s)),
				Fix:     fmt.Sprintf("deprecate %s first, then ship it with served: false, and only then drop it", v.Name),
				Related: []Related{before(old, fmt.Sprintf("spec.versions[%d]", i))},
			})
		}
	})(p)
	eachKindUpgrade(p, func(s *preflight.Upgrade, kind string, old, new []string) {
		if gone := goneVersions(old, new); len(gone) > 0 && len(new) > 0 {
			f.add(kind+" "+strings.Join(gone, " "), goneVersion(s, kind, gone))
		}
	})
	f.report("upgrade")
}

// checkDropped reports a CRD that an upgrade no longer brings, once.
func checkDropped(p *Pass) {
	f := newFold(p)
	steps := p.Preflight().Upgrades()
	for i := range steps {
		s := &steps[i]
		if !s.To.HasManifests() {
			continue // nobody knows what it brings
		}
		after := p.Preflight().CRDs(s.To)
		for _, old := range p.Preflight().CRDs(s.From) {
			name := old.Manifest.Name
			if p.Preflight().CRD(s.To, name) != nil {
				continue
			}
			finding := dropped(s, old, sameKind(old, after))
			if p.mayCreateCRDs(s.To) {
				finding.Severity = Info
				finding.Message = fmt.Sprintf("%q no longer contains the CRD %s, which %q has, but may create CRDs and probably creates this one: "+
					"otherwise OLM v0 leaves its objects without an operator; OLM v1 deletes them%s",
					s.To.Name.Value, name, s.From.Name.Value, sameKind(old, after))
			}
			f.add(fmt.Sprint(name, finding.Severity), finding)
		}
	}
	eachKindUpgrade(p, func(s *preflight.Upgrade, kind string, _, new []string) {
		if len(new) == 0 {
			f.add(kind, droppedKind(s, kind))
		}
	})
	f.report("upgrade")
}

// dropped words that a CRD is brought no longer.
func dropped(s *preflight.Upgrade, old *preflight.CRD, instead string) Finding {
	return Finding{
		Subject: Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: old.Manifest.Name},
		Cause:   []string{old.Manifest.Name},
		Pos:     s.To.Pos,
		Message: fmt.Sprintf("%q no longer contains the CRD %s, which %q has: OLM v0 leaves its objects without an operator, OLM v1 deletes them%s",
			s.To.Name.Value, old.Manifest.Name, s.From.Name.Value, instead),
		Fix:     "keep the CRD, or document before the upgrade what to do with the objects",
		Related: []Related{before(old, "")},
	}
}

// mayCreateCRDs reports whether an operator's own role lets it create CRDs. They belong to the whole cluster, for which the rules
// of permissions hold only where it watches all namespaces (OLM: ensureSingletonRBAC). A rule with resourceNames lets nobody
// create anything (Kubernetes: RBAC).
func (p *Pass) mayCreateCRDs(b *catalogs.Bundle) bool {
	c := &bundleContents{Bundle: b, pass: p, csv: p.Preflight().CSV(b)}
	for _, o := range c.objectsWithRules() {
		if o.on.Kind != csv.Kind || !o.wide && !slices.Contains(c.csv.InstallModes(), csv.AllNamespaces) {
			continue
		}
		creates := func(r csv.PolicyRule) bool {
			return anyOf(r.APIGroups, "apiextensions.k8s.io", "*") && anyOf(r.Resources, "customresourcedefinitions", "*") &&
				anyOf(r.Verbs, "create", "*") && len(r.ResourceNames) == 0
		}
		if slices.ContainsFunc(o.rules, creates) {
			return true
		}
	}
	return false
}

// sameKind names a CRD of the same kind that comes instead.
func sameKind(old *preflight.CRD, after []*preflight.CRD) string {
	for _, c := range after {
		if c.Outline != nil && old.Outline != nil && c.Kind == old.Kind {
			return fmt.Sprintf(" (%s is new, of the same kind: the objects are not migrated)", c.Manifest.Name)
		}
	}
	return ""
}

// eachSchemaChange makes a Check that reports what OLM v1's preflight finds by some of its checks: a change once, where it comes
// first.
func eachSchemaChange(checks ...string) func(*Pass) {
	return func(p *Pass) {
		f := newFold(p)
		eachCRDUpgrade(func(p *Pass, s *preflight.Upgrade, old, new *preflight.CRD) {
			if old.Manifest.Object == new.Manifest.Object || new.APIVersion != crd.V1 {
				return
			}
			all, err := p.Preflight().Changes(s.From, s.To, old, new)
			if err != nil && slices.Contains(checks, "unhandled") {
				f.add(new.Manifest.Name+err.Error(), uncompared(s, new, err))
			}
			for _, c := range all {
				key := strings.Join([]string{new.Manifest.Name, c.Version, c.Path, c.Check, c.Message}, " ")
				if slices.Contains(checks, c.Check) && !f.seen(key) {
					f.add(key, changed(s, old, new, c))
				}
			}
		})(p)
		f.report("upgrade")
	}
}

// checkUnseen reports what can make objects invalid and OLM v1 does not see.
func checkUnseen(p *Pass) {
	f := newFold(p)
	eachCRDUpgrade(func(p *Pass, s *preflight.Upgrade, old, new *preflight.CRD) {
		if old.Manifest.Object == new.Manifest.Object || !s.V0 {
			return
		}
		all, err := p.Preflight().Unseen(old, new)
		if err != nil {
			return // crd/schema-other says so
		}
		for _, c := range all {
			key := strings.Join([]string{new.Manifest.Name, c.Version, c.Path, c.Message}, " ")
			if f.seen(key) {
				continue
			}
			finding := changed(s, old, new, c)
			finding.Severity, finding.Gates, finding.Harmless = Warning, GateOLMv0, 0
			if isAlpha(c.Version) {
				finding.Severity = Info
			}
			f.add(key, finding)
		}
	})(p)
	f.report("upgrade")
}

func uncompared(s *preflight.Upgrade, new *preflight.CRD, err error) Finding {
	return Finding{
		Severity: Info, Gates: GateAdvice,
		Subject: Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
		Cause:   []string{new.Manifest.Name},
		Pos:     new.Manifest.At("spec.versions"),
		Message: fmt.Sprintf("%s in %q and %q is not compared: %v", new.Manifest.Name, s.From.Name.Value, s.To.Name.Value, err),
		Fix:     "test the upgrade on a cluster, or make the CRD smaller",
	}
}

// changed words a change. OLM v0 minds only what can make objects invalid.
func changed(s *preflight.Upgrade, old, new *preflight.CRD, c crd.Change) Finding {
	finding := Finding{
		Severity: Error, Gates: GateOLMv1,
		Subject: Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
		Cause:   []string{new.Manifest.Name, c.Version, c.Path, c.Check},
		Pos:     new.Manifest.At(c.At),
		Message: fmt.Sprintf("%s %s: %s, from %q to %q%s", new.Manifest.Name, c.Version, c.Message, s.From.Name.Value, s.To.Name.Value, leap(s)),
		Fix:     "revert the change, or ship it as a new version of the API",
		Related: []Related{before(old, c.At)},
	}
	if c.Narrows && s.V0 {
		finding.Gates |= GateOLMv0
		finding.Harmless = GateOLMv0
	}
	if isAlpha(c.Version) {
		finding.Severity = Warning
	}
	return finding
}

// checkExamples reports examples of the older bundle that the newer CRD does not take, as the older CRD has them stored.
func checkExamples(p *Pass, s *preflight.Upgrade, old, new *preflight.CRD) {
	if old.Manifest.Object == new.Manifest.Object || !s.V0 {
		return
	}
	for _, example := range p.Preflight().BrokenExamples(s.From, old, new) {
		p.Report(Finding{
			Subject: Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
			Cause:   append(faultOf(new, &example.Faults[0]), s.From.Name.Value, new.Manifest.Name, example.API.Version),
			Pos:     new.Manifest.At(versionPath(new, example.API.Version)),
			Message: fmt.Sprintf("%s of example %d in %q does not match its CRD in %q: %s", example.API.Kind, example.Index+1, s.From.Name.Value, s.To.Name.Value,
				crd.Summary(example.Faults)),
			Fix: "let the new schema accept what the old one accepted, or ship it as a new version",
		})
	}
}

// versionPath is the path of a version of a CRD, or that of its versions.
func versionPath(c *preflight.CRD, version string) string {
	if i := c.VersionIndex(version); i >= 0 {
		return fmt.Sprintf("spec.versions[%d]", i)
	}
	return "spec.versions"
}

// upgradeGates are those of an upgrade: each OLM that makes it.
func upgradeGates(s *preflight.Upgrade) Gates { return gatesOf(s.V0, s.V1) }

// eachCRDUpgrade makes a Check of a question about a CRD before and after an upgrade.
func eachCRDUpgrade(check func(p *Pass, s *preflight.Upgrade, old, new *preflight.CRD)) func(*Pass) {
	return func(p *Pass) {
		steps := p.Preflight().Upgrades()
		for i := range steps {
			s := &steps[i]
			for _, old := range p.Preflight().CRDs(s.From) {
				if new := p.Preflight().ReadableCRD(s.To, old.Manifest.Name); new != nil && old.Outline != nil {
					check(p, s, old, new)
				}
			}
		}
	}
}

// leap says what kind of release an upgrade is, if it should not break anything: " in a patch release".
func leap(s *preflight.Upgrade) string {
	from, to := s.From.Semver(), s.To.Semver()
	switch {
	case from == nil || to == nil || from.Major != to.Major || from.Major == 0 || len(from.Pre) > 0:
		return ""
	case from.Minor != to.Minor:
		return ", in a minor release"
	}
	return ", in a patch release"
}

// isAlpha reports whether a version promises nothing (Kubernetes: API versioning).
func isAlpha(version string) bool { return strings.Contains(version, "alpha") }

// before is the place of the CRD that an upgrade replaces.
func before(old *preflight.CRD, at string) Related {
	return Related{Pos: old.Manifest.At(at), Message: "as it was before"}
}
