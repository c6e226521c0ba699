package graph

import (
	"slices"
)

// Change is a channel before and after a change. Its questions are about users with an entry of the base installed whose
// subscription stays on the channel.
type Change struct {
	Base, Now *Graph

	fates fact[[]Fate]
}

// Fate is what OLM v0 does with an installed entry of the base before and after the change.
type Fate struct {
	Entry   int    // of the base
	Kept    bool   // the channel still has an entry of that name
	Was     Edge   // the upgrade in the base; To is -1 where there was none
	Is      Edge   // the upgrade after the change: From is an entry of the base, To one of the changed channel, or -1
	Reached bool   // automatic upgrades reached the head, or it was the head
	Reaches bool   // likewise after the change
	Loop    bool   // after the change they run in a loop
	End     string // where they end after the change: the name of the entry itself if it has no upgrade
}

// Stranded reports whether the change took away the upgrade path to the head.
func (f *Fate) Stranded() bool { return f.Reached && !f.Reaches }

// Freed reports whether the change added an upgrade path to the head where there was none.
func (f *Fate) Freed() bool { return !f.Reached && f.Reaches }

// Fates returns the outcome of each entry of the base, in file order. No entry reaches the head of a channel that OLM v0 cannot
// order.
func (c *Change) Fates() []Fate { return c.fates.get(c.findFates) }

func (c *Change) findFates() []Fate {
	var all []Fate
	is := c.Now.takes(c.Base).next
	for _, i := range c.Base.members {
		f := Fate{Entry: i, Is: is[i], Reached: c.Base.leads(i), End: c.Base.Name(i)}
		f.Was, _ = c.Base.Next(i)
		at, kept := c.Now.Index(f.End)
		f.Kept = kept
		if f.Is.To >= 0 {
			at, kept = f.Is.To, true
		}
		if kept {
			_, end, ok := c.Now.Hops(at)
			f.End, f.Loop, f.Reaches = c.Now.Name(end), !ok, c.Now.leads(at)
		}
		all = append(all, f)
	}
	return all
}

// leads reports whether an entry is the head of OLM v0, or automatic upgrades reach it.
func (g *Graph) leads(i int) bool {
	order, err := g.Order()
	_, end, ok := g.Hops(i)
	return err == nil && ok && end == order[0]
}

// Loss is an entry at which users end after the change whose upgrade path reached the head before it.
type Loss struct {
	At       string // the name of the entry at which their upgrades end
	Gone     bool   // the channel no longer has it: users on it stay on it
	Loop     bool   // OLM v0 upgrades in an endless loop from there
	Was      Edge   // the upgrade from it in the base; To is -1 if there was none, or no such entry
	Stranded []int  // the entries of the base that are stranded there, in file order
	Cure     int    // the entry that should skip them: the first on their former path that reaches the head, or the head
}

// Losses returns where the change strands users, in the file order of the base. Empty where OLM v0 cannot order the channel
// after the change: then all users are stranded for that reason.
func (c *Change) Losses() []Loss {
	order, err := c.Now.Order()
	if err != nil {
		return nil
	}
	var all []Loss
	at := map[string]int{}
	for _, f := range c.Fates() {
		if !f.Stranded() {
			continue
		}
		n, met := at[f.End]
		if !met {
			n = len(all)
			at[f.End] = n
			all = append(all, Loss{At: f.End, Loop: f.Loop, Was: none, Cure: order[0]})
		}
		all[n].Stranded = append(all[n].Stranded, f.Entry)
	}
	for i := range all {
		c.explain(&all[i])
	}
	return all
}

func (c *Change) explain(l *Loss) {
	_, kept := c.Now.Index(l.At)
	l.Gone = !kept
	first := l.Stranded[0]
	if i, ok := c.Base.Index(l.At); ok {
		l.Was, _ = c.Base.Next(i)
		first = i
	}
	for _, i := range c.Base.Reachable(first) {
		if at, ok := c.Now.Index(c.Base.Name(i)); ok && c.Now.Offers(at) && c.Now.leads(at) && c.Base.Name(i) != l.At {
			l.Cure = at
			return
		}
	}
}

// Detours returns the automatic upgrades of OLM v0 between entries that the channel still has, that the change removed, and
// instead of which OLM v0 now upgrades to an older version, by target. Users are not stranded, but their path is longer. From
// and To are entries of the base.
func (c *Change) Detours() []Edge {
	var all []Edge
	for _, f := range c.Fates() {
		if f.Was.To < 0 || f.Is.To < 0 || !f.Kept || !f.Reaches {
			continue
		}
		to, kept := c.Now.Index(c.Base.Name(f.Was.To))
		if !kept || f.Is.To == to || !c.Now.older(f.Is.To, to) {
			continue
		}
		if _, _, joined := c.Now.takesOver(to, c.Base.Name(f.Entry), c.Base.Version(f.Entry)); !joined {
			all = append(all, f.Was)
		}
	}
	slices.SortStableFunc(all, func(a, b Edge) int { return a.To - b.To })
	return all
}

// NextV1 returns, for an entry of the base, the bundle to which OLM v1 upgrades it in the base and now, by name; "" for none.
func (c *Change) NextV1(i int) (was, is string) {
	if e, ok := c.Base.NextV1(i); ok {
		was = c.Base.Name(e.To)
	}
	if choice := c.choiceNow(i); choice.Step != nil && choice.Refusal == nil {
		is = choice.Bundle
	}
	return was, is
}

// TakenV1 reports whether OLM v1 has a successor now for an entry of the base.
func (c *Change) TakenV1(i int) bool {
	return c.Now.extension().Succeeded(c.Base.installed(i))
}

func (c *Change) choiceNow(i int) Choice { return c.Now.extension().Choose(c.Base.installed(i)) }

// Dropped returns the names that are not entries of the base, but that one of its entries with an upgrade path to the head
// replaces or skips, and whose users no longer get to the head after the change, in file order. Such a name was published before
// the base, or in another channel. Empty if OLM v0 cannot order one of the two.
func (c *Change) Dropped() []MissingTarget {
	if _, err := c.Now.Order(); err != nil {
		return nil
	}
	met := map[string]bool{}
	var all []MissingTarget
	for _, m := range c.Base.Missing() {
		name := m.Where.Value
		if _, is := c.Now.Index(name); is || met[name] || !c.Base.Offers(m.Entry) || !c.Base.leads(m.Entry) {
			continue
		}
		met[name] = true
		if e, ok := c.Now.NextOf(name, c.versionOf(name)); !ok || !c.Now.leads(e.To) {
			all = append(all, m)
		}
	}
	return all
}

// versionOf returns the version of a bundle of the base's package; if the package no longer has it, the one that its name ends
// in.
func (c *Change) versionOf(name string) string {
	if b := c.Base.Package.Bundle(name); b != nil {
		return b.Version.Value
	}
	if v, ok := VersionIn(name); ok {
		return v.String()
	}
	return ""
}
