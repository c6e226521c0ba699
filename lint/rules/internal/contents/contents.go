// Package contents calls checks on the contents of bundles, and reports what several bundles have in common once.
package contents

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// Contents is one bundle whose manifests a rule looks into.
type Contents struct {
	*catalogs.Bundle
	Pass   *lint.Pass
	CSV    *csv.CSV // never nil where a rule is asked about a ClusterServiceVersion
	Faults []*fault
}

// fault is one thing that is wrong with the contents of a bundle.
type fault struct {
	manifest      *catalogs.Manifest // nil: the fault is at pos
	path          string
	pos           catalogs.Pos
	bundle        *catalogs.Bundle
	messageFormat string // the message without the names
	finding       lint.Finding
}

// position is where the fault stands. Looking for a path reads the manifest again.
func (f *fault) position() catalogs.Pos {
	if f.manifest == nil {
		return f.pos
	}
	return f.manifest.At(f.path)
}

// Report adds a fault at a path of the ClusterServiceVersion. What it says goes on from the name of the bundle. The path is the
// cause, with the name of an object that is another one. Finding.of adds the names of items where a list can have several such. The
// bundle is none of it, and no value that each release has another of: the next one often has the same fault.
func (c *Contents) Report(path, fix, says string, args ...any) *lint.Finding {
	return c.ReportOn(c.CSV.Manifest, path, fix, says, args...)
}

// ReportOn adds a fault at a path of one of the bundle's objects.
func (c *Contents) ReportOn(m *catalogs.Manifest, path, fix, says string, args ...any) *lint.Finding {
	f := &fault{manifest: m, path: path, bundle: c.Bundle, messageFormat: says}
	f.finding = lint.Finding{Subject: lint.Subject{Bundle: c.Name.Value}, Cause: []string{lint.FieldPath(path)}, Message: fmt.Sprintf(says, args...), Fix: fix}
	if m != nil && m.Kind != csv.Kind {
		f.finding.WithCause(m.Kind, m.Name)
	}
	c.Faults = append(c.Faults, f)
	return &f.finding
}

// ReportAt adds a fault at a place outside of the objects.
func (c *Contents) ReportAt(pos catalogs.Pos, fix, says string, args ...any) *lint.Finding {
	finding := c.ReportOn(nil, "", fix, says, args...)
	c.Faults[len(c.Faults)-1].pos = pos
	return finding
}

// Objects returns the objects that could be read.
func (c *Contents) Objects() []*catalogs.Manifest {
	return slices.DeleteFunc(slices.Clone(c.Pass.Preflight().Manifests(c.Bundle)), func(m *catalogs.Manifest) bool { return m.Fault != "" })
}

// InAllBundles makes a Check of a question about the contents of each bundle, for what keeps hurting users of old ones. The same fault
// in several bundles is reported for the newest of them.
func InAllBundles(check func(*Contents)) func(*lint.Pass) {
	return func(p *lint.Pass) { CheckBundles(p, NewestFirst(p.Package), Heads(p), "older bundle", check) }
}

// InHeads asks about the heads of the channels only: published bundles cannot be mended, the next ones follow the heads.
func InHeads(check func(*Contents)) func(*lint.Pass) {
	return func(p *lint.Pass) { CheckBundles(p, Heads(p), nil, "older bundle", check) }
}

// CheckBundles asks about each of the bundles in turn, and reports what one has where it is met first, with how many others have it. That
// one of the heads has it is another fault than that older bundles do.
func CheckBundles(p *lint.Pass, bundles, heads []*catalogs.Bundle, others string, check func(*Contents)) {
	known := map[string]*faultGroup{}
	var reported []*fault
	for _, b := range bundles {
		c := &Contents{Bundle: b, Pass: p, CSV: p.Preflight().CSV(b)}
		check(c)
		said := map[string]bool{}
		for _, f := range c.Faults {
			kind := known[faultKey(p, f)]
			switch {
			case said[f.finding.Message]:
				continue
			case kind == nil:
				known[faultKey(p, f)] = &faultGroup{fault: f, first: b, last: b}
				reported = append(reported, f)
			case kind.first == b:
				reported = append(reported, f)
			case kind.last != b:
				kind.last = b
				kind.others++
			}
			same := known[faultKey(p, f)]
			same.inHead = same.inHead || slices.Contains(heads, b)
			said[f.finding.Message] = true
		}
	}
	for _, f := range reported {
		more := 0
		if same := known[faultKey(p, f)]; same.fault == f {
			more = same.others
		}
		if known[faultKey(p, f)].inHead {
			MarkInHead(&f.finding)
		}
		p.Report(f.findingAt(more, others))
	}
}

// MarkInHead makes it a fault of its own that a head has what older bundles can have as well: it is what new users get.
func MarkInHead(f *lint.Finding) {
	var each []string
	for _, fault := range f.AllFaults() {
		each = append(each, fault, "head/"+fault)
	}
	f.Faults = each
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
func faultKey(p *lint.Pass, f *fault) string {
	if severity := cmp.Or(f.finding.Severity, p.Rule.Severity); severity == lint.Info {
		return f.messageFormat
	}
	return f.finding.Message
}

// findingAt is the finding, with the name of the bundle and the place, which it costs something to look for.
func (f *fault) findingAt(more int, others string) lint.Finding {
	found := f.finding
	found.Message = fmt.Sprintf("%q %s%s", f.bundle.Name.Value, found.Message, words.AndMore(more, others))
	found.Pos = words.FirstKnown(f.position(), f.bundle.Pos)
	return found
}

// Heads returns the heads of the channels, newest first; of a package without channels its newest bundle.
func Heads(p *lint.Pass) []*catalogs.Bundle {
	var heads []*catalogs.Bundle
	for _, c := range p.Package.Channels {
		if i, ok := p.Graph(c).Head(); ok {
			heads = append(heads, c.Entries[i].Bundle)
		}
	}
	sorted := NewestFirst(p.Package)
	if len(heads) == 0 {
		return sorted[:min(1, len(sorted))]
	}
	return slices.DeleteFunc(sorted, func(b *catalogs.Bundle) bool { return !slices.Contains(heads, b) })
}

// WithCSV asks only where something is known of the ClusterServiceVersion, be it no more than olm.csv.metadata.
func WithCSV(check func(*Contents)) func(*Contents) {
	return func(c *Contents) {
		if c.CSV != nil {
			check(c)
		}
	}
}

// WithReadableCSV asks only where the whole ClusterServiceVersion is known.
func WithReadableCSV(check func(*Contents)) func(*Contents) {
	return func(c *Contents) {
		if c.CSV != nil && !c.CSV.Manifest.Partial {
			check(c)
		}
	}
}

func AnnotationPath(key string) string { return "metadata.annotations[" + key + "]" }
