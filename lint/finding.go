package lint

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// Severity is the severity of a finding. A rule that is configured to be Off reports nothing.
type Severity int

const (
	Off Severity = iota
	Info
	Warning
	Error
)

var severityNames = [...]string{"off", "info", "warning", "error"}

func (s Severity) String() string { return severityNames[s] }

// ParseSeverity parses "off", "info", "warning" or "error".
func ParseSeverity(name string) (Severity, error) {
	if i := slices.Index(severityNames[:], name); i >= 0 {
		return Severity(i), nil
	}
	return Off, fmt.Errorf("no severity %q; want info, warning, error or off", name)
}

// Gates are the components that reject a catalog because of a finding, or leave its users without upgrades.
type Gates = judge.Gates

// The gates: see package judge.
const (
	GateOPM         = judge.GateOPM
	GateServe       = judge.GateServe
	GateOLMv0       = judge.GateOLMv0
	GateOLMv1       = judge.GateOLMv1
	GateAPIServer   = judge.GateAPIServer
	GateCommunity   = judge.GateCommunity
	GateCertified   = judge.GateCertified
	GateMarketplace = judge.GateMarketplace
	GateAdvice      = judge.GateAdvice
	GatePipelines   = judge.GatePipelines
)

// Subject is what a finding is about. An empty field is not restricted.
type Subject struct {
	Catalog string `json:"catalog"`
	Package string `json:"package"`
	Channel string `json:"channel"`
	Bundle  string `json:"bundle"`
	CRD     string `json:"crd"`
}

// Finding is a problem in a catalog: its position, the gates that it affects, and its fix.
type Finding struct {
	Rule     string
	Severity Severity
	Gates    Gates
	// Unchecked is the reason why something was not checked, if that is what the finding is about.
	Unchecked Unchecked
	// WarningGates are those of Gates that affect users but reject nothing. If only such gates are requested, the finding is at most
	// a Warning.
	WarningGates Gates
	// Overridable are those of Gates that users can tell not to reject it, as a ClusterExtension tells OLM v1. Where it is not known which
	// OLM users have, and they can have another one, the finding is at most a Warning.
	Overridable Gates
	Subject
	// Cause identifies the finding in its fingerprint, with rule and package: names, versions, values and field paths of the
	// catalog, never counts, lines, files or parts of the message. Nil means channel, bundle and CRD. It leaves out a subject
	// that is merely the first of several.
	Cause []string
	// Faults identify the faults that the finding reports together. With an additional fault it is a new finding, with fewer
	// faults it is not.
	Faults  []string
	Pos     catalogs.Pos
	Field   Field  // in the manifest at Pos, if the source shows it only encoded; see At
	Message string // the problem and its effect, one sentence
	Fix     string // what to do, one sentence
	Related []Related
	// Names are further names and values that tell it from a finding in another channel, which foldChannels does not fold into it then.
	Names []string
	// From is the bundle that is upgraded to Bundle, if the finding is about that upgrade.
	From string
	// Changes are what the message says is changed since the base, as PART/NAME: see changedParts.
	Changes []string
	// Skipper is the entry to whose skips Fix adds names, if it does and the rule has tried it. Restores says that Fix begins with taking a
	// change back.
	Skipper  string
	Restores bool
	// Details are what the finding reports together, if that is more than one thing: each change of a field, each entry. The message
	// counts them and names the most important ones.
	Details []Related
	// Also are the other places of the same problem: in other channels, bundles and catalogs.
	Also []Occurrence
	// Folded are the findings about other CRDs of the bundle that this one stands for: see UnfoldCRDs.
	Folded []Finding
	// Edits are the edits of the source that fix the problem, if there is one right fix and the source can be edited.
	Edits []edit.Edit
	// MadeOf is the template of which the file with the edits is made, which is to be made again instead; "" if there is none.
	MadeOf string
	// Suggested are replacements that make the fix, if it has no Edits: one of several fixes, or one that only a person can choose.
	Suggested []Replacement
	// Drifted is a part of a catalog that is not what its template makes, nil if the finding is not about that.
	Drifted   *repo.Part
	order     int      // before foldCRDs
	part      Part     // of the catalog that it is about
	ofChanges bool     // see Rule.OfChanges
	merged    []string // the fingerprints of the findings that were merged into this one
	// published says that it is about the contents of a bundle that the base has, which no pipeline judges again; submitted that it is
	// about a bundle that the base does not have, which the pipeline rejects because of it.
	published, submitted bool
	// unbased says that there is no base: all bundles of a repository count as published then, unless their gates are requested.
	unbased  bool
	infoUpTo Severity // up to it the finding is an Info: see Pass.infoIfPublished
	// Misplaced says that the bundle is not where it belongs, so that what else is found of it there is not compared with what it belongs to.
	Misplaced bool
	changed   []string // names in the changes that cause it: see Options.atCauses
	// Suppressed is the reason why the finding is suppressed, "" if it is not.
	Suppressed string
}

// IsOfUpgrades reports whether a finding is about an upgrade graph: each OpenShift version has another one, of the same bundles.
func (f *Finding) IsOfUpgrades() bool { return f.part == UpgradeGraph }

// At returns f at a part of an object, by its path: see bundled.Manifest.At. If the object is encoded, Field is the part.
func (f Finding) At(m *bundled.Manifest, path string) Finding {
	if pos := m.At(path); pos.IsKnown() {
		f.Pos = pos
	}
	if m.IsEncoded() {
		f.Field.Path, f.Field.Value = m.Part(path)
	}
	return f
}

// Field is a part of a manifest: its path, and its value as JSON, which is "" for a list or an object.
type Field struct {
	Path  string `json:"field"` // of the manifest at the position, if the source has the manifest only encoded
	Value string `json:"value"` // as JSON
}

// Related is another position that a finding refers to.
type Related struct {
	catalogs.Pos
	Message string `json:"message"`
	Name    string `json:"-"` // of the entry there, if it is one
}

// Occurrence is another place of a problem.
type Occurrence struct {
	Subject
	catalogs.Pos
}

// compareFindings is the order of the findings of one catalog.
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
