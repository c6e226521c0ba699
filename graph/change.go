package graph

import (
	"cmp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Change is a channel before and after a change. Its questions are about users with an entry of the base installed whose
// subscription stays on the channel.
type Change struct {
	Base, Now *Graph

	outcomes lazy[[]Outcome]
}

// Outcome is what OLM v0 does with an installed entry of the base before and after the change.
type Outcome struct {
	Entry       int    // of the base
	Kept        bool   // the channel still has an entry of that name
	NextBefore  Edge   // the upgrade in the base; To is -1 where there was none
	NextNow     Edge   // the upgrade after the change: From is an entry of the base, To one of the changed channel, or -1
	ReachedHead bool   // automatic upgrades reached the head, or it was the head
	ReachesHead bool   // likewise after the change
	Loop        bool   // after the change they run in a loop
	End         string // where they end after the change: the name of the entry itself if it has no upgrade
}

// IsStranded reports whether the change took away the upgrade path to the head.
func (o *Outcome) IsStranded() bool { return o.ReachedHead && !o.ReachesHead }

// isUnstranded reports whether the change added an upgrade path to the head where there was none.
func (o *Outcome) isUnstranded() bool { return !o.ReachedHead && o.ReachesHead }

// Outcomes returns the outcome of each entry of the base, in file order. No entry reaches the head of a channel that OLM v0 cannot
// order.
func (c *Change) Outcomes() []Outcome { return c.outcomes.value(c.findOutcomes) }

func (c *Change) findOutcomes() []Outcome {
	var all []Outcome
	is := c.Now.automaticFrom(c.Base).next
	for _, i := range c.Base.members {
		o := Outcome{Entry: i, NextNow: is[i], ReachedHead: c.Base.reachesHead(i), End: c.Base.Name(i)}
		o.NextBefore, _ = c.Base.Next(i)
		at, kept := c.Now.Index(o.End)
		o.Kept = kept
		if to := o.NextNow.To; to >= 0 {
			_, end, ok := c.Now.Hops(to)
			o.End, o.Loop, o.ReachesHead = c.Now.Name(end), !ok, c.Now.reachesHead(to)
		} else if kept { // it stays, whatever upgrades the version that the channel now has of it
			order, err := c.Now.Order()
			o.ReachesHead = err == nil && at == order[0]
		}
		all = append(all, o)
	}
	return all
}

// reachesHead reports whether an entry is the head of OLM v0, or automatic upgrades reach it.
func (g *Graph) reachesHead(i int) bool {
	order, err := g.Order()
	_, end, ok := g.Hops(i)
	return err == nil && ok && end == order[0]
}

// Stranding is an entry at which users end after the change whose upgrade path reached the head before it.
type Stranding struct {
	At         string // the name of the entry at which their upgrades end
	Removed    bool   // the channel no longer has it: users on it stay on it
	Loop       bool   // OLM v0 upgrades in an endless loop from there
	NextBefore Edge   // the upgrade from it in the base; To is -1 if there was none, or no such entry
	Stranded   []int  // the entries of the base that are stranded there, in file order
	FixEntry   int    // the entry that should skip them: the first on their former path that reaches the head, or the head
}

// Strandings returns where the change strands users, in the file order of the base. Empty where OLM v0 cannot order the channel
// after the change: then all users are stranded for that reason.
func (c *Change) Strandings() []Stranding {
	order, err := c.Now.Order()
	if err != nil {
		return nil
	}
	var all []Stranding
	at := map[string]int{}
	for _, o := range c.Outcomes() {
		if !o.IsStranded() {
			continue
		}
		n, met := at[o.End]
		if !met {
			n = len(all)
			at[o.End] = n
			all = append(all, Stranding{At: o.End, Loop: o.Loop, NextBefore: noEdge, FixEntry: order[0]})
		}
		all[n].Stranded = append(all[n].Stranded, o.Entry)
	}
	fixes := map[int]int{}
	for i := range all {
		c.explain(&all[i], fixes)
	}
	return all
}

// explain adds why users are stranded. fixes has, by entry of the base, the first one on the path from it that still reaches the head, or -1: it
// is looked for once.
func (c *Change) explain(l *Stranding, fixes map[int]int) {
	_, kept := c.Now.Index(l.At)
	l.Removed = !kept
	first := l.Stranded[0]
	if i, ok := c.Base.Index(l.At); ok {
		l.NextBefore, _ = c.Base.Next(i)
		first = i
	}
	var passed []int
	fix := first
	for ; fix >= 0; fix = c.Base.automaticV0().next[fix].To {
		if now, ok := c.Now.Index(c.Base.Name(fix)); ok && fix != first && c.Now.Offers(now) && c.Now.reachesHead(now) {
			break
		}
		if known, met := fixes[fix]; met {
			fix = known
			break
		}
		fixes[fix], passed = -1, append(passed, fix)
	}
	for _, at := range passed {
		fixes[at] = fix
	}
	if fix >= 0 {
		l.FixEntry, _ = c.Now.Index(c.Base.Name(fix))
	}
}

// LongerRoutes returns the automatic upgrades of OLM v0 between entries that the channel still has, that the change removed, and
// instead of which OLM v0 now upgrades to an older version, by target. Users are not stranded, but their path is longer. From
// and To are entries of the base.
func (c *Change) LongerRoutes() []Edge {
	var all []Edge
	for _, o := range c.Outcomes() {
		if o.NextBefore.To < 0 || o.NextNow.To < 0 || !o.Kept || !o.ReachesHead {
			continue
		}
		to, kept := c.Now.Index(c.Base.Name(o.NextBefore.To))
		if !kept || o.NextNow.To == to || !c.Now.older(o.NextNow.To, to) {
			continue
		}
		if _, _, joined := c.Now.edgeKind(to, c.Base.Name(o.Entry), c.Base.Version(o.Entry)); !joined {
			all = append(all, o.NextBefore)
		}
	}
	slices.SortStableFunc(all, func(a, b Edge) int { return a.To - b.To })
	return all
}

// nextOfV1 returns, for an entry of the base, the bundle to which OLM v1 upgrades it in the base and now, by name; "" for none.
func (c *Change) nextOfV1(i int) (was, is string) {
	if e, ok := c.Base.NextV1(i); ok {
		was = c.Base.Name(e.To)
	}
	if choice := c.choiceNow(i); choice.Step != nil && choice.Refusal == nil {
		is = choice.Bundle
	}
	return was, is
}

// HasSuccessorV1 reports whether OLM v1 has a successor now for an entry of the base.
func (c *Change) HasSuccessorV1(i int) bool {
	return c.Now.extension().hasSuccessor(c.Base.installedEntry(i))
}

func (c *Change) choiceNow(i int) Choice { return c.Now.extension().Choose(c.Base.installedEntry(i)) }

// Dropped is what users may have installed that the channel upgraded to the head, and no longer does.
type Dropped struct {
	Origin
	Edge // of the base, from it
}

// FindDropped returns what users of the base may have installed that it has no entry of: names of earlier catalogs and of other channels, and bundles of
// the package, in the order of the text. Empty if OLM v0 cannot order one of the two.
func (c *Change) FindDropped() (all []Dropped) {
	if _, err := c.Now.Order(); err != nil {
		return nil
	}
	base := &PackageGraph{Package: c.Base.Package, Graphs: []*Graph{c.Base}}
	gone := slices.DeleteFunc(base.ownOrigins().ForChannel(c.Base), func(one Origin) bool {
		_, was := c.Base.Index(one.Name)
		_, is := c.Now.Index(one.Name)
		return was || is
	})
	installed := words.Map(gone, func(one Origin) InstalledBundle { return one.InstalledBundle })
	next := c.Now.NextOfAllInstalled(installed)
	for i, was := range c.Base.NextOfAllInstalled(installed) {
		if was.To >= 0 && c.Base.reachesHead(was.To) && (next[i].To < 0 || !c.Now.reachesHead(next[i].To)) {
			all = append(all, Dropped{gone[i], was})
		}
	}
	slices.SortStableFunc(all, func(a, b Dropped) int {
		return cmp.Or(a.To-b.To, a.Where.Pos.Line-b.Where.Pos.Line, a.Where.Pos.Col-b.Where.Pos.Col)
	})
	return all
}
