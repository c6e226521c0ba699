package changes

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
)

func (c *comparison) compareCRDs() {
	for _, old := range c.pkg.CRDs(c.from) {
		name := "CRD " + old.Manifest.Name
		new := c.pkg.CRD(c.to, old.Manifest.Name)
		switch {
		case new == nil: // told as a reason
		case old.Outline == nil || new.Outline == nil:
			c.add(CRDs, true, name, "cannot be read")
		default:
			c.compareCRD(name, old, new)
		}
	}
	for _, new := range c.pkg.CRDs(c.to) {
		if c.pkg.CRD(c.from, new.Manifest.Name) == nil && new.Outline != nil {
			var versions []string
			for _, v := range new.Versions {
				versions = append(versions, v.Name)
			}
			c.add(CRDs, false, "CRD "+new.Manifest.Name, "is new: "+strings.Join(versions, ", "))
		}
	}
}

func (c *comparison) compareCRD(name string, old, new *judge.CRD) {
	for _, change := range judge.VersionChanges(old.Outline, new.Outline) {
		if !change.Lost { // told as a reason
			c.add(CRDs, false, name, change.Message)
		}
	}
	if old.Conversion != new.Conversion {
		c.add(CRDs, false, name, fmt.Sprintf("conversion %s → %s", old.Conversion, new.Conversion))
	}
	if old.Manifest.Object == new.Manifest.Object {
		return
	}
	changes, err := c.pkg.Changes(c.from, c.to, old, new)
	if err != nil {
		c.add(CRDs, false, name, "schemas are not compared: "+err.Error())
	}
	for _, change := range changes {
		if change.Field == "description" && c.olm == graph.V0 {
			continue
		}
		breaks := c.olm == graph.V1 || slices.Contains([]string{"type", "required", "existingFieldRemoval", "scope"}, change.Check)
		c.add(CRDs, breaks, name, strings.TrimPrefix(change.Version+": "+change.Message, ": "))
	}
	c.compareDefinition(name, old, new)
	c.addFields(name, old, new)
}

// compareDefinition compares what is neither a version nor a schema of a CRD.
func (c *comparison) compareDefinition(name string, old, new *judge.CRD) {
	definition := func(of *judge.CRD) any {
		raw := decodeObject(of.Manifest)
		spec := omitKeys(raw["spec"], "conversion", "validation", "scope", "preserveUnknownFields", "version")
		versions, _ := spec["versions"].([]any)
		var kept []any
		for _, v := range versions {
			kept = append(kept, omitKeys(v, "schema", "served", "storage", "deprecated", "deprecationWarning"))
		}
		spec["versions"] = kept
		return spec
	}
	was, is := definition(old), definition(new)
	for _, f := range differences("", was, is, false) {
		if !strings.HasPrefix(f.Path, "versions[") || strings.Contains(f.Path, "].") { // versions are told already
			c.add(CRDs, f.Is == nil && strings.Contains(f.Path, "subresources"), name, f.Path+" "+f.say())
		}
	}
}

// addFields adds which fields of the schemas are new, without those below a new one.
func (c *comparison) addFields(name string, old, new *judge.CRD) {
	before, after := schemas(old), schemas(new)
	for _, version := range slices.Sorted(maps.Keys(after)) {
		if was, ok := before[version]; ok {
			if added := newFields("", was, after[version]); len(added) > 0 {
				c.add(CRDs, false, name, version+" has new fields: "+strings.Join(added, ", "))
			}
		}
	}
}

// schemas returns the schemas of a CRD by version.
func schemas(of *judge.CRD) map[string]any {
	raw, found := decodeObject(of.Manifest), map[string]any{}
	versions, _ := lookup(raw, "spec", "versions").([]any)
	for _, v := range versions {
		schema := lookup(v, "schema", "openAPIV3Schema")
		if schema == nil {
			schema = lookup(raw, "spec", "validation", "openAPIV3Schema") // of v1beta1
		}
		if name, ok := lookup(v, "name").(string); ok {
			found[name] = schema
		}
	}
	return found
}

// newFields returns the paths of the fields that only the newer schema has.
func newFields(path string, was, is any) (all []string) {
	before, _ := lookup(was, "properties").(map[string]any)
	after, _ := lookup(is, "properties").(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		below := strings.TrimPrefix(path+"."+name, ".")
		if old, ok := before[name]; ok {
			all = append(all, newFields(below, old, after[name])...)
		} else {
			all = append(all, below)
		}
	}
	for _, below := range [][2]string{{"items", "[]"}, {"additionalProperties", ".*"}} {
		if old, new := lookup(was, below[0]), lookup(is, below[0]); old != nil && new != nil {
			all = append(all, newFields(path+below[1], old, new)...)
		}
	}
	return all
}
