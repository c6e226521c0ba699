package graph

import (
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Harms reports whether a proposed change of a package takes something from its users, so that it must not be proposed: a channel or an
// entry that is not among replaced, an upgrade, or the order of a channel; or whether it downgrades them.
func Harms(before, after *catalogs.Package, replaced ...string) bool {
	return slices.ContainsFunc(before.Channels, func(was *catalogs.Channel) bool {
		now := after.Channel(was.Name.Value)
		if now == nil {
			return !slices.Contains(replaced, was.Name.Value)
		}
		return (&Change{Base: New(before, was), Now: New(after, now)}).Harms(replaced...)
	})
}

// Harms is Harms of a proposed change of one channel: Base is the channel without it.
func (c *Change) Harms(replaced ...string) bool {
	_, was := c.Base.Order()
	_, is := c.Now.Order()
	if was == nil && is != nil || len(c.Base.Heads()) == 1 && len(c.Now.Heads()) != 1 || len(c.Now.Loops()) > len(c.Base.Loops()) {
		return true
	}
	were, stranded := c.Base.StrandedEntries(), c.Now.StrandedEntries()
	return slices.ContainsFunc(c.Outcomes(), func(o Outcome) bool {
		name := c.Base.Name(o.Entry)
		if slices.Contains(replaced, name) {
			return false
		}
		at, kept := c.Now.Index(name)
		v1, v1Now := c.nextOfV1(o.Entry)
		return !kept || o.IsStranded() || o.NextBefore.To >= 0 && o.NextNow.To < 0 && !o.ReachesHead || v1 != "" && v1Now == "" && name != c.Now.HeadName() ||
			slices.Contains(stranded, at) && !slices.Contains(were, o.Entry) || c.downgrades(&o, at)
	})
}

// downgrades reports whether OLM v0 upgrades an entry to an older one, and did not.
func (c *Change) downgrades(o *Outcome, at int) bool {
	return o.NextNow.To >= 0 && c.Now.older(o.NextNow.To, at) && (o.NextBefore.To < 0 || !c.Base.older(o.NextBefore.To, o.Entry))
}
