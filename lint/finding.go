package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Severity says how bad a finding is. Off is for the configuration: a rule at Off does not run.
type Severity int

const (
	Off Severity = iota
	Info
	Warning
	Error
)

var severityNames = [...]string{"off", "info", "warning", "error"}

func (s Severity) String() string { return severityNames[s] }

// ParseSeverity reads "off", "info", "warning" or "error".
func ParseSeverity(name string) (Severity, error) {
	if i := slices.Index(severityNames[:], name); i >= 0 {
		return Severity(i), nil
	}
	return Off, fmt.Errorf("no severity %q; want info, warning, error or off", name)
}

// Gates is the set of those who will refuse the catalog, or leave its users stuck, because of a finding.
type Gates uint8

const (
	GateOPM       Gates = 1 << iota // opm validate: the catalog cannot be built
	GateServe                       // opm serve, packageserver: it builds, and does not serve or show
	GateOLMv0                       // OLM v0: users cannot install, upgrade or resolve
	GateOLMv1                       // OLM v1's resolver or its CRD upgrade safety preflight
	GateAPIServer                   // the Kubernetes API server rejects the object or its update
	GateHub                         // the pipelines of the catalog repositories
	GateAdvice                      // nothing rejects it; users are affected
)

// GateNames lists the gates in the order of their bits.
var gateNames = [...]string{"opm", "serve", "olmv0", "olmv1", "apiserver", "hub", "advice"}

var gateMeanings = [...]string{
	"opm validate: the catalog cannot be built",
	"opm serve, the package server: the catalog cannot be served or shown",
	"OLM v0: users cannot install, upgrade or resolve",
	"OLM v1: users cannot install, upgrade or resolve",
	"the Kubernetes API server rejects the object or its update",
	"the pipelines of the catalog repositories",
	"nothing rejects it; users are affected",
}

// Meanings says for each of the gates in g who that is.
func (g Gates) Meanings() []string {
	meanings := []string{}
	for i, meaning := range gateMeanings {
		if g&(1<<i) != 0 {
			meanings = append(meanings, meaning)
		}
	}
	return meanings
}

// GateNames returns the names of all gates.
func GateNames() []string { return slices.Clone(gateNames[:]) }

// ParseGate reads the name of one gate.
func ParseGate(name string) (Gates, bool) {
	i := slices.Index(gateNames[:], name)
	if i < 0 {
		return 0, false
	}
	return 1 << i, true
}

// Names returns the names of the gates in g.
func (g Gates) Names() []string {
	names := []string{}
	for i, name := range gateNames {
		if g&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

func (g Gates) String() string { return strings.Join(g.Names(), " ") }

// Subject is what a finding is about; an empty field means all of them.
type Subject struct {
	Catalog, Package, Channel, Bundle, CRD string
}

// Finding is one fault, where it stands, who minds it and how to mend it.
type Finding struct {
	Rule     string
	Severity Severity
	Gates    Gates
	// WarningGates are those of the gates that only hurt users and refuse nothing: where none of the others is asked for, the finding
	// is a warning at most.
	WarningGates Gates
	Subject
	// Cause are the parts by which the finding is known, with its rule and package, where the other parts of the subject are not
	// they: names, versions, values and paths of fields, never counts, lines, files or words of ours. Nil stands for the channel,
	// bundle and CRD of the subject; a subject that only says where the fault was met first is left out.
	Cause []string
	// Faults are the faults that are reported together, where there can be several: one more makes the finding a new one, one less
	// does not.
	Faults  []string
	Pos     catalogs.Pos
	Message string // what is wrong and who it hurts, one sentence
	Fix     string // how to mend it, one sentence
	Related []Related
	// Edits is what mends it, as edits of the source: only where there is one right answer and the source can be edited.
	Edits []catalogs.Edit
	// Suppressed is the reason for which the finding does not count; "" if it does.
	Suppressed string
}

// Related is another place that a finding speaks of.
type Related struct {
	Pos     catalogs.Pos
	Message string
}

// compareFindings orders the findings of one catalog.
func compareFindings(a, b Finding) int {
	return cmp.Or(
		cmp.Compare(a.Package, b.Package),
		cmp.Compare(a.Pos.File, b.Pos.File),
		cmp.Compare(a.Pos.Line, b.Pos.Line),
		cmp.Compare(a.Pos.Col, b.Pos.Col),
		cmp.Compare(a.Rule, b.Rule),
		cmp.Compare(a.Channel, b.Channel),
		cmp.Compare(a.Bundle, b.Bundle),
		cmp.Compare(a.Message, b.Message),
	)
}
