package crd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// schemaUpgrade is a CRD before and after an upgrade.
type schemaUpgrade struct {
	upgrade  *judge.Upgrade
	old, new *judge.CRD
}

// schemaKey identifies a CRD in the upgrades to a bundle.
type schemaKey struct {
	to      *catalogs.Bundle
	crd     string
	decided bool // before the target
}

// schemaChange is a change of the schema of a CRD. V0 and V1 are set if OLM v0 or OLM v1 makes one of the upgrades that have it.
type schemaChange struct {
	crd.Change
	in     schemaUpgrade // the first one
	v0, v1 bool
}

type schemaGroup = contents.PartGroup[schemaKey, schemaChange]

// schemaChanges are the changes of all schemas, each in the first upgrade that has it.
type schemaChanges struct {
	contents.PartGroups[schemaKey, schemaChange]
	notCompared []notCompared
	known       bool
	decisions   decisions
	narrowed    map[upgradedCRD]bool // upgrades that narrow a CRD as was decided before
}

// upgradedCRD is a CRD in an upgrade.
type upgradedCRD struct {
	upgrade *judge.Upgrade
	crd     string
}

// notCompared is a CRD whose schemas are not compared in an upgrade.
type notCompared struct {
	schemaUpgrade
	err error
}

// packageSchemaChanges returns the changes of the schemas of a package, computed once for all rules.
func packageSchemaChanges(p *lint.Pass) *schemaChanges {
	all := lint.SharedValue[schemaChanges](p)
	if !all.known {
		all.known, all.narrowed = true, map[upgradedCRD]bool{}
		eachCRDUpgrade(func(p *lint.Pass, s *judge.Upgrade, old, new *judge.CRD) {
			if old.Manifest.Object != new.Manifest.Object {
				all.add(p, schemaUpgrade{s, old, new})
			}
		})(p)
		all.decisions.tellRest()
	}
	return all
}

// add adds the changes of a CRD in an upgrade: those that OLM v1 finds, and those that it does not see but OLM v0 rejects if an
// object becomes invalid. A changed scope is left out: see crd/immutable.
func (all *schemaChanges) add(pass *lint.Pass, in schemaUpgrade) {
	p := pass.Judge()
	var found []crd.Change
	var err, unseenErr error
	if in.new.APIVersion == crd.V1 {
		found, err = p.Changes(in.upgrade.From, in.upgrade.To, in.old, in.new)
	}
	if in.upgrade.V0 {
		var unseen []crd.Change
		unseen, unseenErr = p.Unseen(in.old, in.new)
		found = slices.Concat(found, unseen)
	}
	if err = cmp.Or(err, unseenErr); err != nil {
		all.notCompared = append(all.notCompared, notCompared{in, err})
	}
	if len(found) == 0 {
		return
	}
	decidedBefore := p.DecidedBefore(in.upgrade, in.new)
	name := in.new.Manifest.Name
	for _, c := range found {
		if c.Check == "scope" {
			continue
		}
		before := decidedBefore(&c) && !pass.AsksOLMv1() // which rejects the upgrade nevertheless
		if before && (&schemaChange{Change: c}).rejects() {
			all.narrowed[upgradedCRD{in.upgrade, name}] = true
		}
		id := strings.Join([]string{name, c.Version, c.Path, c.Check, c.Message}, " ")
		all.decisions.add(id, before, func() {
			change, isNew := all.Add(schemaKey{in.upgrade.To, name, before}, id, contents.AtUpgrade(in.upgrade, name))
			if isNew {
				change.Change, change.in = c, in
			}
			change.v0, change.v1 = change.v0 || in.upgrade.V0, change.v1 || in.upgrade.V1
		})
	}
}

// finding says that the schemas are not compared.
func (u notCompared) finding() lint.Finding {
	s, new := u.upgrade, u.new
	return lint.Finding{
		Severity: lint.Info, Gates: lint.GateAdvice,
		Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
		From:    s.From.Name.Value,
		Cause:   []string{new.Manifest.Name},
		Faults:  []string{"not-compared"},
		Pos:     new.Manifest.At("spec.versions"),
		Message: fmt.Sprintf("%s in %q and %q is not compared: %v", new.Manifest.Name, s.From.Name.Value, s.To.Name.Value, u.err),
		Fix:     "test the upgrade on a cluster, or make the CRD smaller",
	}
}

// narrows reports whether one of the changes breaks objects or clients.
func narrows(g *schemaGroup) bool {
	return slices.ContainsFunc(g.Parts, func(c *schemaChange) bool { return c.breaks() })
}

// breaks reports whether objects can become invalid or lose values. A removed field makes no object invalid, but the API server
// drops its values, and those that clients set; a status is written by the operator. A removed field that the schema above it still accepts
// breaks nothing; nor does a new default or a wider type, which changes what objects mean, not whether they are accepted.
func (c *schemaChange) breaks() bool { return c.rejects() || c.losesValues() }

// rejects reports whether objects that users have are likely to become invalid.
func (c *schemaChange) rejects() bool { return c.Narrows && !c.Ample && !c.isStatus() }

// isOfKnown reports whether a change breaks a version that the older CRD has, and not only sets off a new one from it, as new ones are for.
func (c *schemaChange) isOfKnown() bool {
	_, to, isPair := strings.Cut(c.Version, " -> ")
	return c.breaks() && (!isPair || c.in.old.Has(to))
}

func (c *schemaChange) isStatus() bool { return strings.HasPrefix(c.Path, "^.status") }

func (c *schemaChange) losesValues() bool { return c.Loses && !c.isStatus() }

// consequence returns the severity and the gates of a change, and which of the gates reject it only for some objects.
func (c *schemaChange) consequence() (severity lint.Severity, gates, some lint.Gates) {
	alpha := crd.IsAlpha(c.Version)
	switch {
	case c.Check == "unseen":
		severity = lint.Warning
		if alpha || !c.breaks() {
			severity = lint.Info
		}
		return severity, lint.GateOLMv0, 0
	case c.v1 && alpha:
		severity, gates = lint.Warning, lint.GateOLMv1
	case c.v1:
		severity, gates = lint.Error, lint.GateOLMv1
	default:
		severity = lint.Info
	}
	switch {
	case c.v0 && c.rejects():
		return max(severity, lint.Warning), gates | lint.GateOLMv0, lint.GateOLMv0
	case c.v0 && c.Narrows:
		return severity, gates | lint.GateOLMv0, lint.GateOLMv0
	case c.v0 && c.losesValues() && !alpha: // no object becomes invalid, but values are lost
		return max(severity, lint.Warning), gates | lint.GateAdvice, lint.GateAdvice
	}
	return severity, cmp.Or(gates, lint.GateAdvice), 0
}

// schemaFinding returns the finding about the changes of a CRD in an upgrade: the most severe one gives its severity.
func schemaFinding(p *lint.Pass, g *schemaGroup) lint.Finding {
	changes := slices.Clone(g.Parts)
	if narrows(g) { // then what OLM v1 alone refuses matters where it is in use
		changes = slices.DeleteFunc(changes, func(c *schemaChange) bool { return !c.v1 && !c.breaks() })
	}
	slices.SortStableFunc(changes, compareChanges)
	first := changes[0]
	s, new := first.in.upgrade, first.in.new
	f := lint.Finding{
		Subject: lint.Subject{Channel: s.Channel, Bundle: s.To.Name.Value, CRD: new.Manifest.Name},
		From:    s.From.Name.Value,
		Cause:   []string{new.Manifest.Name},
		Message: schemaMessage(s, changes) + words.AndMore(len(g.Also), "upgrade"),
		Fix:     "keep the schema, or ship the new one as a new API version",
		Also:    g.Also,
	}
	var always lint.Gates
	for _, c := range changes {
		severity, gates, some := c.consequence()
		if severity > f.Severity {
			f.Severity, always = severity, 0
		}
		if severity == f.Severity {
			always |= gates &^ some
		}
		f.Gates |= gates
		f.Faults = append(f.Faults, strings.Join([]string{strings.ReplaceAll(c.Version, " ", ""), c.Path, cmp.Or(c.Field, c.Check)}, "/"))
		f.Details = append(f.Details, lint.Related{Pos: new.Manifest.At(c.At), Message: c.Version + ": " + c.Message})
	}
	if f.Gates != lint.GateAdvice && !slices.ContainsFunc(changes, func(c *schemaChange) bool { return c.v0 && c.losesValues() }) {
		f.Gates &^= lint.GateAdvice // that of changes that matter less
	}
	if (!narrows(g) || g.Key.decided || isNightly(s) || !slices.ContainsFunc(changes, (*schemaChange).isOfKnown) ||
		f.Gates == lint.GateAdvice && isInternal(p, s.To, new.Manifest.Name)) && !p.AsksOLMv1() {
		f.Severity = lint.Info
	}
	if g.Key.decided {
		f.Cause = append(f.Cause, "decided before")
	} else if s.V0 && narrows(g) && !isNightly(s) && p.Judge().NoneFits(first.in.old, new) != "" {
		always |= lint.GateOLMv0
		f.Severity, f.Message = lint.Error, f.Message+"; no object is valid in both schemas, so each stops the upgrade"
	}
	f.WarningGates, f.Overridable = f.Gates&^always, f.Gates&lint.GateOLMv1
	f = f.At(new.Manifest, first.At)
	f.Related = []lint.Related{relatedBefore(first.in.old, first.At)}
	if isShort(changes) {
		f.Details = nil
	}
	return f
}

// isInternal reports whether a bundle says that users do not write the objects of a CRD.
func isInternal(p *lint.Pass, b *catalogs.Bundle, crd string) bool {
	c := p.Judge().CSV(b)
	return c != nil && c.IsInternal(crd)
}

// compareChanges orders changes by whether they break anything, by severity, by how much they break, and by how near they are to the top of the schema.
func compareChanges(a, b *schemaChange) int {
	severityA, _, _ := a.consequence()
	severityB, _, _ := b.consequence()
	depth := func(c *schemaChange) int { return strings.Count(c.Path, ".") + strings.Count(c.Path, "[") }
	if a.breaks() != b.breaks() {
		return map[bool]int{true: -1, false: 1}[a.breaks()]
	}
	return cmp.Or(cmp.Compare(severityB, severityA), cmp.Compare(a.rank(), b.rank()), cmp.Compare(depth(a), depth(b)),
		cmp.Compare(a.Path, b.Path), cmp.Compare(a.Version, b.Version))
}

// rank returns how much a change breaks; 0 is most.
func (c *schemaChange) rank() int {
	switch {
	case c.IsRemoval() && c.losesValues():
		return 0
	case c.Check == "unseen":
		return 4
	case c.rejects() && c.Field == "required":
		return 1
	case c.rejects() && c.Field == "type":
		return 2
	case c.breaks():
		return 3
	case c.Field == "type", c.Field == "default":
		return 5
	}
	return 6
}

// schemaMessage describes sorted changes: a single one in a sentence, several by how many there are of each kind, with the first
// ones.
func schemaMessage(s *judge.Upgrade, changes []*schemaChange) string {
	var versions, seen []string
	var distinct []*schemaChange // the same kind of change of a field in several versions counts once
	for _, c := range changes {
		if !slices.Contains(versions, c.Version) {
			versions = append(versions, c.Version)
		}
		noun, verb := c.kind()
		if id := strings.Join([]string{noun, verb, c.Path}, " "); !slices.Contains(seen, id) {
			seen, distinct = append(seen, id), append(distinct, c)
		}
	}
	name := changes[0].in.new.Manifest.Name + inVersions(versions)
	from := fmt.Sprintf("from %q to %q%s", s.From.Name.Value, s.To.Name.Value, releaseSuffix(s))
	if others := otherOrigins(changes); others > 0 {
		from = fmt.Sprintf("from %q and %s to %q", s.From.Name.Value, words.Plural(others, "one more version", fmt.Sprintf("%d more versions", others)), s.To.Name.Value)
	}
	if isShort(distinct) {
		return fmt.Sprintf("%s: %s, %s", name, distinct[0].Message, from)
	}
	kinds := countKinds(distinct)
	if len(kinds) == 1 {
		return fmt.Sprintf("%s: %s, %s: %s", name, kinds[0].count(), from, kinds[0].first())
	}
	var said []string
	total := 0
	for _, k := range kinds {
		total += k.n
	}
	others := total
	for i, k := range kinds {
		if i == 3 && len(kinds) > 4 {
			said = append(said, fmt.Sprintf("%d others", others))
			break
		}
		one := k.count()
		if len(k.shown) > 0 {
			one += " (" + k.first() + ")"
		}
		said, others = append(said, one), others-k.n
	}
	return fmt.Sprintf("%s: %d changes %s: %s", name, total, from, strings.Join(said, ", "))
}

// otherOrigins counts the bundles from which other upgrades have changes than from that of the first.
func otherOrigins(changes []*schemaChange) int {
	origins := map[*catalogs.Bundle]bool{}
	for _, c := range changes {
		origins[c.in.upgrade.From] = true
	}
	return len(origins) - 1
}

// isShort reports whether a message quotes its only change in full.
func isShort(distinct []*schemaChange) bool {
	return len(distinct) == 1 && len(distinct[0].Message) <= 200
}

// inVersions returns the versions of changes, as they are in a message. Those of pairs are named one by one.
func inVersions(versions []string) string {
	if len(versions) == 1 {
		return " " + versions[0]
	}
	var names []string
	for _, v := range versions {
		names = append(names, strings.Split(v, " -> ")...)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) > 3 {
		return fmt.Sprintf(" (%d versions)", len(names))
	}
	return " " + strings.Join(names, ", ")
}

// changeKind counts changes of one kind.
type changeKind struct {
	noun, verb string
	n          int // of fields, where they are required; of changes otherwise
	changes    int
	shown      []string // the first ones
}

// count returns for example "3 defaults changed".
func (k *changeKind) count() string {
	return fmt.Sprintf("%d %s %s", k.n, words.Plural(k.n, k.noun, k.noun+"s"), k.verb)
}

// first lists the first changes.
func (k *changeKind) first() string {
	shown, separator := k.shown, ", "
	if len(shown) < k.changes {
		shown = append(slices.Clone(shown), "…")
	}
	if strings.Contains(strings.Join(shown, ""), " ") {
		separator = "; "
	}
	return strings.Join(shown, separator)
}

// countKinds counts changes by kind, in the order in which they come. The first three are shown if they are not too long together.
func countKinds(changes []*schemaChange) []*changeKind {
	const most, width, sentence = 3, 70, 45
	var kinds []*changeKind
	length := 0
	for i, c := range changes {
		noun, verb := c.kind()
		at := slices.IndexFunc(kinds, func(k *changeKind) bool { return k.noun == noun && k.verb == verb })
		if at < 0 {
			at = len(kinds)
			kinds = append(kinds, &changeKind{noun: noun, verb: verb})
		}
		k, short := kinds[at], c.shortMessage(verb, min(sentence, width-length))
		k.n++
		if verb == "required" {
			k.n += max(c.Required, 1) - 1
		}
		if k.changes++; i < most && (i == 0 || length+len(short) <= width) {
			k.shown = append(k.shown, short)
			length += len(short)
		}
	}
	return kinds
}

// kind returns what changed and how.
func (c *schemaChange) kind() (noun, verb string) {
	field := strings.TrimPrefix(c.Field, "x-kubernetes-")
	if c.Narrows && !c.IsRemoval() {
		if noun, verb = narrowingName(field); noun != "" {
			return noun, verb
		}
	}
	switch {
	case c.IsRemoval():
		return "field", "removed"
	case field == "validations":
		return "rule set", "changed"
	case field == "preserve-unknown-fields" && c.Loses:
		return "schema", "losing unknown fields"
	case field == "preserve-unknown-fields" && c.Is != "":
		return "schema", "keeping unknown fields"
	case field == "":
		return "schema", "added" // where a value could be anything
	case c.isDefault("list-type", "atomic"):
		return "list", "with x-kubernetes-list-type: atomic, the default"
	case c.isDefault("map-type", "granular"):
		return "map", "with x-kubernetes-map-type: granular, the default"
	case slices.Contains([]string{"type", "default", "enum", "pattern", "format", "list-type", "map-type"}, field):
		return strings.ReplaceAll(field, "-", " "), "changed"
	}
	return "other field", "changed"
}

// isDefault reports whether a field has its default now, and had it without being written.
func (c *schemaChange) isDefault(field, value string) bool {
	return c.Field == "x-kubernetes-"+field && c.Was == "" && c.Is == value
}

// narrowingName names the change of a keyword that narrows a schema, "" if it has no name of its own.
func narrowingName(field string) (noun, verb string) {
	switch {
	case field == "required":
		return "field", "required"
	case strings.HasPrefix(field, "min"), strings.HasPrefix(field, "max"):
		return "limit", "tightened"
	case field == "enum":
		return "enum", "narrowed"
	}
	return "", ""
}

// shortMessage returns the message of a change, or only its path if the kind says the rest or the message is too long.
func (c *schemaChange) shortMessage(verb string, width int) string {
	for _, end := range []string{" is required now", " are required now"} {
		if path, ok := strings.CutSuffix(c.Message, end); ok {
			return path
		}
	}
	path, _, _ := strings.Cut(c.Message, " ")
	if c.Path == "^" {
		path = "the object"
	}
	if verb != "changed" && verb != "tightened" || len(c.Message) > width {
		return path
	}
	return c.Message
}

// checkChanged reports the upgrades that change the schema of a CRD and narrow nothing.
func checkChanged(p *lint.Pass) {
	for _, g := range packageSchemaChanges(p).All {
		if !narrows(g) {
			p.Report(schemaFinding(p, g))
		}
	}
}

// narrowsIn reports whether crd/schema-narrowed tells of an upgrade that it makes objects invalid.
func narrowsIn(p *lint.Pass, s *judge.Upgrade, name string) bool {
	all := packageSchemaChanges(p)
	return p.Runs("crd/schema-narrowed", s.Channel) && (all.narrowed[upgradedCRD{s, name}] || slices.ContainsFunc(all.All, func(g *schemaGroup) bool {
		return slices.ContainsFunc(g.Parts, func(c *schemaChange) bool {
			return c.rejects() && c.in.new.Manifest.Name == name && (c.in.upgrade == s || slices.ContainsFunc(g.Also, func(o lint.Occurrence) bool { return o.Bundle == s.To.Name.Value }))
		})
	}))
}

// checkNarrowed reports the upgrades that narrow the schema of a CRD, and those whose schemas are not compared.
func checkNarrowed(p *lint.Pass) {
	changes := packageSchemaChanges(p)
	for _, g := range changes.All {
		if narrows(g) {
			f := schemaFinding(p, g)
			if in := g.Parts[0].in; in.upgrade.V0 && len(p.Judge().BrokenExamples(in.upgrade.From, in.old, in.new)) > 0 {
				f.Message += fmt.Sprintf("; an example of %q no longer matches", in.upgrade.From.Name.Value)
			}
			p.Report(f)
		}
	}
	f := contents.NewFindingGroups(p)
	for _, u := range changes.notCompared {
		f.Add(u.new.Manifest.Name+u.err.Error(), u.finding())
	}
	f.Report("upgrade")
}
