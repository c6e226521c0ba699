package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
)

// bundleContents is one bundle whose manifests a rule looks into.
type bundleContents struct {
	*catalogs.Bundle
	pass   *Pass
	csv    *csv.CSV // never nil where a rule is asked about a ClusterServiceVersion
	faults []*fault
}

// fault is one thing that is wrong with the contents of a bundle.
type fault struct {
	manifest      *catalogs.Manifest // nil: the fault is at pos
	path          string
	pos           catalogs.Pos
	bundle        *catalogs.Bundle
	messageFormat string // the message without the names
	finding       Finding
}

// position is where the fault stands. Looking for a path reads the manifest again.
func (f *fault) position() catalogs.Pos {
	if f.manifest == nil {
		return f.pos
	}
	return f.manifest.At(f.path)
}

// report adds a fault at a path of the ClusterServiceVersion. What it says goes on from the name of the bundle. The path is the
// cause, with the name of an object that is another one. Finding.of adds the names of items where a list can have several such. The
// bundle is none of it, and no value that each release has another of: the next one often has the same fault.
func (c *bundleContents) report(path, fix, says string, args ...any) *Finding {
	return c.reportOn(c.csv.Manifest, path, fix, says, args...)
}

// reportOn adds a fault at a path of one of the bundle's objects.
func (c *bundleContents) reportOn(m *catalogs.Manifest, path, fix, says string, args ...any) *Finding {
	f := &fault{manifest: m, path: path, bundle: c.Bundle, messageFormat: says}
	f.finding = Finding{Subject: Subject{Bundle: c.Name.Value}, Cause: []string{fieldPath(path)}, Message: fmt.Sprintf(says, args...), Fix: fix}
	if m != nil && m.Kind != csv.Kind {
		f.finding.withCauses(m.Kind, m.Name)
	}
	c.faults = append(c.faults, f)
	return &f.finding
}

// reportAt adds a fault at a place outside of the objects.
func (c *bundleContents) reportAt(pos catalogs.Pos, fix, says string, args ...any) *Finding {
	finding := c.reportOn(nil, "", fix, says, args...)
	c.faults[len(c.faults)-1].pos = pos
	return finding
}

// objects returns the objects that could be read.
func (c *bundleContents) objects() []*catalogs.Manifest {
	return slices.DeleteFunc(slices.Clone(c.pass.Preflight().Manifests(c.Bundle)), func(m *catalogs.Manifest) bool { return m.Fault != "" })
}

// inAllBundles makes a Check of a question about the contents of each bundle, for what keeps hurting users of old ones. The same fault
// in several bundles is reported for the newest of them.
func inAllBundles(check func(*bundleContents)) func(*Pass) {
	return func(p *Pass) { p.checkBundles(newestFirst(p.Package), p.heads(), "older bundle", check) }
}

// inHeadBundles asks about the heads of the channels only: published bundles cannot be mended, the next ones follow the heads.
func inHeadBundles(check func(*bundleContents)) func(*Pass) {
	return func(p *Pass) { p.checkBundles(p.heads(), nil, "older bundle", check) }
}

// checkBundles asks about each of the bundles in turn, and reports what one has where it is met first, with how many others have it. That
// one of the heads has it is another fault than that older bundles do.
func (p *Pass) checkBundles(bundles, heads []*catalogs.Bundle, others string, check func(*bundleContents)) {
	known := map[string]*faultGroup{}
	var reported []*fault
	for _, b := range bundles {
		c := &bundleContents{Bundle: b, pass: p, csv: p.Preflight().CSV(b)}
		check(c)
		said := map[string]bool{}
		for _, f := range c.faults {
			kind := known[p.faultKey(f)]
			switch {
			case said[f.finding.Message]:
				continue
			case kind == nil:
				known[p.faultKey(f)] = &faultGroup{fault: f, first: b, last: b}
				reported = append(reported, f)
			case kind.first == b:
				reported = append(reported, f)
			case kind.last != b:
				kind.last = b
				kind.others++
			}
			same := known[p.faultKey(f)]
			same.inHead = same.inHead || slices.Contains(heads, b)
			said[f.finding.Message] = true
		}
	}
	for _, f := range reported {
		more := 0
		if same := known[p.faultKey(f)]; same.fault == f {
			more = same.others
		}
		if known[p.faultKey(f)].inHead {
			f.finding.setInHead()
		}
		p.Report(f.findingAt(more, others))
	}
}

// setInHead makes it a fault of its own that a head has what older bundles can have as well: it is what new users get.
func (f *Finding) setInHead() {
	var each []string
	for _, fault := range f.causes() {
		each = append(each, fault, "head/"+fault)
	}
	f.Each = each
}

// faultGroup is a fault that several bundles have.
type faultGroup struct {
	fault  *fault // where it was met first
	first  *catalogs.Bundle
	last   *catalogs.Bundle // that was counted
	others int              // others that have it
	inHead bool             // a head has it
}

// faultKey says which faults are the same. Of advice it is enough to hear once in a package, whatever the names in it.
func (p *Pass) faultKey(f *fault) string {
	if severity := cmp.Or(f.finding.Severity, p.rule.Severity); severity == Info {
		return f.messageFormat
	}
	return f.finding.Message
}

// findingAt is the finding, with the name of the bundle and the place, which it costs something to look for.
func (f *fault) findingAt(more int, others string) Finding {
	found := f.finding
	found.Message = fmt.Sprintf("%q %s%s", f.bundle.Name.Value, found.Message, andMore(more, others))
	found.Pos = firstKnown(f.position(), f.bundle.Pos)
	return found
}

// heads returns the heads of the channels, newest first; of a package without channels its newest bundle.
func (p *Pass) heads() []*catalogs.Bundle {
	var heads []*catalogs.Bundle
	for _, c := range p.Package.Channels {
		if i, ok := p.Graph(c).Head(); ok {
			heads = append(heads, c.Entries[i].Bundle)
		}
	}
	sorted := newestFirst(p.Package)
	if len(heads) == 0 {
		return sorted[:min(1, len(sorted))]
	}
	return slices.DeleteFunc(sorted, func(b *catalogs.Bundle) bool { return !slices.Contains(heads, b) })
}

// withCSV asks only where something is known of the ClusterServiceVersion, be it no more than olm.csv.metadata.
func withCSV(check func(*bundleContents)) func(*bundleContents) {
	return func(c *bundleContents) {
		if c.csv != nil {
			check(c)
		}
	}
}

// withReadableCSV asks only where the whole ClusterServiceVersion is known.
func withReadableCSV(check func(*bundleContents)) func(*bundleContents) {
	return func(c *bundleContents) {
		if c.csv != nil && !c.csv.Manifest.Partial {
			check(c)
		}
	}
}
