package catalog

import (
	"fmt"
	"iter"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/openshift"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

// OpenShiftRules returns the rules of the family.
func OpenShiftRules() []lint.Rule {
	return lint.Family(lint.Rule{Part: lint.UpgradeGraph, Scope: lint.AcrossVersions}, []lint.Rule{
		{
			ID: "openshift/head-stranded", Severity: lint.Error, Gates: lint.GateOLMv0,
			Doc: `the head of a channel has no upgrade in the catalog for a newer OpenShift version
A cluster that is updated keeps the installed operator and gets the catalog for the newer OpenShift version. If no entry of
the channel there replaces, skips or covers the installed version, OLM never upgrades it again, and reports nothing. opm and
OLM check each catalog alone. The rule ignores bundles whose olm.maxOpenShiftVersion keeps the cluster from that version.
Let an entry of the newer catalog replace, skip or cover the version, or keep its entry there.`,
			Reference: "OLM resolver getSubscriptionVariables",
			Check:     checkHeads,
		},
		{
			ID: "openshift/head-lower", Severity: lint.Warning, Gates: lint.GateOLMv0,
			Doc: `the head of a channel is lower in the catalog for a newer OpenShift version
A cluster that is updated has a version above the head of the channel, and the newer catalog
lacks that version. The operator is not upgraded until that catalog gets a version that replaces,
skips or covers the installed one. Usually a release was forgotten in one of the catalogs.
Release the version for the newer OpenShift version too.`,
			Reference: "OLM resolver getSubscriptionVariables",
			Check:     checkLower,
		},
		{
			ID: "openshift/channel-removed", Severity: lint.Warning, Gates: lint.GateOLMv0,
			Doc: `a channel is not in the catalog for a newer OpenShift version
A Subscription names a channel. On a cluster that is updated, OLM v0 resolves nothing in its namespace until an
administrator selects another channel, so it upgrades no other operator there either. The rule ignores channels that
the older catalog deprecates, and those whose head keeps the cluster from that version with an olm.maxOpenShiftVersion.
Deprecate the channel in the older catalogs, with a message that names another one, or keep it.`,
			Reference: "OLM resolver getSubscriptionVariables",
			Check:     checkChannels,
		},
		{
			ID: "openshift/package-removed", Severity: lint.Info, Gates: lint.GateOLMv0,
			Doc: `a package is not in the catalog for a newer OpenShift version
On a cluster that is updated, the operator is no longer upgraded, and OLM v0 resolves
nothing in its namespace. Usually the operator does not support that version. If its bundles
have an olm.maxOpenShiftVersion, OpenShift is not updated until the operator is removed.
Set olm.maxOpenShiftVersion, or deprecate the package in the older catalogs.`,
			Reference: "OLM resolver getSubscriptionVariables; OLM openshift controller",
			Check:     checkPackage,
		},
	})
}

// cause is what several steps from one OpenShift version to the next have in common.
type cause struct{ channel, entry string }

// ends returns the heads that end at a step from one catalog with the package to the next, of a kind, by their causes.
func ends(p *lint.Pass, kind openshift.Kind) iter.Seq2[cause, []openshift.End] {
	var all memo.Groups[cause, openshift.End]
	for i := range p.Versions.All {
		from := p.Versions.PreviousIndex(i)
		if from < 0 || p.Versions.PackageIn(i) == nil {
			continue
		}
		found, err := p.Versions.Ends(from, i, true)
		if err != nil { // the catalog has changed since it was read, which is reported elsewhere
			break
		}
		for _, e := range found {
			if e.Kind == kind {
				all.Add(cause{e.Channel, e.Entry}, e)
			}
		}
	}
	return all.All()
}

// stepsFinding returns a finding of some steps, at the channel in the newer catalog of the first one, or at the package if it has no channel there. Each step is
// a fault: with another one it is a new finding.
func stepsFinding(p *lint.Pass, same []openshift.End) lint.Finding {
	e := &same[0]
	now := p.Versions.PackageIn(e.To)
	f := lint.Finding{Subject: lint.Subject{Channel: e.Channel, Bundle: e.Entry}, Pos: catalogs.KnownPos(now.Name.Pos, now.Pos)}
	if c := now.Channel(e.Channel); c != nil {
		g := graph.New(now, c)
		f = edges.AtChannel(c)
		if i, ok := g.Head(); ok {
			f.Pos = edges.AtEntry(g, i).Pos
		}
		f.Bundle = e.Entry
	}
	f.Catalog = p.Versions.All[e.To].Catalog.Name
	f.Cause = []string{e.Channel, e.Entry}
	f.Faults = words.Map(same, func(e openshift.End) string { return p.Versions.All[e.To].String() })
	f.Related = []lint.Related{{Pos: e.Pos, Message: fmt.Sprintf("the head for OpenShift %s", p.Versions.All[e.From])}}
	return f
}

// steps names the steps to newer versions: "from 4.18 to 4.19".
func steps(p *lint.Pass, all []openshift.End) string {
	return words.And(words.Map(all, func(e openshift.End) string {
		return fmt.Sprintf("from OpenShift %s to %s", p.Versions.All[e.From], p.Versions.All[e.To])
	}))
}

func checkHeads(p *lint.Pass) {
	for _, same := range ends(p, openshift.NoEdge) {
		e := &same[0]
		f := stepsFinding(p, same)
		f.Message = fmt.Sprintf("%q, the head of channel %q, is never upgraded again on a cluster that is updated %s", e.Entry, e.Channel, steps(p, same))
		f.Fix = fmt.Sprintf("let an entry of the channel replace, skip or cover %q, or keep its entry", e.Entry)
		now := p.Versions.PackageIn(e.To)
		g := graph.New(now, now.Channel(e.Channel))
		if i, ok := g.Head(); ok && graph.ParseVersion(e.Version) != nil {
			after := edges.WithEntry(g, i, edges.AddingSkips(e.Entry))
			if _, on := after.NextOfInstalled(e.Entry, e.Version); on && !(&graph.Change{Base: g, Now: after}).Harms() {
				f.Fix = fmt.Sprintf("add %s to the skips of %q, or keep its entry", e.Entry, g.Name(i))
			}
		}
		p.Report(f)
	}
}

func checkLower(p *lint.Pass) {
	for _, same := range ends(p, openshift.HeadLower) {
		same = slices.DeleteFunc(same, func(e openshift.End) bool {
			return !lint.Installs(p.Versions.All[e.To].String(), p.Versions.PackageIn(e.From), e.Entry) // nor for the older version: see csv/min-kube-version
		})
		if len(same) == 0 {
			continue
		}
		e := &same[0]
		f := stepsFinding(p, same)
		f.Message = fmt.Sprintf("the head of channel %q is %q, but %q for OpenShift %s: on a cluster that is updated %s it is not upgraded until a newer version is released there",
			e.Channel, e.NewHead, e.Entry, p.Versions.All[e.From], steps(p, same))
		f.Fix = fmt.Sprintf("release %q for OpenShift %s too", e.Entry, p.Versions.All[e.To])
		p.Report(f)
	}
}

// checkChannels reports channels that the newer catalog does not have, unless the older one deprecates them.
func checkChannels(p *lint.Pass) {
	for _, same := range ends(p, openshift.ChannelGone) {
		same = slices.DeleteFunc(same, func(e openshift.End) bool {
			was := p.Versions.PackageIn(e.From)
			return was.Deprecation(catalogs.SchemaChannel, e.Channel) != nil || was.Deprecation(catalogs.SchemaPackage, "") != nil
		})
		if len(same) == 0 {
			continue
		}
		e := &same[0]
		was, now := p.Versions.PackageIn(e.From), p.Versions.PackageIn(e.To)
		f := stepsFinding(p, same)
		f.Bundle, f.Cause = "", []string{e.Channel} // so that channels that end at one step are told once
		f.Message = fmt.Sprintf("channel %q does not exist on a cluster that is updated %s: OLM v0 resolves nothing in the namespaces of its subscriptions", e.Channel, steps(p, same))
		f.Fix = fmt.Sprintf("keep the channel, or deprecate it for OpenShift %s", p.Versions.All[e.From])
		installed := graph.InstalledBundle{Name: e.Entry, Version: e.Version}
		others := openshift.ChannelsOn(now, installed, now)
		if len(others) == 0 { // one that leads to a version there, before the update
			others = openshift.ChannelsOn(was, installed, now)
		}
		if len(others) > 0 {
			f.Fix += fmt.Sprintf(" with a message that names channel %s", words.Or(words.Quote(others)))
		}
		p.Report(f)
	}
}

// isFilling reports whether the newest catalog has less than half of the packages of the one before: it is new, and not filled yet.
func isFilling(p *lint.Pass, i int) bool {
	return i == len(p.Versions.All)-1 && 2*len(p.Versions.All[i].Packages) < len(p.Versions.All[i-1].Packages)
}

// checkPackage reports where a package ends, or else is missing: the newest step, with all as faults.
func checkPackage(p *lint.Pass) {
	var f lint.Finding
	for i, back := len(p.Versions.All)-1, false; i > 0; i-- {
		back = back || p.Versions.PackageIn(i) != nil
		was := p.Versions.PackageIn(i - 1)
		if was == nil || p.Versions.PackageIn(i) != nil || isFilling(p, i) || was.Deprecation(catalogs.SchemaPackage, "") != nil {
			continue
		}
		if found, err := p.Versions.Ends(i-1, i, true); err != nil || len(found) == 0 {
			continue // OpenShift is not updated with it
		}
		from, to := p.Versions.All[i-1], p.Versions.All[i]
		if f.Faults = append(f.Faults, to.String()); len(f.Faults) > 1 {
			continue
		}
		f.Catalog, f.Pos, f.Cause = from.Catalog.Name, catalogs.KnownPos(was.Name.Pos, was.Pos), lint.OncePerPackage()
		f.Message = fmt.Sprintf("the package is not in the catalog for OpenShift %s: on a cluster that is updated, OLM v0 resolves nothing in the namespaces of its subscriptions", to)
		f.Fix = fmt.Sprintf("set olm.maxOpenShiftVersion %s in its bundles, or deprecate the package", from)
		if back { // with that a cluster could not be updated to the versions that have it either
			f.Fix = fmt.Sprintf("publish it for OpenShift %s too", to)
		}
	}
	if len(f.Faults) > 0 {
		p.Report(f)
	}
}
