package crd

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// difference is one field of a schema that differs between two.
type difference struct {
	field      string // as JSON names it: maximum, x-kubernetes-validations
	was, is    string
	text       string   // follows the subject: may be 10 at most, was 20
	properties []string // the properties that are the subject, if the field is not
	narrows    bool
	unlikely   bool   // to reject an object: it has a limit that hardly any exceeds
	loses      bool   // values are dropped
	annotation bool   // it does not validate
	path       string // from the compared schemas to those below that differ, "" for themselves
}

// rejects reports whether an object that was valid can fail the new schema. The API server checks rules, list types and embedded objects
// when an object is written, and OLM v0 does not check them (catalog operator: validateExistingCRs, by ValidateCustomResource).
func (d difference) rejects() bool {
	return d.narrows && (d.field == intOrString || !strings.HasPrefix(d.field, "x-kubernetes-"))
}

// differ finds differences, and reports them without details once its budget is spent.
type differ struct {
	budget       int  // how many schemas below may still be compared
	keepsUnknown bool // unknown fields are kept in all of the older definition (spec.preserveUnknownFields)
}

// differences returns the fields in which two schemas differ, except their properties and items.
func (f *differ) differences(a, b *v1.JSONSchemaProps) []difference {
	return slices.Concat(ownDifferences(a, b), f.additionalDifferences(a, b), f.combinationDifferences(a, b), otherDifferences(a, b))
}

// ownDifferences returns the differences in fields that contain no schemas.
func ownDifferences(a, b *v1.JSONSchemaProps) []difference {
	return slices.Concat(typeDifference(a, b), enumDifference(a, b), limitDifferences(a, b), requiredDifference(a, b),
		textDifferences(a, b), flagDifferences(a, b), formDifferences(a, b), ruleDifferences(a, b))
}

// limits are the bounds of numbers, strings, lists and objects. Hardly any object exceeds an upper one from ample on: that of ports, of
// the names in Kubernetes, and more items or fields than people write.
var limits = []struct {
	field, words string // text has the limit as %s
	ample        float64
	of           func(*v1.JSONSchemaProps) *float64
}{
	{"maximum", "must be at most %s", 65535, func(s *v1.JSONSchemaProps) *float64 { return s.Maximum }},
	{"minimum", "must be at least %s", 0, func(s *v1.JSONSchemaProps) *float64 { return s.Minimum }},
	{"maxLength", "must have at most %s characters", 253, func(s *v1.JSONSchemaProps) *float64 { return number(s.MaxLength) }},
	{"minLength", "must have at least %s characters", 0, func(s *v1.JSONSchemaProps) *float64 { return number(s.MinLength) }},
	{"maxItems", "must have at most %s items", 64, func(s *v1.JSONSchemaProps) *float64 { return number(s.MaxItems) }},
	{"minItems", "must have at least %s items", 0, func(s *v1.JSONSchemaProps) *float64 { return number(s.MinItems) }},
	{"maxProperties", "must have at most %s fields", 64, func(s *v1.JSONSchemaProps) *float64 { return number(s.MaxProperties) }},
	{"minProperties", "must have at least %s fields", 0, func(s *v1.JSONSchemaProps) *float64 { return number(s.MinProperties) }},
}

func number(n *int64) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

func limitDifferences(a, b *v1.JSONSchemaProps) []difference {
	var found []difference
	for _, l := range limits {
		was, is := l.of(a), l.of(b)
		if equality.Semantic.DeepEqual(was, is) {
			continue
		}
		d := difference{field: l.field, was: digits(was), is: digits(is), unlikely: l.ample > 0 && is != nil && *is >= l.ample}
		words := l.words
		if d.is == "1" {
			words = strings.NewReplacer("characters", "character", "items", "item", "fields", "field").Replace(words)
		}
		switch {
		case is == nil:
			d.text = fmt.Sprintf("has no %s now, was %s", l.field, d.was)
		case was == nil:
			d.text, d.narrows = fmt.Sprintf(words, d.is)+" now", true
		default:
			d.text, d.narrows = fmt.Sprintf(words, d.is)+", was "+d.was, (l.ample > 0) == (*is < *was)
		}
		found = append(found, d)
	}
	return found
}

func digits(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

func typeDifference(a, b *v1.JSONSchemaProps) []difference {
	if a.Type == b.Type {
		return nil
	}
	d := difference{field: "type", was: schemaType(a), is: schemaType(b)}
	d.narrows = d.is != "" && (d.was != "integer" || d.is != "number") && (d.is != eitherType || d.was != "integer" && d.was != "string")
	d.narrows = d.narrows || d.is == "" && b.Format != "" // it includes the type
	d.text = describeField("type", d.was, d.is)
	if d.was != "" && d.is != "" {
		d.text = fmt.Sprintf("is %s now, was %s", words.WithArticle(d.is), words.WithArticle(d.was))
	}
	return []difference{d}
}

// intOrString is the field by which a schema without a type is one of eitherType.
const (
	intOrString = "x-kubernetes-int-or-string"
	eitherType  = "integer or string"
)

func schemaType(s *v1.JSONSchemaProps) string {
	if s.Type == "" && s.XIntOrString {
		return eitherType
	}
	return formatValue(s.Type)
}

func enumDifference(a, b *v1.JSONSchemaProps) []difference {
	was, is := rawJSONs(a.Enum), rawJSONs(b.Enum)
	gone, added := missingValues(was, is), missingValues(is, was)
	d := difference{field: "enum", was: formatList(was), is: formatList(is)}
	switch {
	case len(gone)+len(added) == 0:
		return nil
	case len(is) == 0:
		d.text = "may have any value now, was one of " + d.was
	case len(was) == 0:
		d.text, d.narrows = "may only be one of "+d.is+" now", true
	case len(gone) > 0:
		d.text, d.narrows = "may no longer be "+words.Or(words.Map(gone, formatValue)), true
	default:
		d.text = "may be " + words.Or(words.Map(added, formatValue)) + " now"
	}
	return []difference{d}
}

func requiredDifference(a, b *v1.JSONSchemaProps) []difference {
	gone, added := missingValues(a.Required, b.Required), missingValues(b.Required, a.Required)
	d := difference{field: "required", was: formatList(a.Required), is: formatList(b.Required)}
	switch {
	case len(gone)+len(added) == 0:
		return nil
	case len(added) > 0:
		d.text, d.properties, d.narrows = "is required now", added, true
	default:
		d.text, d.properties = "is no longer required", gone
	}
	return []difference{d}
}

// texts are fields with one value. Those with narrows set reject some objects when they are set or changed.
var texts = []struct {
	field   string
	narrows bool
	of      func(*v1.JSONSchemaProps) string
}{
	{"default", false, func(s *v1.JSONSchemaProps) string { return rawJSON(s.Default) }},
	{"format", true, func(s *v1.JSONSchemaProps) string { return s.Format }},
	{"pattern", true, func(s *v1.JSONSchemaProps) string { return s.Pattern }},
	{"multipleOf", true, func(s *v1.JSONSchemaProps) string { return digits(s.MultipleOf) }},
	{listType, true, func(s *v1.JSONSchemaProps) string { return cmp.Or(deref(s.XListType), atomic) }},
	{"x-kubernetes-list-map-keys", true, func(s *v1.JSONSchemaProps) string { return strings.Join(s.XListMapKeys, ", ") }},
	{mapType, false, func(s *v1.JSONSchemaProps) string { return cmp.Or(deref(s.XMapType), granular) }},
	{"title", false, func(s *v1.JSONSchemaProps) string { return s.Title }},
	{"description", false, func(s *v1.JSONSchemaProps) string { return s.Description }},
	{"example", false, func(s *v1.JSONSchemaProps) string { return rawJSON(s.Example) }},
	{"externalDocs", false, func(s *v1.JSONSchemaProps) string { return docs(s.ExternalDocs) }},
	{"id", false, func(s *v1.JSONSchemaProps) string { return s.ID }},
	{"$schema", false, func(s *v1.JSONSchemaProps) string { return string(s.Schema) }},
	{"$ref", true, func(s *v1.JSONSchemaProps) string { return deref(s.Ref) }},
}

// annotations are the fields that do not validate.
var annotations = []string{"default", "title", "description", "example", "externalDocs", "id", "$schema"}

// maxPattern is the length of the longest pattern in which alternatives are looked for, in bytes.
const maxPattern = 4096

// addsAlternative reports whether a pattern is another one with one more word in a list of alternatives, so that it matches all that the
// other one matches.
func addsAlternative(was, is string) bool {
	n, start := len(is)-len(was), 0
	if len(is) > maxPattern {
		return false
	}
	for start < len(was) && start < len(is) && was[start] == is[start] {
		start++
	}
	for ; n > 1 && start >= 0; start-- { // what was added can often be read from several places
		if end := start + n; end <= len(is) && is[:start]+is[end:] == was && isAlternative(is[:start], is[start:end], is[end:]) {
			return true
		}
	}
	return false
}

// isAlternative reports whether a part of a pattern is an alternative in a group, with the | before it.
func isAlternative(before, part, after string) bool {
	inGroup := strings.HasPrefix(after, "|") || strings.HasPrefix(after, ")")
	escaped := strings.HasSuffix(before, `\`)
	return inGroup && !escaped && strings.Count(before, "[") == strings.Count(before, "]") && alternative.MatchString(part)
}

var alternative = regexp.MustCompile(`^\|[\pL\d]+$`)

func textDifferences(a, b *v1.JSONSchemaProps) []difference {
	var found []difference
	for _, t := range texts {
		was, is := t.of(a), t.of(b)
		if was != is {
			d := difference{field: t.field, narrows: t.narrows && is != "" && is != atomic && !(t.field == "pattern" && addsAlternative(was, is)), annotation: slices.Contains(annotations, t.field)}
			d.unlikely = t.field == "format" && (is == "int32" || is == "int64") // few integers are that large
			d.was, d.is = contrast(was, is)
			d.text = describeField(t.field, d.was, d.is)
			found = append(found, d)
		}
	}
	return found
}

// unknownFields is the field by which an object keeps values that no schema describes.
const unknownFields = "x-kubernetes-preserve-unknown-fields"

// flags are boolean fields, with the message for each value.
var flags = []struct {
	field, on, off        string
	narrowsOn, narrowsOff bool
	of                    func(*v1.JSONSchemaProps) bool
}{
	{"nullable", "may be null now", "may no longer be null", false, true,
		func(s *v1.JSONSchemaProps) bool { return s.Nullable }},
	{"uniqueItems", "must have unique items now", "may have duplicate items now", true, false,
		func(s *v1.JSONSchemaProps) bool { return s.UniqueItems }},
	{"exclusiveMaximum", "must be less than its maximum now", "may equal its maximum now", true, false,
		func(s *v1.JSONSchemaProps) bool { return s.ExclusiveMaximum }},
	{"exclusiveMinimum", "must be greater than its minimum now", "may equal its minimum now", true, false,
		func(s *v1.JSONSchemaProps) bool { return s.ExclusiveMinimum }},
	{unknownFields, "keeps unknown fields now", "loses unknown fields now", false, false,
		func(s *v1.JSONSchemaProps) bool { return isTrue(s.XPreserveUnknownFields) }},
	{"x-kubernetes-embedded-resource", "must be a whole Kubernetes object now", "no longer has to be a whole Kubernetes object", true, false,
		func(s *v1.JSONSchemaProps) bool { return s.XEmbeddedResource }},
	{intOrString, "may be an integer or a string now", "may no longer be either integer or string", false, true,
		func(s *v1.JSONSchemaProps) bool { return s.XIntOrString }},
}

func flagDifferences(a, b *v1.JSONSchemaProps) []difference {
	var found []difference
	for _, f := range flags {
		was, is := f.of(a), f.of(b)
		switch {
		case was && !is:
			found = append(found, difference{field: f.field, was: "true", text: f.off, narrows: f.narrowsOff, loses: f.field == unknownFields})
		case is && !was:
			found = append(found, difference{field: f.field, is: "true", text: f.on, narrows: f.narrowsOn || f.field == intOrString && a.Type == ""})
		}
	}
	return found
}

// formDifferences returns differences in notation: a flag that is false or a type that is the default, instead of absent.
func formDifferences(a, b *v1.JSONSchemaProps) []difference {
	var found []difference
	if (a.XPreserveUnknownFields == nil) != (b.XPreserveUnknownFields == nil) && isTrue(a.XPreserveUnknownFields) == isTrue(b.XPreserveUnknownFields) {
		found = append(found, difference{field: unknownFields, text: sameMeaning(unknownFields)})
	}
	for _, t := range []struct{ field, was, is, absent string }{
		{listType, deref(a.XListType), deref(b.XListType), atomic},
		{mapType, deref(a.XMapType), deref(b.XMapType), granular},
	} {
		if t.was != t.is && cmp.Or(t.was, t.absent) == cmp.Or(t.is, t.absent) {
			is := cmp.Or(t.is, "none")
			found = append(found, difference{field: t.field, is: t.is, text: fmt.Sprintf("has %s %s now, which means the same: %s is the default", t.field, is, t.absent)})
		}
	}
	return found
}

// How lists and maps are merged, and the defaults.
const (
	listType = "x-kubernetes-list-type"
	mapType  = "x-kubernetes-map-type"
	atomic   = "atomic"
	granular = "granular"
)

func ruleDifferences(a, b *v1.JSONSchemaProps) []difference {
	const field = "x-kubernetes-validations"
	was, is := rules(a), rules(b)
	added, gone := missingValues(is, was), missingValues(was, is)
	show := quote
	if len(added) == 1 && len(gone) == 1 && quote(added[0]) == quote(gone[0]) {
		before, after := contrast(gone[0], added[0])
		show = func(rule string) string { return `"` + map[string]string{gone[0]: before, added[0]: after}[rule] + `"` }
	}
	var found []difference
	for _, rule := range added {
		found = append(found, difference{field: field, is: show(rule), text: "must satisfy a rule now: " + show(rule), narrows: true})
	}
	for _, rule := range gone {
		found = append(found, difference{field: field, was: show(rule), text: "no longer has to satisfy a rule: " + show(rule)})
	}
	if len(found) == 0 && !equality.Semantic.DeepEqual(a.XValidations, b.XValidations) {
		found = append(found, difference{field: field, text: "has the same rules with another message, order or other fields"})
	}
	return found
}

func rules(s *v1.JSONSchemaProps) []string {
	return words.Map(s.XValidations, func(r v1.ValidationRule) string { return r.Rule })
}
