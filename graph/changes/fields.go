package changes

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
)

// field is a value that differs. Was or Is is nil if there is none.
type field struct {
	Path    string // as Kubernetes writes it: containers[manager].image
	Was, Is any
}

// differences returns the fields that differ between two JSON values. Elements of lists are told by a key that all of them have, as name; a list
// without one is a field, whose Was and Is are what is only in one of them. If deep, what is on one side alone is taken apart as well.
func differences(path string, was, is any, deep bool) []field {
	if reflect.DeepEqual(was, is) {
		return nil
	}
	a, isObject := was.(map[string]any)
	b, areObjects := is.(map[string]any)
	if deep && (isObject && is == nil || areObjects && was == nil) {
		isObject, areObjects = true, true
	}
	if isObject && areObjects {
		return inObjects(path, a, b, deep)
	}
	x, isList := was.([]any)
	y, areLists := is.([]any)
	if isList && is == nil || areLists && was == nil {
		isList, areLists = true, true
	}
	if isList && areLists {
		return inLists(path, x, y, deep)
	}
	return []field{{path, was, is}}
}

func inObjects(path string, was, is map[string]any, deep bool) (all []field) {
	for _, key := range words.SortedKeys(was, is) {
		below := key
		if path != "" {
			below = path + "." + key
		}
		if strings.ContainsAny(key, "./") {
			below = path + "[" + key + "]"
		}
		all = append(all, differences(below, was[key], is[key], deep)...)
	}
	return all
}

// listKeys are the keys by which Kubernetes tells elements of lists.
var listKeys = []string{"name", "name version", "path", "mountPath", "generateName", "containerPort", "port", "type", "key", "kind", "url"}

func inLists(path string, was, is []any, deep bool) (all []field) {
	for _, key := range listKeys {
		before, ok := byKey(was, key)
		after, both := byKey(is, key)
		if !ok || !both {
			continue
		}
		for _, name := range words.SortedKeys(before, after) {
			all = append(all, differences(path+"["+name+"]", before[name], after[name], deep)...)
		}
		return all
	}
	gone, added := without(was, is), without(is, was)
	if len(gone)+len(added) == 0 {
		return nil // in another order
	}
	f := field{Path: path}
	if len(gone) > 0 {
		f.Was = gone
	}
	if len(added) > 0 {
		f.Is = added
	}
	return []field{f}
}

// byKey returns the elements of a list by the values of keys; false if one of them has none, or two have the same.
func byKey(list []any, keys string) (map[string]any, bool) {
	found := map[string]any{}
	for _, one := range list {
		var values []string
		for key := range strings.FieldsSeq(keys) {
			value := lookup(one, key)
			if value == nil {
				return nil, false
			}
			values = append(values, fmt.Sprint(value))
		}
		name := strings.Join(values, " ")
		if _, twice := found[name]; twice {
			return nil, false
		}
		found[name] = one
	}
	return found, true
}

// without returns the elements of a list that another one does not have.
func without(list, other []any) (all []any) {
	known := map[string]bool{}
	for _, one := range other {
		known[inJSON(one)] = true
	}
	for _, one := range list {
		if !known[inJSON(one)] {
			all = append(all, one)
		}
	}
	return all
}

func inJSON(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// say says a difference after the name of its field.
func (f field) say() string {
	was, is := f.value(f.Was), f.value(f.Is)
	_, wasList := f.Was.([]any)
	_, isList := f.Is.([]any)
	switch {
	case f.Was == nil && isList:
		return "has also " + is
	case f.Is == nil && wasList:
		return "has no longer " + was
	case f.Was == nil && is == "":
		return "is new"
	case f.Is == nil && was == "":
		return "is removed"
	case f.Was == nil:
		return "is set to " + is
	case f.Is == nil:
		return "is no longer set, was " + was
	case wasList && isList:
		return "has " + is + ", no longer " + was
	}
	if was == is {
		return "differs after " + strconv.Itoa(maxValue) + " characters"
	}
	return was + " → " + is
}

// onlyVersion reports whether a text differs only in the version of the bundle.
func (c *comparison) onlyVersion(f field) bool {
	was, ok := f.Was.(string)
	return ok && c.from.Version.Value != "" && strings.ReplaceAll(was, c.from.Version.Value, c.to.Version.Value) == f.Is
}

// maxValue bounds a value in a message, in characters.
const maxValue = 100

// value returns a value of the field in short; "" for a large object, or one that its name tells.
func (f field) value(value any) string {
	if object, ok := value.(map[string]any); ok {
		if text, isVariable := object["value"].(string); isVariable {
			return valueText(text)
		}
		if strings.HasSuffix(f.Path, "]") || len(inJSON(value)) > maxValue {
			return ""
		}
	}
	return valueText(value)
}

// valueText returns a value in short: a text as it is, anything else in JSON.
func valueText(value any) string {
	if list, ok := value.([]any); ok {
		var all []string
		for _, one := range list {
			all = append(all, valueText(one))
		}
		return cut(strings.Join(all, ", "))
	}
	text, ok := value.(string)
	switch {
	case !ok:
		text = inJSON(value)
	case text == "":
		return `""`
	}
	return cut(strings.Join(strings.Fields(text), " "))
}

func cut(text string) string {
	if runes := []rune(text); len(runes) > maxValue {
		return string(runes[:maxValue-1]) + "…"
	}
	return text
}
