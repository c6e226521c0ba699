package published

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/lint"
)

// deprecatable is a package, channel or bundle.
type deprecatable struct{ schema, name string }

func (d deprecatable) String() string {
	if d.schema == catalogs.SchemaPackage {
		return "the package"
	}
	return fmt.Sprintf("%s %q", strings.TrimPrefix(d.schema, "olm."), d.name)
}

func (d deprecatable) id() string { return d.schema + "/" + d.name }

// deprecationsOf returns the first deprecation of each object, and the objects in the order of the text.
func deprecationsOf(p *catalogs.Package) (all map[deprecatable]*catalogs.Deprecation, sorted []deprecatable) {
	all = map[deprecatable]*catalogs.Deprecation{}
	entries := p.DeprecationEntries()
	for i := range entries {
		d := &entries[i]
		key := deprecatable{d.Schema.Value, d.Name.Value}
		if all[key] == nil {
			all[key] = d
			sorted = append(sorted, key)
		}
	}
	return all, sorted
}

// isDefined reports whether a package has the deprecatable object.
func isDefined(p *catalogs.Package, d deprecatable) bool {
	switch d.schema {
	case catalogs.SchemaChannel:
		return p.Channel(d.name) != nil
	case catalogs.SchemaBundle:
		return p.Bundle(d.name) != nil
	}
	return true
}

func checkDeprecationChanged(p *lint.Pass) {
	was, wasSorted := deprecationsOf(p.BasePackage)
	is, isSorted := deprecationsOf(p.Package)
	var lost, added, reworded changedObjects
	for _, key := range wasSorted {
		if is[key] == nil && isDefined(p.Package, key) {
			lost.add(key.String(), key.id(), deprecationPlace(p.Package, key), was[key].Pos)
		}
	}
	for _, key := range isSorted {
		switch old := was[key]; {
		case old == nil && isDefined(p.BasePackage, key):
			added.add(key.String(), key.id(), is[key].Pos, catalogs.Pos{})
		case old != nil && old.Message.Value != is[key].Message.Value:
			reworded.add(key.String(), key.id(), catalogs.KnownPos(is[key].Message.Pos, is[key].Pos), catalogs.KnownPos(old.Message.Pos, old.Pos))
		}
	}
	reportDeprecations(p, &lost, lint.Warning, "no longer deprecated", "restore the deprecation if it was removed by mistake")
	reportDeprecations(p, &added, lint.Info, "deprecated now", "check that the message says what to use instead")
	reportDeprecations(p, &reworded, lint.Info, "deprecated with another message", "check that the message says what to use instead")
}

func reportDeprecations(p *lint.Pass, c *changedObjects, severity lint.Severity, what, fix string) {
	n := len(c.names)
	if n == 0 {
		return
	}
	f := lint.Finding{Severity: severity, Faults: c.each, Pos: c.now[0], Fix: fix,
		Message: fmt.Sprintf("%s %s %s", enumerate(c.names), phrase.Plural(n, "is", "are"), what)}
	if c.was[0].Known() {
		f.Related = []lint.Related{{Pos: c.was[0], Message: "as it was"}}
	}
	p.Report(f)
}

// deprecationPlace returns the position of an object that is no longer deprecated.
func deprecationPlace(p *catalogs.Package, d deprecatable) catalogs.Pos {
	switch d.schema {
	case catalogs.SchemaChannel:
		c := p.Channel(d.name)
		return catalogs.KnownPos(c.Name.Pos, c.Pos)
	case catalogs.SchemaBundle:
		b := p.Bundle(d.name)
		return catalogs.KnownPos(b.Name.Pos, b.Pos)
	}
	return catalogs.KnownPos(p.Name.Pos, p.Pos)
}

// enumerate lists parts of a sentence, the first few of many.
func enumerate(parts []string) string { return phrase.Some(parts, 3, 4) }
