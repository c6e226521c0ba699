// Package published has the rules that compare a catalog with what was published before.
package published

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/lint"
)

// Rules returns the rules of the family, in the order in which they are called.
func Rules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.UpgradeGraph, NeedsBase: true}, []lint.Rule{
		lint.CatalogRemoved,
		{
			ID: "published/package-removed", Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1, Scope: lint.PerCatalog,
			Doc: `a published package was removed
Clusters keep the installed operator, and never get another version or fix. A Subscription to a missing package prevents
OLM v0 from resolving anything in its namespace; a ClusterExtension of OLM v1 reports a failure. It is an error if the
folder of the package still exists, or if a new package has its bundles: both are mistakes. It is a warning if the
folder was removed with all its files, which is deliberate. It is an info if only catalogs for the oldest OpenShift
versions lack the package, since users are upgraded once their cluster is updated. In all other cases they never are.
In a folder of one bundle it is a warning: the catalog keeps the package.
Restore the package and deprecate it first; it can be removed from the catalog of the next OpenShift version.`,
			Reference: "OLM resolver getSubscriptionVariables; operator-controller resolve.CatalogResolver",
			Check:     checkPackageRemoved,
		},
		{
			ID: "published/channel-removed", Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1, OfChanges: true,
			Doc: `a published channel was removed
A Subscription names a channel. If the channel does not exist, OLM v0 resolves nothing in the namespace of the
Subscription until an administrator selects another channel, so it upgrades no other operator there either. It is a
warning if other channels upgrade all versions of the removed one to their heads: users who select them are upgraded.
Restore the channel with its entries, and deprecate it with a message that names another one.`,
			Reference: "OLM resolver getSubscriptionVariables; operator-controller resolve.CatalogResolver",
			Check:     checkChannelRemoved,
		},
		{
			ID: "published/bundle-removed", Severity: lint.Error, Gates: lint.GateOLMv0,
			Doc: `a published bundle was removed from its channel, and nothing upgrades it
An old entry can be removed from a channel if a newer one replaces it, skips it or covers
its version: OLM still upgrades users who have it installed. Here no upgrade path from it
to the head is left. If the head itself was removed, published/head-back reports it. In a folder of one bundle it is a
warning, and only if the bundle has edges: the catalog that it is added to keeps the others.
Let a newer entry skip the name, even if it is no longer an entry, or cover the version with its skipRange.`,
			Reference: "OLM resolver getSubscriptionVariables",
			Check:     checkBundleRemoved,
		},
		{
			ID: "published/edge-removed", Severity: lint.Error, Gates: lint.GateOLMv0,
			Doc: `a published upgrade was removed
OLM v0 no longer upgrades the entry to the head. A replaces, a skips or a skipRange on the
path was removed, or leads to an entry that is no longer offered. A bundle that was published in the channel and pruned from it
counts as an entry; for other names it is a warning. It is an info if only
the direct upgrade was removed: users still get to the head through the versions between.
Of a bundle folder alone it is a warning if the bundle has no edge at all, and the one before had.
Restore the edge, or let the head skip or cover the entry.`,
			Reference: "OLM resolver getSubscriptionVariables",
			Check:     eachChanged(checkEdgeRemoved),
		},
		{
			ID: "published/head-back", Severity: lint.Error, Gates: lint.GateAdvice,
			Doc: `the head of a channel is older than it was
New users get an older version than before. Users who have already upgraded are
on a version newer than the channel's head, and OLM does not downgrade them.
To withdraw a version, publish a newer one that replaces the last good version and skips the bad one.`,
			Reference: "operator-registry alpha/model Channel.Head; OLM resolver getSubscriptionVariables",
			Check:     checkHeadBack,
		},
		{
			ID: "published/default-channel-changed", Severity: lint.Warning, Gates: lint.GateAdvice, OfChanges: true,
			Doc: `the default channel changed
New users without a channel get another version stream. Subscriptions without a channel follow the default. If the new channel
has no upgrade from the installed version, OLM v0 no longer upgrades them, and reports nothing. It is an info if the new
channel upgrades all entries of the old one, unless it is one of pre-releases by its name and the old one was not, or if an
olm.semver template makes the channel of a new minor version the default.
Keep the old default channel until its users have selected another one, or let the new one replace,
skip or cover its entries. A template of schema olm.semver generates the channels: it makes the highest
version of the most stable key the default, and never upgrades from one major version to the next.`,
			Reference: "OLM catalog operator; operator-registry alpha/model Package",
			Check:     checkDefaultChanged,
		},
		{
			ID: "published/bundle-changed", Severity: lint.Warning, Gates: lint.GateAdvice, OfChanges: true,
			Doc: `a published bundle has another image or version
A cluster that has the bundle installed does not read it again: it keeps the old content under the same name. Mirrors and
signatures of the old image do not match the new one. It is an info if the digest alone differs and the bundle is a head: most
of these are builds of a version that is not released yet. The same digest in another repository is the same image.
Publish the new content as a new bundle with a higher version.`,
			Reference: "OLM resolver: an installed ClusterServiceVersion is known by its name",
			Check:     checkBundleChanged,
		},
		{
			ID: "published/channel-added", Severity: lint.Warning, Gates: lint.GateAdvice,
			Doc: `a new channel does not fit the published ones
It looks like a misspelt name of a published channel, whose subscribers do not get what is in the new one; it is a version
channel that differs from all others in a v or a separator; or its name is one letter. Or the default channel was the highest
version channel, and is not changed to the new, higher one: installations without a channel do not get it.
Write the name that is meant, or let the default channel be the new one, unless this is intended.`,
			Reference: "operator-registry alpha/declcfg olm.channel",
			Check:     checkChannelAdded,
		},
	})
}

// checkPackageRemoved reports removed packages at the position of the catalog. Nobody is subscribed to one without channels, as that of
// bundle folders whose channels are in a template.
func checkPackageRemoved(p *lint.Pass) {
	if t := p.Catalog.Template; t != nil && (t.Rejected || t.IsGenerated() && len(t.Unknown) > 0) {
		return // what it makes is not known
	}
	for _, was := range p.BaseCatalog.Packages {
		if !was.IsDefined() || len(was.Channels) == 0 || p.Catalog.Package(was.Name.Value) != nil || p.Catalog.MayBeUnread(was.Name.Value) || isMoved(p, was) {
			continue
		}
		f := lint.Finding{
			Subject: lint.Subject{Package: was.Name.Value},
			Pos:     p.Catalog.Pos(),
			Message: fmt.Sprintf("package %q was removed: users on it never get another version, and OLM v0 resolves nothing "+
				"in a namespace subscribed to it", was.Name.Value),
			Fix:     "restore the package and deprecate it; remove it when no cluster can have it",
			Related: []lint.Related{{Pos: was.Pos, Message: "where it was"}},
		}
		if p.Catalog.Form == catalogs.BundleFolder {
			f.Severity, f.Gates, f.Fix = lint.Warning, lint.GateAdvice, "keep the old name; installed packages cannot be renamed"
			f.Message = fmt.Sprintf("the bundle is no longer of package %q: users on it do not get this version", was.Name.Value)
			p.Report(f)
			continue
		}
		if compare.IsDeleted(p.BaseCatalog, was, p.Catalog) {
			f.Severity = lint.Warning
			if later := keptIn(p, was); later != "" {
				f.Severity = lint.Info
				f.Message += fmt.Sprintf("; %s still has the package, for clusters that are updated", later)
				f.Fix = "restore the package, if a cluster of this OpenShift version can have it"
			}
		}
		if successor := renamedPackage(p, was); successor != nil {
			f.Message += fmt.Sprintf("; the new package %q has its bundles, but a Subscription does not follow a new name", successor.Name.Value)
			f.Severity = lint.Error
			f.Fix = "keep the old name; installed packages cannot be renamed"
			f.Pos = catalogs.KnownPos(successor.Name.Pos, successor.Pos)
		}
		p.Report(f)
	}
}

// isMoved reports whether a package is in another catalog now, which the base does not have: of a folder with several, none of which is for an OpenShift
// version, one may be divided.
func isMoved(p *lint.Pass, was *catalogs.Package) bool {
	return p.Catalog.OpenShift == "" && p.Catalog.Template == nil && slices.ContainsFunc(p.Catalogs(), func(c *catalogs.Catalog) bool {
		return c != p.Catalog && c.OpenShift == "" && c.Template == nil && c.Form == p.Catalog.Form && c.Package(was.Name.Value) != nil
	})
}

// keptIn returns the name of the catalog for the lowest later OpenShift version that keeps a removed package; "" if there is none, or if one
// for an earlier version keeps it: then the later versions are not all that have it.
func keptIn(p *lint.Pass, was *catalogs.Package) string {
	least := ""
	for _, c := range p.Catalogs() {
		if c.Form != p.Catalog.Form || c.OpenShift == "" || p.Catalog.OpenShift == "" || !compare.HasFolder(p.BaseCatalog, was, c) {
			continue
		}
		if catalogs.CompareVersionNames(c.OpenShift, p.Catalog.OpenShift) < 0 {
			return ""
		}
		if least == "" || catalogs.CompareVersionNames(c.Name, least) < 0 {
			least = c.Name
		}
	}
	return least
}

// renamedPackage returns a new package with at least half of the images of a removed one, which was probably renamed; or nil.
func renamedPackage(p *lint.Pass, was *catalogs.Package) *catalogs.Package {
	images := map[string]bool{}
	for _, b := range was.Bundles {
		images[b.Image.Value] = true
	}
	delete(images, "")
	for _, now := range p.Catalog.Packages {
		if p.BaseCatalog.Package(now.Name.Value) != nil {
			continue
		}
		same := 0
		for _, b := range now.Bundles {
			if images[b.Image.Value] {
				same++
			}
		}
		if same > 0 && 2*same >= len(images) {
			return now
		}
	}
	return nil
}
