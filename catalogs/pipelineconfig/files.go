package pipelineconfig

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// Organizations whose pipelines judge repositories, as config.yaml names them.
const (
	Community   = "community-operators"
	Certified   = "certified-operators"
	Marketplace = "redhat-marketplace"
)

// Organizations returns them.
func Organizations() []string { return []string{Community, Certified, Marketplace} }

// ciSchema is that of ci.yaml (operator-pipelines: schemas/ci-schema.json).
func ciSchema() schema {
	mapping := schema{kind: tree.Map, fields: []field{
		{"template_name", true, text()},
		{"type", true, text(template.Basic, template.Semver)},
		{"catalog_names", true, texts(true, true)},
	}}
	return schema{kind: tree.Map, fields: []field{
		{"updateGraph", false, text("replaces-mode", "semver-mode")},
		{"reviewers", false, texts(true, false)},
		{"merge", false, schema{kind: tree.Bool}},
		{"cert_project_id", false, text()},
		{"fbc", false, schema{kind: tree.Map, closed: true, fields: []field{
			{"enabled", false, schema{kind: tree.Bool}},
			{"version_promotion_strategy", false, text("review-needed", "always", "never")},
			{"catalog_mapping", false, schema{kind: tree.List, item: &mapping}},
		}}},
	}}
}

// releaseSchema is that of release-config.yaml (operator-pipelines: schemas/release-config-schema.json).
func releaseSchema() schema {
	template := schema{kind: tree.Map, fields: []field{
		{"template_name", true, text()},
		{"channels", true, texts(true, true)},
		{"defaultChannel", false, text()},
		{"replaces", false, text()},
		{"skips", false, texts(true, true)},
		{"skipRange", false, text()},
	}}
	return schema{kind: tree.Map, closed: true, fields: []field{
		{"merge", false, schema{kind: tree.Bool}},
		{"catalog_templates", true, schema{kind: tree.List, nonEmpty: true, unique: true, item: &template}},
	}}
}

// repositorySchema is that of the config.yaml of a repository, of which operator-pipelines has none: it is what its code reads.
func repositorySchema() schema {
	test := schema{kind: tree.Map, fields: []field{{"name", true, text()}, {"ignore_operators", false, texts(false, false)}}}
	return schema{kind: tree.Map, fields: []field{
		{"organization", true, text()},
		{"maintainers", false, texts(false, false)},
		{"tests", false, schema{kind: tree.List, item: &test}},
		{"allowed_bundle_registries", false, texts(false, false)},
		{"index_image", true, schema{kind: tree.Map, fields: []field{
			{"repository", true, text()},
			{"pending_repository", true, text()},
			{"public_repository_mirror", true, text()},
		}}},
	}}
}

// MeantCI returns a ci.yaml as its author probably meant it. CheckCI reports what differs.
func MeantCI(root *tree.Node) *tree.Node {
	s := ciSchema()
	meant := s.interpret(*root)
	return &meant
}

// MeantRelease is MeantCI for a release-config.yaml and CheckReleaseSchema.
func MeantRelease(root *tree.Node) *tree.Node {
	s := releaseSchema()
	meant := s.interpret(*root)
	return &meant
}

// sortedFaults returns the faults in the order of the file.
func (c *checker) sortedFaults() []Fault {
	slices.SortStableFunc(c.faults, func(a, b Fault) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col)) })
	return c.faults
}

// UsesTemplates reports whether a ci.yaml enables file-based catalogs.
func UsesTemplates(ci *tree.Node) bool {
	enabled := ci.At("fbc", "enabled")
	return enabled != nil && enabled.Kind == tree.Bool && enabled.Text == "true"
}

// CertProject returns the certification project that a ci.yaml names, "" if there is none. One of the wrong type is one: CheckCI reports it.
func CertProject(ci *tree.Node) string {
	if id := ci.At("cert_project_id"); id != nil {
		return id.Text
	}
	return ""
}

// CheckCI checks a ci.yaml (operator-pipelines: check_schema_operator_ci_config, check_catalog_usage_ci_config, task read-config).
func CheckCI(root *tree.Node) []Fault {
	c, s := &checker{}, ciSchema()
	c.check(root, &s, nameOfFile(root, "ci.yaml"))
	if root = MeantCI(root); !UsesTemplates(root) {
		for i := range c.faults {
			if f := &c.faults[i]; f.Fix == "write updateGraph" {
				f.Message, f.Accepted = f.Message+", and publish its bundles by replaces-mode", false
			}
		}
	}
	if mode := root.Get("updateGraph"); UsesTemplates(root) && mode != nil && mode.Kind != tree.Null {
		c.add(because("updateGraph", unusable), keyPlace(root, "updateGraph"), "remove updateGraph", "updateGraph beside fbc: the pipelines reject it, since the templates have the upgrades")
	}
	templates := map[string]string{}
	for _, mapping := range mappings(root) {
		names := mapping.Get("catalog_names")
		if names == nil {
			continue
		}
		here := map[string]bool{}
		for _, n := range names.Items {
			first, mapped := templates[n.Text]
			switch name := mapping.Str("template_name"); {
			case n.Kind != tree.String || here[n.Text]: // the schema says so
			case mapped:
				c.add(because("fbc.catalog_mapping", repeatedItem, n.Text), n.Place, "leave it to one of them", "the catalog %q is mapped to two templates, %q and %q: the pipelines reject it", n.Text, first, name)
			default:
				templates[n.Text] = name
			}
			here[n.Text] = true
		}
	}
	return c.sortedFaults()
}

// nameOfFile is what messages call the value of a whole file: nothing, if it has keys.
func nameOfFile(root *tree.Node, name string) string {
	if root.Kind == tree.Map {
		return ""
	}
	return name
}

// keyPlace returns the place of a key.
func keyPlace(n *tree.Node, key string) tree.Place {
	if f := n.Field(key); f != nil {
		return f.Place
	}
	return n.Place
}

// Mapping is an item of fbc.catalog_mapping: the catalogs that a template makes.
type Mapping struct {
	Template, Type Value
	Catalogs       []Value // as v4.18
}

// Value is a value of a file and its place; zero if there is none.
type Value struct {
	Value string
	tree.Place
}

// Mappings returns what a ci.yaml says which templates make which catalogs; nothing if it does not enable fbc.
func Mappings(ci *tree.Node) []Mapping {
	if !UsesTemplates(ci) {
		return nil
	}
	value := func(n *tree.Node) Value {
		if n == nil {
			return Value{}
		}
		return Value{n.Text, n.Place}
	}
	var all []Mapping
	for _, m := range mappings(ci) {
		found := Mapping{Template: value(m.Get("template_name")), Type: value(m.Get("type"))}
		if names := m.Get("catalog_names"); names != nil {
			for i := range names.Items {
				found.Catalogs = append(found.Catalogs, value(&names.Items[i]))
			}
		}
		all = append(all, found)
	}
	return all
}

// Template is a template of an operator.
type Template struct {
	Name, Schema string
	Created      bool // there is none, but the release of a bundle creates it; or why it cannot be read is told
}

// CheckMappings checks what a ci.yaml says which template makes which catalog, against the templates that there are, and the catalogs that the
// operator is in (operator-pipelines: fbc/Makefile, render_catalogs.sh).
func CheckMappings(ci *tree.Node, templates []Template, published []string) []Fault {
	c := &checker{}
	var names, toCreate []string
	schemas, made, created := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, t := range templates {
		if created[t.Name] = t.Created; t.Created {
			toCreate = append(toCreate, t.Name)
			continue
		}
		names = append(names, t.Name)
		schemas[t.Name] = t.Schema
	}
	for _, m := range Mappings(ci) {
		for _, name := range m.Catalogs {
			made[name.Value] = true
		}
		c.checkTemplate(&m, schemas, created, names, toCreate)
	}
	c.checkCatalogs(ci, published, made)
	return c.sortedFaults()
}

// checkTemplate checks the template of a mapping against those that there are, by their schemas, and those that a release creates.
func (c *checker) checkTemplate(m *Mapping, schemas map[string]string, created map[string]bool, names, toCreate []string) {
	switch schema, known := schemas[m.Template.Value]; {
	case m.Template.Value == "", created[m.Template.Value]: // of the first the schema says so
	case !known:
		fix := "add catalog-templates/" + m.Template.Value
		if near, ok := words.NearestVersioned(m.Template.Value, names); ok {
			fix = "write " + near
		} else if near, ok := words.NearestVersioned(m.Template.Value, toCreate); ok {
			fix = fmt.Sprintf("write %s, or %s in release-config.yaml, which creates it", near, m.Template.Value)
		}
		c.add(because("fbc.catalog_mapping.template_name", unknownName, m.Template.Value), m.Template.Place, fix, "there is no template %q in catalog-templates/: make catalogs fails", m.Template.Value)
	case schema == "":
		c.add(because("fbc.catalog_mapping.template_name", wrongValue, m.Template.Value), m.Template.Place, "give it a schema, "+words.List([]string{template.Basic, template.Semver}, "or"),
			"%q is not a template: make catalogs fails", m.Template.Value)
	case schema != template.Basic && schema != template.Semver, m.Type.Value != template.Basic && m.Type.Value != template.Semver: // that is told alone
	case schema != m.Type.Value:
		c.add(because("fbc.catalog_mapping.type", unusable, m.Template.Value, m.Type.Value), m.Type.Place, "write "+schema, "the type is %s, but the schema of %s is %s: make catalogs fails", m.Type.Value, m.Template.Value, schema)
	}
}

// checkCatalogs checks the names of catalogs in the mappings against those that the operator is published in, and the mappings make.
func (c *checker) checkCatalogs(ci *tree.Node, published []string, made map[string]bool) {
	at := keyPlace(ci.Get("fbc"), "catalog_mapping")
	missing := slices.DeleteFunc(slices.Clone(published), func(name string) bool { return made[name] })
	for _, m := range mappings(ci) {
		names := m.Get("catalog_names")
		if names == nil || len(names.Items) == 0 {
			missing = nil // of the mapping, which the schema reports
		}
		for i := 0; names != nil && i < len(names.Items); i++ {
			n := &names.Items[i]
			near, ok := nearestCatalog(n.Text, missing)
			if !ok && n.Kind == tree.String && !catalogName.MatchString(n.Text) {
				c.add(because("fbc.catalog_mapping.catalog_names", wrongValue, n.Text), n.Place, "write an OpenShift version, as v4.20", "%q is not an OpenShift version: no cluster gets its catalog", n.Text).Accepted = true
			}
			if !ok || slices.Contains(published, n.Text) {
				continue
			}
			missing = slices.DeleteFunc(missing, func(one string) bool { return one == near })
			if n.Kind == tree.String { // else the schema says so
				c.add(because("fbc.catalog_mapping.catalog_names", unknownName, n.Text), n.Place, "write "+near, "the operator is published in %s, not in %q: make catalogs removes it there", near, n.Text).Accepted = true
			}
		}
	}
	if published = missing; len(published) > 0 {
		for _, m := range mappings(ci) {
			for _, n := range m.Get("catalog_names").Items {
				if n.Text < published[0] && len(n.Text) == len(published[0]) {
					at = n.Place // the last one before, in the order of the file
				}
			}
		}
		c.add(because("fbc.catalog_mapping", append([]string{missingKey}, published...)...), at, "map a template to each of them; or remove the operator from those that it has left",
			"no template is mapped to %s, in which the operator is published: make catalogs removes it there", strings.Join(published, ", ")).Accepted = true
	}
}

// catalogName is the name of a catalog, which is an OpenShift version.
var catalogName = regexp.MustCompile(`^v\d\.\d\d?$`)

// nearestCatalog returns the catalog that a name probably means, which differs in one character: v4.2 is not in use any more.
func nearestCatalog(name string, catalogs []string) (string, bool) {
	i := slices.IndexFunc(catalogs, func(one string) bool {
		return words.Distance(name, one, 2) < 2 || len(catalogs) == 1 && !strings.HasPrefix(name, one[:2])
	})
	if i < 0 {
		return "", false
	}
	return catalogs[i], true
}

// mappings returns the items of fbc.catalog_mapping.
func mappings(ci *tree.Node) []tree.Node {
	if list := ci.At("fbc", "catalog_mapping"); list != nil {
		return list.Items
	}
	return nil
}

// CheckReleaseSchema checks a release-config.yaml alone (operator-pipelines: check_validate_schema_bundle_release_config). An empty one is
// none.
func CheckReleaseSchema(root *tree.Node) []Fault {
	c, s := &checker{}, releaseSchema()
	if root.Kind != tree.Null {
		c.check(root, &s, nameOfFile(root, "release-config.yaml"))
	}
	return c.sortedFaults()
}

// CheckRelease checks a release-config.yaml against the ci.yaml of its operator, which may be nil, and the templates that exist (operator-pipelines:
// check_bundle_release_config, release_bundle_to_fbc).
func CheckRelease(root, ci *tree.Node, exists func(template string) bool) []Fault {
	c := &checker{}
	if root.Kind != tree.Map { // CheckReleaseSchema says so
		return nil
	}
	if !UsesTemplates(ci) {
		c.add(because("", unusable), root.Place, "set fbc.enabled: true in ci.yaml, or remove the file",
			"a release-config.yaml, but ci.yaml does not enable fbc: the pipelines reject it")
		return c.sortedFaults()
	}
	if templates := root.Get("catalog_templates"); templates != nil {
		created := func(name string) bool {
			return slices.ContainsFunc(templates.Items, func(n tree.Node) bool { return n.Str("template_name") == name })
		}
		for i := range templates.Items {
			c.releaseTemplate(&templates.Items[i], ci, exists, created)
		}
	}
	return c.sortedFaults()
}

// releaseTemplate checks an item of catalog_templates. Templates exist, or are created by the release.
func (c *checker) releaseTemplate(item, ci *tree.Node, exists, created func(string) bool) {
	name, channels := item.Get("template_name"), item.Get("channels")
	if name == nil || name.Kind != tree.String || channels == nil {
		return
	}
	var listed []string
	for _, n := range channels.Items {
		listed = append(listed, n.Text)
	}
	if n := item.Get("defaultChannel"); n != nil && n.Text != "" && !slices.Contains(listed, n.Text) {
		c.add(because("catalog_templates.defaultChannel", unknownName, n.Text), n.Place, "add it to channels, or name one of them", "the defaultChannel %q is not in channels: the pipelines reject it", n.Text)
	}
	var mapped []string
	for _, m := range mappings(ci) {
		if mapped = append(mapped, m.Str("template_name")); m.Str("template_name") == name.Text {
			c.semverTemplate(item, channels, m.Str("type"))
			return
		}
	}
	fix := fmt.Sprintf("add %q to catalog_mapping in ci.yaml", name.Text)
	switch near, ok := words.NearestVersioned(name.Text, mapped); {
	case ok && !exists(near) && !created(near):
		return // the name in ci.yaml may be misspelt: CheckMappings says so
	case ok && !exists(name.Text):
		fix = "write " + near
	}
	c.add(because("catalog_templates.template_name", unknownName, name.Text), name.Place, fix, "the template %q is not in catalog_mapping of ci.yaml: the pipelines reject it", name.Text)
}

// CheckReleaseEntries checks what a release-config.yaml adds to channels of basic templates. csv is the name of the bundle, and channels
// returns the channels of a template that have a name (operator-pipelines: add_bundle_to_fbc BasicTemplate.amend, which adds an entry unless an
// identical one is there).
func CheckReleaseEntries(root *tree.Node, csv string, channels func(template, name string) []tree.Node) []Fault {
	c := &checker{}
	items := root.Get("catalog_templates")
	if items == nil {
		return nil
	}
	for i := range items.Items {
		item := &items.Items[i]
		names := item.Get("channels")
		if names == nil {
			continue
		}
		for _, name := range names.Items {
			template := item.Str("template_name")
			if other := otherEntry(item, csv, channels(template, name.Text)); other != nil {
				at := name.Place
				for _, key := range []string{"replaces", "skips", "skipRange"} {
					if n := item.Get(key); n != nil && (other.Get(key) == nil || !equal(n, other.Get(key))) {
						at = n.Place
					}
				}
				c.add(because("catalog_templates.channels", repeatedItem, template, name.Text, csv), at, "give both the same edges, or remove the entry from "+template,
					"%q is already in channel %q of %s, and %s, but here it %s: the pipelines add a second entry of that name, which opm rejects",
					csv, name.Text, template, describeEdges(other), describeEdges(item))
			}
		}
	}
	return c.sortedFaults()
}

// otherEntry returns an entry of a bundle that differs from the one that a release adds, if there is none that does not.
func otherEntry(item *tree.Node, csv string, channels []tree.Node) *tree.Node {
	var other *tree.Node
	for i := range channels {
		entries := channels[i].Get("entries")
		for j := 0; entries != nil && j < len(entries.Items); j++ {
			e := &entries.Items[j]
			switch {
			case e.Str("name") != csv:
			case describeEdges(e) == describeEdges(item):
				return nil
			default:
				other = e
			}
		}
	}
	return other
}

// describeEdges says what an entry, or an item of catalog_templates, replaces and skips.
func describeEdges(n *tree.Node) string {
	var parts []string
	for _, key := range []string{"replaces", "skips", "skipRange"} {
		if v := n.Get(key); v != nil {
			parts = append(parts, fmt.Sprintf("%s %s", key, v.AppendJSON(nil)))
		}
	}
	if len(parts) == 0 {
		return "has no edges"
	}
	return "has " + strings.Join(parts, ", ")
}

// semverTemplate checks what only templates of type olm.semver require. The pipelines append the bundle to its channels, and take
// nothing else from the item (operator-pipelines: SemverTemplate.amend).
func (c *checker) semverTemplate(item, channels *tree.Node, kind string) {
	if kind != template.Semver {
		return
	}
	allowed := []string{"Fast", "Candidate", "Stable"}
	for _, n := range channels.Items {
		if n.Kind == tree.String && !slices.Contains(allowed, n.Text) {
			c.add(because("catalog_templates.channels", unknownName, n.Text), n.Place, writeOne(n.Text, allowed), "the channel %q of a template of type %s: the pipelines accept only %s", n.Text, kind, words.List(allowed, "or"))
		}
	}
	for _, key := range []string{"defaultChannel", "replaces", "skips", "skipRange"} {
		if item.Get(key) != nil {
			c.add(because("catalog_templates."+key, unusable), keyPlace(item, key), "remove it", "%s for a template of type %s: the pipelines ignore it, since versions make the upgrades", key, kind).Accepted = true
		}
	}
}

// CheckRepository checks the config.yaml of a repository. One without any key that the pipelines read is that of another program.
func CheckRepository(root *tree.Node) []Fault {
	c, s := &checker{}, repositorySchema()
	if !slices.ContainsFunc(s.fields, func(f field) bool { return root.Get(f.name) != nil }) {
		return nil
	}
	c.check(root, &s, "")
	organizations := Organizations()
	if n := root.Get("organization"); n != nil && n.Kind == tree.String && !slices.Contains(organizations, n.Text) {
		c.add(because("organization", unknownName, n.Text), n.Place, writeOne(n.Text, organizations), "organization is %q: the pipelines know only %s", n.Text, words.List(organizations, "or")).Accepted = true
	}
	return c.sortedFaults()
}
