package crd

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// additionalDifferences are the differences in what other fields an object takes. Where nothing is said of them, an API server drops them
// before it validates or stores an object, unless unknown ones are kept (apiextensions-apiserver: pruning).
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
		d.text, d.narrows = "accepts no other fields any more", true
	case d.is == "dropped":
		d.text = "drops other fields now"
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

// otherFields says which other fields an object takes.
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

// combinations are schemas that are put together. Of anyOf one has to be satisfied, so that fewer are stricter, and of allOf
// all; of oneOf and not, any difference can be.
var combinations = []struct {
	field string
	of    func(*v1.JSONSchemaProps) []v1.JSONSchemaProps
}{
	{"allOf", func(s *v1.JSONSchemaProps) []v1.JSONSchemaProps { return s.AllOf }},
	{"anyOf", func(s *v1.JSONSchemaProps) []v1.JSONSchemaProps { return s.AnyOf }},
	{"oneOf", func(s *v1.JSONSchemaProps) []v1.JSONSchemaProps { return s.OneOf }},
	{"not", func(s *v1.JSONSchemaProps) []v1.JSONSchemaProps { return single(s.Not) }},
}

func single(s *v1.JSONSchemaProps) []v1.JSONSchemaProps {
	if s == nil {
		return nil
	}
	return []v1.JSONSchemaProps{*s}
}

// combinationDifferences are the differences in schemas that are put together.
func (f *differ) combinationDifferences(a, b *v1.JSONSchemaProps) []difference {
	var found []difference
	for _, c := range combinations {
		was, is := c.of(a), c.of(b)
		switch {
		case len(was) == len(is):
			found = append(found, f.partDifferences(c.field, was, is)...)
		case c.field == "anyOf" && !a.XIntOrString && b.XIntOrString && !slices.ContainsFunc(is, notIntOrString): // its type says so
		default:
			found = append(found, f.countDifference(c.field, was, is))
		}
	}
	return found
}

// notIntOrString says whether a part is more than one of the two types that go with intOrString.
func notIntOrString(s v1.JSONSchemaProps) bool {
	return !sameTree(&s, &v1.JSONSchemaProps{Type: "integer"}) && !sameTree(&s, &v1.JSONSchemaProps{Type: "string"})
}

// partDifferences are the differences of as many schemas that are put together.
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

// sameInAnyOrder says whether two lists have the same schemas.
func (f *differ) sameInAnyOrder(a, b []v1.JSONSchemaProps) bool {
	return f.containsAll(a, b) && f.containsAll(b, a)
}

// containsAll says whether a has all schemas of b, if it is not too much to find out.
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

// withoutIntOrString leaves out the flag that a field is an integer or a string where its type says so.
func withoutIntOrString(all []difference) []difference {
	typed := slices.ContainsFunc(all, func(d difference) bool { return d.field == "type" && d.is == eitherType })
	return slices.DeleteFunc(all, func(d difference) bool { return typed && d.field == intOrString })
}

// countDifference words that other schemas are put together, and not as many.
func (f *differ) countDifference(field string, was, is []v1.JSONSchemaProps) difference {
	d := difference{field: field, was: fmt.Sprint(len(was)), is: fmt.Sprint(len(is))}
	switch {
	case len(is) == 0:
		d.is, d.text = "", fmt.Sprintf("has no %s any more", field)
	case len(was) == 0:
		d.was, d.text, d.narrows = "", fmt.Sprintf("must satisfy %s now", field), true
	default:
		d.text = fmt.Sprintf("has an %s of %d now, was of %d", field, len(is), len(was))
		d.narrows = !(field == "allOf" && f.containsAll(was, is)) && !(field == "anyOf" && f.containsAll(is, was))
	}
	return d
}

// differencesBelow lists all differences of two schemas and of their properties and items, as ones of the field that they stand in.
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

// firstDifferences is as many differences as anyone reads, and one that narrows if any does.
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

// propertyDifferences lists what differs in the properties of two schemas. A new one can only be in an object, and not fit, where a was
// open to it.
func (f *differ) propertyDifferences(field string, a, b *v1.JSONSchemaProps) []difference {
	var found []difference
	for _, name := range slices.Sorted(maps.Keys(a.Properties)) {
		was := a.Properties[name]
		if is, ok := b.Properties[name]; !ok {
			found = append(found, difference{path: "." + name, text: "is gone"})
		} else if !sameNode(&was, &is) || len(was.Properties) > 0 || was.Items != nil {
			found = append(found, f.differencesBelow(field, "."+name, &was, &is)...)
		}
	}
	for _, name := range missing(slices.Collect(maps.Keys(b.Properties)), slices.Collect(maps.Keys(a.Properties))) {
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

// otherDifferences are those in schemas that no structural schema has.
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
