package judge

import (
	"fmt"
	"slices"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// api is the kind of reasons of APIs that only the properties of a bundle name: Kind.group.
const api = "API"

// findDropped finds the CRDs that the newer bundle no longer has, or without manifests the kinds that it no longer provides. OLM v0 never deletes a
// CRD, OLM v1 deletes what a revision lacks.
func findDropped(c *upgradeCase) {
	unless := sync.OnceValue(func() string {
		if c.pkg.MayCreateCRDs(c.To) {
			return "unless the operator creates it, "
		}
		return ""
	})
	const left = "%sOLM v0 leaves its objects without an operator, OLM v1 deletes them"
	if c.To.HasManifests() {
		for _, old := range c.pkg.CRDs(c.From) {
			if c.pkg.CRD(c.To, old.Manifest.Name) != nil {
				continue
			}
			kind := old.Manifest.Name
			if old.Outline != nil {
				kind = old.Kind + "." + old.Group
			}
			c.addLost(crd.Kind, old.Manifest.Name, "is removed: "+left, unless()).Faults = []string{kind}
			c.found[len(c.found)-1].Old = old.Manifest
		}
	}
	c.eachProvided(func(kind string, _, new []string) {
		if len(new) == 0 {
			c.addLost(api, kind, "is no longer provided: "+left, "unless the operator creates its CRD, ").Faults = []string{kind}
		}
	})
}

// findServedRemoved finds the versions of CRDs that the older bundle serves and the newer one does not have or serve, or without manifests the versions
// of kinds that it no longer provides. Clients of a version that is deprecated or alpha were warned.
func findServedRemoved(c *upgradeCase) {
	for _, old := range c.pkg.CRDs(c.From) {
		new := c.pkg.ReadableCRD(c.To, old.Manifest.Name)
		if new == nil || old.Outline == nil || old.Manifest.Object == new.Manifest.Object {
			continue
		}
		for i, v := range old.Versions {
			says := "%s is removed: its clients fail immediately"
			switch {
			case !v.Served || new.Serves(v.Name):
				continue
			case new.Has(v.Name):
				says = "%s is no longer served: its clients fail immediately"
			}
			r := c.add(new.Manifest, "spec.versions", says, v.Name).WithCause(v.Name)
			r.Faults = []string{new.Manifest.Name + "/" + v.Name}
			r.Old, r.OldPath = old.Manifest, fmt.Sprintf("spec.versions[%d]", i)
			if v.Deprecated || crd.IsAlpha(v.Name) {
				r.Weight = Notes
			}
		}
	}
	c.eachProvided(func(kind string, old, new []string) {
		for _, v := range old {
			if len(new) > 0 && !slices.Contains(new, v) {
				r := c.addLost(api, kind, "%s is no longer provided: its clients fail, and the upgrade is rejected where objects are stored in it", v).WithCause(v)
				r.Weight, r.Faults = Notes, []string{kind + "/" + v}
			}
		}
	})
}

// addLost adds a reason without a position in the newer bundle.
func (c *upgradeCase) addLost(kind, name, says string, args ...any) *Reason {
	r := &Reason{Row: c.row, Kind: kind, Name: name, Format: says, Message: fmt.Sprintf(says, args...), Pos: c.To.Pos}
	c.found = append(c.found, r)
	return r
}

// Provides returns the versions of the kinds that a bundle provides, by Kind.group, as its properties name them (operator-registry: all versions of
// an owned CRD, served or not).
func (p *Package) Provides(b *catalogs.Bundle) map[string][]string {
	return p.provided.Get(b, func() map[string][]string {
		kinds := map[string][]string{}
		for _, api := range p.options.Dependencies(b).Provides {
			key := api.Kind + "." + api.Group
			kinds[key] = append(kinds[key], api.Version)
		}
		return kinds
	})
}

// eachProvided calls do for each kind that the older bundle provides, if one of the bundles has no manifests and those of the newer are known.
func (c *upgradeCase) eachProvided(do func(kind string, old, new []string)) {
	if c.From.HasManifests() && c.To.HasManifests() {
		return
	}
	before, after := c.pkg.Provides(c.From), c.pkg.Provides(c.To)
	if len(after) == 0 {
		return
	}
	for _, kind := range words.SortedKeys(before) {
		do(kind, before[kind], after[kind])
	}
}

// findOwnedUnserved finds the versions that the older ClusterServiceVersion owns and the CRDs of the newer bundle have and no longer serve.
func findOwnedUnserved(c *upgradeCase) {
	old := c.pkg.readableCSV(c.From)
	if old == nil || !c.To.HasManifests() {
		return
	}
	var first *CRD
	var names []string
	for _, owned := range old.Spec.CRDs.Owned {
		before, after := c.pkg.ReadableCRD(c.From, owned.Name), c.pkg.ReadableCRD(c.To, owned.Name)
		if before == nil || after == nil || !before.Serves(owned.Version) || !after.Has(owned.Version) || after.Serves(owned.Version) {
			continue
		}
		if first == nil {
			first = after
		}
		names = append(names, owned.Name+"/"+owned.Version)
	}
	if first == nil {
		return
	}
	r := c.add(first.Manifest, "spec.versions", "stops serving %s, which %q owns: if OLM v0 looks at the old ClusterServiceVersion before it is being replaced, the upgrade may hang",
		words.QuoteSome(names), c.From.Name.Value)
	r.Kind, r.Name, r.Faults = csv.Kind, c.To.Name.Value, names
	r.Fix = "serve it until all bundles that upgrade to this one own only newer versions"
}

// findWebhooksForOthers finds admission webhooks that are called for resources of API groups which the newer bundle does not own, and were not before, or
// failed open: while the operator does not answer, the API server rejects requests for them (Kubernetes: failurePolicy Fail is the default).
func findWebhooksForOthers(c *upgradeCase) {
	old, new := c.pkg.readableCSV(c.From), c.pkg.readableCSV(c.To)
	if old == nil || new == nil || old.Document == new.Document || old.Manifest.Partial || new.Manifest.Partial {
		return
	}
	owned := map[string]bool{}
	for _, a := range new.OwnedAPIs() {
		owned[a.Group] = true
	}
	for i := range new.Spec.Webhooks {
		w := &new.Spec.Webhooks[i]
		others := w.ResourcesOutside(owned)
		if w.Type == csv.ConversionWebhook || len(others) == 0 {
			continue
		}
		was := slices.IndexFunc(old.Spec.Webhooks, func(b csv.WebhookDescription) bool { return b.Type == w.Type && b.GenerateName == w.GenerateName })
		says := "is new: it is called for "
		if was >= 0 {
			before := &old.Spec.Webhooks[was]
			added := slices.DeleteFunc(slices.Clone(others), func(r string) bool { return slices.Contains(before.ResourcesOutside(owned), r) })
			switch {
			case len(added) > 0:
				says, others = "is now called also for ", added
			case w.IsWider(before):
				says = "is no longer limited by a selector: it is called for "
			case w.FailsClosed() && !before.FailsClosed():
				says = "no longer fails open: it is called for "
			default:
				continue
			}
		}
		path := fmt.Sprintf("spec.webhookdefinitions[%d]", i)
		r := c.add(new.Manifest, path, "%s", says+words.JoinSome(others, 2)).WithCause(w.GenerateName)
		if r.Kind, r.Name = w.Type, w.GenerateName; w.FailsClosed() {
			r.Message += "; requests for them fail while it does not answer (failurePolicy Fail)"
		}
		r.Fix = "limit it by a selector, or set failurePolicy: Ignore"
	}
}
