package crd

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// additionalDifferences returns the differences in which other fields an object accepts. By default an API server drops them before
// it validates or stores an object, unless unknown fields are kept (apiextensions-apiserver: pruning).
func (f *differ) additionalDifferences(a, b *v1.JSONSchemaProps) []difference {
	const field = additionalField
	was, is := a.AdditionalProperties, b.AdditionalProperties
	if equality.Semantic.DeepEqual(was, is) {
		return nil
	}
	d := difference{field: field, was: f.otherFields(a), is: f.otherFields(b)}
	switch {
	case d.was == bySchema && d.is == bySchema:
		return f.differencesBelow(field, "[*]", was.Schema, is.Schema)
	case d.was == d.is:
		d.text = sameMeaning(field)
	case d.is == "none":
		d.text, d.narrows = "no longer accepts other fields", true
	case d.is == "dropped":
		d.text, d.loses = "drops other fields now", true
	case d.is == bySchema && d.was == "any":
		d.text, d.narrows = "accepts other fields only by a schema now", true
	case d.is == bySchema:
		d.text = "accepts other fields now, by a schema"
	default:
		d.text = "accepts any other fields now"
	}
	if is == nil {
		d.is = ""
	}
	return []difference{d}
}

const (
	additionalField = "additionalProperties"
	bySchema        = "by a schema"
)

// otherFields returns which other fields an object accepts.
func (f *differ) otherFields(s *v1.JSONSchemaProps) string {
	switch p := s.AdditionalProperties; {
	case p != nil && p.Schema != nil:
		return bySchema
	case p != nil && !p.Allows:
		return "none"
	case p == nil && !f.keepsUnknown && !isTrue(s.XPreserveUnknownFields):
		return "dropped"
	}
	return "any"
}

// combinations are the fields that combine schemas. A value must match one of anyOf, so fewer are stricter, and all of allOf; of
// oneOf and not, any difference may be stricter.
var combinations = []struct {
	field string
	of    func(*v1.JSONSchemaProps) []v1.JSONSchemaProps
}{
	{"allOf", func(s *v1.JSONSchemaProps) []v1.JSONSchemaProps { return s.AllOf }},
	{"anyOf", func(s *v1.JSONSchemaProps) []v1.JSONSchemaProps { return s.AnyOf }},
	{"oneOf", func(s *v1.JSONSchemaProps) []v1.JSONSchemaProps { return s.OneOf }},
	{"not", func(s *v1.JSONSchemaProps) []v1.JSONSchemaProps { return schemaSlice(s.Not) }},
}

func schemaSlice(s *v1.JSONSchemaProps) []v1.JSONSchemaProps {
	if s == nil {
		return nil
	}
	return []v1.JSONSchemaProps{*s}
}

// combinationDifferences returns the differences in combined schemas.
func (f *differ) combinationDifferences(a, b *v1.JSONSchemaProps) []difference {
	var found []difference
	for _, c := range combinations {
		was, is := c.of(a), c.of(b)
		switch {
		case len(was) == len(is):
			found = append(found, f.partDifferences(c.field, was, is)...)
		case c.field == "anyOf" && !a.XIntOrString && b.XIntOrString && !slices.ContainsFunc(is, notIntOrString): // the difference of the type includes it
		default:
			found = append(found, f.countDifference(c.field, was, is))
		}
	}
	return found
}

// notIntOrString reports whether a part is more than one of the two types of intOrString.
func notIntOrString(s v1.JSONSchemaProps) bool {
	return !sameTree(&s, &v1.JSONSchemaProps{Type: "integer"}) && !sameTree(&s, &v1.JSONSchemaProps{Type: "string"})
}

// partDifferences returns the differences of two combinations of the same length.
func (f *differ) partDifferences(field string, was, is []v1.JSONSchemaProps) []difference {
	if sameTrees(was, is) {
		return nil
	}
	if f.sameInAnyOrder(was, is) {
		return []difference{{field: field, text: "has " + field + " in another order, which means the same"}}
	}
	var found []difference
	for i := range is {
		for _, d := range f.differencesBelow(field, fmt.Sprintf(".%s[%d]", field, i), &was[i], &is[i]) {
			d.narrows = d.narrows || !d.annotation && (field == "oneOf" || field == "not")
			found = append(found, d)
		}
	}
	return found
}

// sameInAnyOrder reports whether two lists have the same schemas.
func (f *differ) sameInAnyOrder(a, b []v1.JSONSchemaProps) bool {
	return f.containsAll(a, b) && f.containsAll(b, a)
}

// containsAll reports whether a has all schemas of b. It returns false if that takes too long to determine.
func (f *differ) containsAll(a, b []v1.JSONSchemaProps) bool {
	if f.budget -= 100 * len(b); f.budget <= 0 || len(a) > 16 {
		return false
	}
	for i := range b {
		if !slices.ContainsFunc(a, func(s v1.JSONSchemaProps) bool { return sameTree(&s, &b[i]) }) {
			return false
		}
	}
	return true
}

// withoutIntOrString leaves out the difference of intOrString if that of the type includes it.
func withoutIntOrString(all []difference) []difference {
	typed := slices.ContainsFunc(all, func(d difference) bool { return d.field == "type" && d.is == eitherType })
	return slices.DeleteFunc(all, func(d difference) bool { return typed && d.field == intOrString })
}

// countDifference returns the difference of two combinations of different length.
func (f *differ) countDifference(field string, was, is []v1.JSONSchemaProps) difference {
	d := difference{field: field, was: fmt.Sprint(len(was)), is: fmt.Sprint(len(is))}
	switch {
	case len(is) == 0:
		d.is, d.text = "", fmt.Sprintf("has no %s now", field)
	case len(was) == 0:
		d.was, d.text, d.narrows = "", fmt.Sprintf("must satisfy %s now", field), true
	default:
		d.text = fmt.Sprintf("has an %s of %d now, was of %d", field, len(is), len(was))
		d.narrows = !(field == "allOf" && f.containsAll(was, is)) && !(field == "anyOf" && f.containsAll(is, was))
	}
	return d
}

// differencesBelow returns all differences of two schemas, their properties and items, as differences of the field that contains
// the schemas.
func (f *differ) differencesBelow(field, under string, a, b *v1.JSONSchemaProps) []difference {
	if f.budget--; f.budget <= 0 {
		return []difference{{field: field, path: under, text: "differs", narrows: true}}
	}
	found := slices.Concat(withoutIntOrString(f.differences(a, b)), f.propertyDifferences(field, a, b), f.itemDifferences(field, a.Items, b.Items))
	found = firstDifferences(found)
	for i := range found {
		found[i].field, found[i].path = field, under+found[i].path
	}
	return found
}

// firstDifferences returns at most maxDifferences, with one that narrows if any does.
func firstDifferences(found []difference) []difference {
	if len(found) <= maxDifferences {
		return found
	}
	narrows := slices.IndexFunc(found, func(d difference) bool { return d.narrows })
	if narrows >= maxDifferences {
		found[maxDifferences-1] = found[narrows]
	}
	return found[:maxDifferences]
}

const maxDifferences = 40

// propertyDifferences returns the differences in the properties of two schemas. An added property narrows only if a accepted other
// fields.
func (f *differ) propertyDifferences(field string, a, b *v1.JSONSchemaProps) []difference {
	var found []difference
	for _, name := range slices.Sorted(maps.Keys(a.Properties)) {
		was := a.Properties[name]
		if is, ok := b.Properties[name]; !ok {
			found = append(found, difference{path: "." + name, text: "was removed", loses: field == additionalField})
		} else if !sameNode(&was, &is) || len(was.Properties) > 0 || was.Items != nil {
			found = append(found, f.differencesBelow(field, "."+name, &was, &is)...)
		}
	}
	for _, name := range missingValues(slices.Collect(maps.Keys(b.Properties)), slices.Collect(maps.Keys(a.Properties))) {
		added := []difference{{text: "is new", narrows: field != additionalField}}
		if is := b.Properties[name]; field == additionalField {
			if taken := f.narrowedByAddition(a, ".properties", &is); len(taken) > 0 {
				added = taken
			}
		}
		for _, d := range added {
			d.path = "." + name + d.path
			found = append(found, d)
		}
	}
	return found
}

func (f *differ) itemDifferences(field string, a, b *v1.JSONSchemaPropsOrArray) []difference {
	switch {
	case a != nil && b != nil && a.Schema != nil && b.Schema != nil:
		return f.differencesBelow(field, "[*]", a.Schema, b.Schema)
	case !equality.Semantic.DeepEqual(a, b):
		return []difference{{text: "has items by another schema now", narrows: b != nil}}
	}
	return nil
}

// otherDifferences returns the differences in fields that no structural schema has.
func otherDifferences(a, b *v1.JSONSchemaProps) []difference {
	var found []difference
	for _, part := range []struct {
		field   string
		was, is any
	}{
		{"patternProperties", a.PatternProperties, b.PatternProperties}, {"dependencies", a.Dependencies, b.Dependencies},
		{"additionalItems", a.AdditionalItems, b.AdditionalItems}, {"definitions", a.Definitions, b.Definitions},
	} {
		if !equality.Semantic.DeepEqual(part.was, part.is) {
			found = append(found, difference{field: part.field, text: "has other " + part.field + " now", narrows: true})
		}
	}
	return found
}
