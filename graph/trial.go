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
		return (&Change{Base: Of(before, was), Now: Of(after, now)}).Harms(replaced...)
	})
}

// Harms is Harms for one channel, of which the base is as it would be without what is proposed.
func (c *Change) Harms(replaced ...string) bool {
	gone := slices.ContainsFunc(missingIn(c.Base, c.Now), func(name string) bool { return !slices.Contains(replaced, name) })
	_, was := c.Base.Order()
	_, is := c.Now.Order()
	if gone || was == nil && is != nil || len(c.Base.Heads()) == 1 && len(c.Now.Heads()) != 1 || len(c.Now.Stranded()) > len(c.Base.Stranded()) ||
		len(c.Now.Loops()) > len(c.Base.Loops()) {
		return true
	}
	return slices.ContainsFunc(c.Outcomes(), func(f Outcome) bool {
		if name := c.Base.Name(f.Entry); slices.Contains(replaced, name) {
			return false
		}
		before, now := c.NextV1(f.Entry)
		return f.Stranded() || f.NextBefore.To >= 0 && f.NextNow.To < 0 && !f.ReachesHead || before != "" && now == "" && c.Base.Name(f.Entry) != headName(c.Now) ||
			c.downgrades(&f)
	})
}

// downgrades reports whether an entry is upgraded to an older one, and was not.
func (c *Change) downgrades(f *Outcome) bool {
	at, kept := c.Now.Index(c.Base.Name(f.Entry))
	return kept && f.NextNow.To >= 0 && c.Now.older(f.NextNow.To, at) && (f.NextBefore.To < 0 || !c.Base.older(f.NextBefore.To, f.Entry))
}
