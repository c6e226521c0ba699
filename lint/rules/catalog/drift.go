package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
)

var drift = lint.Rule{
	ID: "template/drift", Severity: lint.Warning, Gates: lint.GateAdvice, Expands: true,
	Doc: `a catalog differs from what opm makes of its template
In a catalog repository the ci.yaml of an operator maps templates to catalogs. Users get the catalog that is checked in, and
no pipeline compares it with its template. A release that is only in the template is not published; a change that is only in
the catalog, for example by hand, is lost when the catalog is made again. A catalog by another version of opm than the
pipelines use is an info. So is a difference from an edited template in a change that adds a bundle: the catalog is made once
the image of the bundle is published. With a base, the rules on changes also check the catalogs that a changed template makes.
Run make catalogs in the folder of the operator, or put the change into the template.`,
	Reference: "operator-pipelines fbc/Makefile, render_catalogs.sh; operator-registry alpha/template",
	Check:     checkDrift,
}

// kind is a kind of difference between what a template makes and what is published.
type kind string

const (
	absent       kind = "absent"   // the operator is not in the catalog
	onlyTemplate kind = "template" // something is in the template only
	onlyCatalog  kind = "catalog"  // in the catalog only
	changed      kind = "changed"  // in both, with other values
	otherOPM     kind = "opm"      // the catalog is what another version of opm makes
)

func kinds() []kind { return []kind{absent, otherOPM, onlyTemplate, changed, onlyCatalog} }

// difference is one between what a template makes and what is published.
type difference struct {
	kind kind
	// what it is in, as a clause: what the template has, and if the kind is changed what the catalog has instead.
	what, instead string
	id            string // in fingerprints
	pos           catalogs.Pos
	published     catalogs.Pos // zero if it is not there
}

// text tells of a difference.
func (d *difference) text() string {
	if d.instead == "" {
		return d.what
	}
	return d.what + " in the template, " + d.instead + " in the catalog"
}

// drifted is what differs between a template and some catalogs in the same way.
type drifted struct {
	differences []difference
	in          []repo.Part
	broken      string // see comparison
}

func checkDrift(p *lint.Pass) {
	var groups memo.Groups[string, drifted]
	outcomes := map[string]bool{} // whether there are some, by the file of the template
	for _, m := range repo.TemplateParts(p.Context(), p.Catalog, p.BaseCatalog) {
		byKind := map[kind][]difference{}
		found, broken := compareCatalogs(&m)
		if len(found)+len(m.Template.Problems) > 0 && p.Catalog.Template == nil {
			file := m.Template.Template.Pos.File
			if _, known := outcomes[file]; !known {
				outcomes[file] = reportOutcomes(p, &m, found)
			}
			if outcomes[file] && len(m.Published) > 0 {
				continue
			}
		}
		for _, d := range found {
			byKind[d.kind] = append(byKind[d.kind], d)
		}
		if p.BaseCatalog != nil {
			mergeKinds(byKind)
		}
		for _, k := range kinds() {
			if len(byKind[k]) == 0 {
				continue
			}
			key := strings.Join(append([]string{m.Operator, m.Name}, ids(byKind[k])...), "\x00")
			groups.Add(key, drifted{byKind[k], []repo.Part{m}, broken})
		}
	}
	for _, same := range groups.All() {
		for _, other := range same[1:] {
			same[0].in = append(same[0].in, other.in...)
		}
		p.Report(same[0].finding())
	}
}

// mergeKinds makes one of the differences in what a change has to adjust: first what would be lost.
func mergeKinds(byKind map[kind][]difference) {
	var all []difference
	for _, k := range []kind{onlyCatalog, changed, onlyTemplate} {
		all = append(all, byKind[k]...)
		delete(byKind, k)
	}
	if len(all) > 0 {
		byKind[all[0].kind] = all
	}
}

// reportOutcomes reports what becomes of a catalog when it is made of its template again, because of a change of the template that the catalog does
// not have, and whether there is something.
func reportOutcomes(p *lint.Pass, m *repo.Part, differences []difference) bool {
	now, before := repo.Expansions(p.Context(), p.Catalog, p.BaseCatalog, m)
	if now == nil {
		return false
	}
	added := before == nil
	if added {
		before = &catalogs.Catalog{}
	}
	found, err := p.IntroducedFindings(now, before)
	if err != nil {
		return false
	}
	switch {
	case added && len(m.Published) == 0: // mostly a copy, for the next OpenShift version: of the catalogs the rest is told
		found = slices.DeleteFunc(found, func(f lint.Finding) bool { return f.Gates&(lint.GateOPM|lint.GateOLMv0) == 0 })
	case added: // the catalogs have the others
		found = slices.DeleteFunc(found, func(f lint.Finding) bool { return f.Rule != "catalog/unknown-schema" })
	case len(m.Published) > 0: // and what these have already
		again, err := p.IntroducedFindings(now, &catalogs.Catalog{Packages: m.Published})
		if err != nil {
			return false
		}
		found = slices.DeleteFunc(found, func(f lint.Finding) bool {
			return !slices.ContainsFunc(again, func(o lint.Finding) bool { return o.Rule == f.Rule && o.Channel == f.Channel })
		})
	}
	if m.Released { // what opm rejects is judged with the release: see pipeline/release-config
		found = slices.DeleteFunc(found, func(f lint.Finding) bool { return f.Gates&lint.GateOPM != 0 })
	}
	for i, f := range found {
		f.Cause, f.Faults, f.Edits = []string{m.Name, "outcome", f.Fingerprint()}, nil, nil
		f.Subject = lint.Subject{Package: partPackage(m)}
		f.Message = "once the catalogs are made of this template: " + f.Message
		for _, d := range differences[:min(len(differences), maxDetails)] {
			if i == 0 && d.text() != "" {
				f.Details = append(f.Details, lint.Related{Pos: d.pos, Message: d.text()})
			}
		}
		p.Report(f)
	}
	return len(found) > 0
}

func ids(all []difference) []string {
	return words.Map(all, func(d difference) string { return string(d.kind) + "/" + strings.ReplaceAll(d.id, " ", "/") })
}

func (g *drifted) finding() lint.Finding {
	first, m := &g.differences[0], &g.in[0]
	at := max(0, slices.IndexFunc(g.differences, func(d difference) bool { return d.kind == onlyTemplate }))
	f := lint.Finding{Cause: []string{string(first.kind)}, Faults: ids(g.differences), Pos: g.differences[at].pos,
		Subject: lint.Subject{Package: partPackage(m)}, Fix: "run make catalogs in operators/" + m.Operator}
	where := g.catalogNames()
	more := words.AndMore(len(g.differences)-1, "difference")
	switch first.kind {
	case absent:
		f.Message = fmt.Sprintf("%s lacks the operator, although ci.yaml maps the template %s to it", where, m.Name)
	case otherOPM:
		t := m.Template.Template
		f.Message = fmt.Sprintf("%s is what opm %s makes of this template, not %s: channels change when it is made again", where, first.what, t.Version())
		f.Fix += " with opm " + first.instead + ", or leave that to the next release"
		f.Severity = lint.Info
		if t.PinnedBy.IsKnown() {
			f.Related = append(f.Related, lint.Related{Pos: t.PinnedBy, Message: "this names opm " + t.Pinned.String()})
		}
	case onlyTemplate:
		if g.broken != "" {
			f.Fix = fmt.Sprintf("add the bundle %q to the template, and then run make catalogs in operators/%s", g.broken, m.Operator)
		}
		f.Message = fmt.Sprintf("%s is not what this template makes: it lacks %s%s", where, first.what, more)
	case onlyCatalog:
		f.Message = fmt.Sprintf("%s has %s%s, which this template lacks: it is lost when the catalog is made again", where, first.what, more)
		f.Fix = fmt.Sprintf("add it to the template, or run make catalogs in operators/%s to remove it", m.Operator)
	case changed:
		f.Message = fmt.Sprintf("%s is not what this template makes: %s in the template, but %s in the catalog%s", where, first.what, first.instead, more)
		f.Fix = fmt.Sprintf("put changes by hand in catalogs/ into the template, and run make catalogs in operators/%s", m.Operator)
	}
	if m.Adds && (first.kind == absent || first.kind == onlyTemplate || first.kind == changed && m.Edited) {
		f.Severity = lint.Info
	}
	if first.kind != absent {
		f.Drifted = m
	}
	if first.published.IsKnown() {
		f.Related = append(f.Related, lint.Related{Pos: first.published, Message: "in the catalog"})
	}
	for _, d := range g.differences[:min(len(g.differences), maxDetails)] {
		f.Details = append(f.Details, lint.Related{Pos: d.pos, Message: d.text()})
	}
	if len(g.differences) == 1 {
		f.Details = nil
	}
	return f
}

// maxDetails bounds how many differences are listed.
const maxDetails = 100

// catalogNames names the catalogs.
func (g *drifted) catalogNames() string {
	if len(g.in) == 1 {
		return fmt.Sprintf("catalogs/%s/%s", g.in[0].Catalog, g.in[0].Operator)
	}
	var versions []string
	for _, m := range g.in {
		versions = append(versions, m.Catalog)
	}
	return fmt.Sprintf("%s of catalogs/%s", g.in[0].Operator, ranges(versions))
}

// ranges lists versions, with those from one to another shortened.
func ranges(versions []string) string {
	if len(versions) < 3 {
		return strings.Join(versions, " and ")
	}
	return fmt.Sprintf("%s to %s (%d)", versions[0], versions[len(versions)-1], len(versions))
}

// partPackage returns the package of an operator.
func partPackage(m *repo.Part) string {
	for _, p := range slices.Concat(m.Published, m.Template.Packages) {
		return p.Name.Value
	}
	return m.Operator
}

// comparison collects the differences of a part of a catalog.
type comparison struct {
	*repo.Part
	found []difference
	told  map[string]bool // names of entries that only one side has
	// broken is an entry without a bundle, with which opm would reject the catalog.
	broken string
}

func (c *comparison) add(d difference) {
	if d.kind == changed && slices.ContainsFunc(c.Template.Problems, func(p catalogs.Problem) bool {
		return p.Kind == catalogs.UnknownKey && p.Pos.File == d.pos.File && p.Pos.Line == d.pos.Line
	}) {
		return // opm ignores it: see catalog/unknown-key
	}
	d.pos = catalogs.KnownPos(d.pos, c.Template.Template.Pos)
	c.found = append(c.found, d)
}

// compareCatalogs returns how what a template makes differs from what is published, and an entry without a bundle.
func compareCatalogs(m *repo.Part) (found []difference, broken string) {
	c := &comparison{Part: m, told: map[string]bool{}}
	t := m.Template.Template
	switch {
	case len(m.Published) == 0:
		c.add(difference{kind: absent, id: "absent", pos: m.Mapped})
		return c.found, ""
	case t.IsGenerated() && len(t.Unknown) > 0:
		return nil, "" // its channels are not known
	}
	for _, p := range m.Template.Packages {
		if was := findPackage(m.Published, p.Name.Value); was != nil {
			c.comparePackages(p, was)
		} else {
			c.add(difference{kind: onlyTemplate, what: fmt.Sprintf("the package %q", p.Name.Value), id: "package " + p.Name.Value, pos: p.Pos})
		}
	}
	for _, p := range m.Published {
		if findPackage(m.Template.Packages, p.Name.Value) == nil {
			c.add(difference{kind: onlyCatalog, what: fmt.Sprintf("the package %q", p.Name.Value), id: "package " + p.Name.Value, published: p.Pos})
		}
	}
	if len(c.found) > 0 && t.IsGenerated() {
		return c.byOtherOPM(), c.broken
	}
	return c.found, c.broken
}

func findPackage(all []*catalogs.Package, name string) *catalogs.Package {
	return find.Value(all, func(p *catalogs.Package) bool { return p.Name.Value == name })
}

func (c *comparison) comparePackages(now, was *catalogs.Package) {
	if a, b := now.DefaultChannel, was.DefaultChannel; a.Value != b.Value {
		c.add(difference{kind: changed, what: fmt.Sprintf("the default channel is %q", a.Value), instead: fmt.Sprintf("%q", b.Value), id: "default", pos: a.Pos, published: b.Pos})
	}
	for _, ch := range now.Channels {
		if old := was.Channel(ch.Name.Value); old != nil {
			c.compareChannels(ch, old)
			continue
		}
		c.markTold(ch)
		c.add(difference{kind: onlyTemplate, what: fmt.Sprintf("the channel %q", ch.Name.Value), id: "channel " + ch.Name.Value, pos: ch.Name.Pos})
	}
	for _, ch := range was.Channels {
		if now.Channel(ch.Name.Value) == nil {
			c.markTold(ch)
			c.add(difference{kind: onlyCatalog, what: fmt.Sprintf("the channel %q", ch.Name.Value), id: "channel " + ch.Name.Value, pos: now.Pos, published: ch.Name.Pos})
		}
	}
	c.compareBundles(now, was)
	c.compareDeprecations(now, was)
}

// markTold notes that the bundles of a channel are told of.
func (c *comparison) markTold(ch *catalogs.Channel) {
	for i := range ch.Entries {
		c.told[ch.Entries[i].Name.Value] = true
	}
}

// entriesByName returns the entries of a channel by name, and the names in their order. Of repeated entries those after the first have a number.
func entriesByName(ch *catalogs.Channel) (byName map[string]*catalogs.Entry, order []string) {
	byName = map[string]*catalogs.Entry{}
	for i := range ch.Entries {
		e := &ch.Entries[i]
		key := e.Name.Value
		for n := 2; byName[key] != nil; n++ {
			key = fmt.Sprintf("%s\x00%d", e.Name.Value, n)
		}
		byName[key] = e
		order = append(order, key)
	}
	return byName, order
}

func (c *comparison) compareChannels(now, was *catalogs.Channel) {
	entries, order := entriesByName(now)
	published, publishedOrder := entriesByName(was)
	in := now.Name.Value
	describe := func(e *catalogs.Entry) string { return fmt.Sprintf("%q in channel %q", e.Name.Value, in) }
	for _, key := range order {
		e, old := entries[key], published[key]
		if old == nil {
			c.told[e.Name.Value] = true
			what := describe(e)
			if e.Bundle == nil {
				c.broken = cmp.Or(c.broken, e.Name.Value)
				what += ", of which the template has no bundle"
			}
			c.add(difference{kind: onlyTemplate, what: what, id: "entry " + in + " " + key, pos: e.Name.Pos})
			continue
		}
		for _, edge := range templateEdges() {
			if a, b := edge.of(e), edge.of(old); a.Value != b.Value {
				c.add(difference{kind: changed, what: fmt.Sprintf("%q in channel %q %s", e.Name.Value, in, edge.describe(a.Value)), instead: edge.describe(b.Value),
					id: edge.name + " " + in + " " + key, pos: catalogs.KnownPos(a.Pos, e.Pos), published: catalogs.KnownPos(b.Pos, old.Pos)})
			}
		}
	}
	for _, key := range publishedOrder {
		if e := published[key]; entries[key] == nil {
			c.told[e.Name.Value] = true
			c.add(difference{kind: onlyCatalog, what: describe(e), id: "entry " + in + " " + key, pos: missingPos(now, e), published: e.Name.Pos})
		}
	}
}

// missingPos returns where an entry is missing in a channel: at what it replaces, or else at the channel.
func missingPos(c *catalogs.Channel, missing *catalogs.Entry) catalogs.Pos {
	for i := range c.Entries {
		if e := &c.Entries[i]; e.Name.Value == missing.Replaces.Value {
			return e.Name.Pos
		}
	}
	return c.Name.Pos
}

// edge is a field of an entry.
type edge struct {
	name string
	verb string
	of   func(*catalogs.Entry) catalogs.Text
}

func templateEdges() []edge {
	return []edge{
		{"replaces", "replaces", func(e *catalogs.Entry) catalogs.Text { return e.Replaces }},
		{"skips", "skips", sortedSkips},
		{"skipRange", "has skipRange", func(e *catalogs.Entry) catalogs.Text { return e.SkipRange }},
	}
}

// describe says what an entry has.
func (e *edge) describe(value string) string {
	if value == "" {
		return "has no " + e.name
	}
	if e.name == "skips" {
		return e.verb + " " + words.QuoteSome(strings.Split(value, "\x00"))
	}
	return fmt.Sprintf("%s %q", e.verb, value)
}

// sortedSkips returns the names that an entry skips, sorted, at the first of them.
func sortedSkips(e *catalogs.Entry) catalogs.Text {
	set := map[string]bool{}
	for _, skip := range e.Skips {
		set[skip.Value] = true
	}
	t := catalogs.Text{Value: strings.Join(words.SortedKeys(set), "\x00")}
	if len(e.Skips) > 0 {
		t.Pos = e.Skips[0].Pos
	}
	return t
}

// compareBundles compares the images, but of bundles whose entries differ already.
func (c *comparison) compareBundles(now, was *catalogs.Package) {
	images, published := imagesByName(now), imagesByName(was)
	unknown := c.Template.Template.Unknown
	for _, name := range words.SortedKeys(images) {
		a, b := images[name], published[name]
		switch {
		case c.told[name], a.Value == b.Value:
		case b.Value == "":
			c.add(difference{kind: onlyTemplate, what: fmt.Sprintf("the bundle %q", name), id: "bundle " + name, pos: a.Pos})
		default:
			c.add(difference{kind: changed, what: fmt.Sprintf("the image of %q is %q", name, a.Value), instead: fmt.Sprintf("%q", b.Value), id: "image " + name, pos: a.Pos, published: b.Pos})
		}
	}
	for _, name := range words.SortedKeys(published) {
		if _, there := images[name]; !there && !c.told[name] && len(unknown) == 0 {
			c.add(difference{kind: onlyCatalog, what: fmt.Sprintf("the bundle %q", name), id: "bundle " + name, pos: now.Pos, published: published[name].Pos})
		}
	}
	if len(c.told) > 0 {
		return // an unknown image is probably of an entry that is told of
	}
	for _, image := range unknown {
		c.add(difference{kind: onlyTemplate, what: fmt.Sprintf("the bundle of the image %q", image.Value), id: "unknown " + image.Value, pos: image.Pos})
	}
}

// imagesByName returns the images of the bundles, by name.
func imagesByName(p *catalogs.Package) map[string]catalogs.Text {
	all := map[string]catalogs.Text{}
	for _, b := range p.Bundles {
		if !b.Guessed {
			all[b.Name.Value] = b.Image
		}
	}
	return all
}

func (c *comparison) compareDeprecations(now, was *catalogs.Package) {
	deprecated, published := deprecationMessages(now), deprecationMessages(was)
	all := maps.Clone(deprecated)
	maps.Copy(all, published)
	for _, key := range words.SortedKeys(all) {
		a, b := deprecated[key], published[key]
		d := difference{what: "the deprecation of " + key, id: "deprecation " + key, pos: catalogs.KnownPos(a.Pos, now.Pos), published: b.Pos}
		switch {
		case a.Value == b.Value:
			continue
		case !a.Pos.IsKnown():
			d.kind = onlyCatalog
		case !b.Pos.IsKnown():
			d.kind = onlyTemplate
		default:
			d.kind, d.what, d.instead = changed, "the deprecation of "+key+" has another message", "this one"
		}
		c.add(d)
	}
}

// deprecationMessages returns the messages by what they deprecate.
func deprecationMessages(p *catalogs.Package) map[string]catalogs.Text {
	all := map[string]catalogs.Text{}
	for _, d := range p.DeprecationEntries() {
		key := strings.TrimPrefix(d.Schema.Value, "olm.")
		if d.Name.Value != "" {
			key += fmt.Sprintf(" %q", d.Name.Value)
		}
		all[key] = catalogs.Text{Value: cmp.Or(d.Message.Value, " "), Pos: catalogs.KnownPos(d.Message.Pos, d.Pos)}
	}
	return all
}

// byOtherOPM returns one difference if the catalog is what another version of opm makes of a template with generated channels.
func (c *comparison) byOtherOPM() []difference {
	v, ok := c.OtherOPM()
	if !ok {
		return c.found
	}
	first, t := c.found[0], c.Template.Template
	opm := t.OPM
	if t.PinnedBy.IsKnown() && v.SameExpansion(t.Pinned) {
		v = t.Pinned
	}
	return []difference{{kind: otherOPM, what: v.String(), instead: opm.String(), id: "opm " + v.String() + " " + opm.String(), pos: first.pos, published: first.published}}
}
