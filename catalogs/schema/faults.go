package schema

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/tree"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// FaultKind is what is wrong at a place of a ClusterServiceVersion.
type FaultKind int

// The API server rejects a ClusterServiceVersion with a fault that is not of a key.
const (
	UnknownKey FaultKind = iota // the API server and OLM drop it
	OtherCase                   // a known key in another case: OLM v0 reads it, the API server and OLM v1 drop it
	Missing                     // a required field
	WrongType
	WrongValue // a string that is none of the allowed ones, no quantity or not in base64
	Duplicate  // an item of a list with the key of another one
)

// Fault is a place of a ClusterServiceVersion that does not match the CRD.
type Fault struct {
	Kind FaultKind
	// Path is that of the value or the unknown key, as Kubernetes writes paths: see bundled.Manifest.At. Where the misspelt key of a missing
	// field is, it is that of the key.
	Path string
	// Object is the path of the object that has the key, or lacks the field; "" for the whole.
	Object string
	// Key is the unknown key; of a missing field the one that is probably a misspelling of it, or "".
	Key string
	// Meant is the key of a missing field, or the one that an unknown key is like.
	Meant string
	// Home is the path of the object in which an unknown key belongs, as Meant if that is set; "" if there is none, or several.
	Home string
	// Is is the value in words, or the key of a duplicate; Wants what is allowed.
	Is, Wants string
	// Empty says of a missing field that OLM v0 writes it, empty: the API server accepts the ClusterServiceVersion.
	Empty bool
}

// Field returns the path of a missing field.
func (f *Fault) Field() string { return strings.TrimPrefix(f.Object+"."+f.Meant, ".") }

// String says what is wrong, in one sentence without a full stop.
func (f *Fault) String() string {
	switch {
	case f.Kind == Missing && f.Key != "":
		return fmt.Sprintf("%s is missing: %q is no known key", f.Field(), f.Key)
	case f.Kind == Missing:
		return f.Field() + " is missing"
	case f.Kind == WrongType, f.Kind == WrongValue:
		return fmt.Sprintf("%s is %s instead of %s", f.Path, f.Is, f.Wants)
	case f.Kind == Duplicate:
		return fmt.Sprintf("%s is %q, as an item before it", f.Path, f.Is)
	}
	return f.Path + " is no known key"
}

// CSVFaults returns what the CRD does not allow in a whole ClusterServiceVersion in JSON, as OLM v0 writes it: absent lists are null, and absent
// strings empty.
func CSVFaults(text []byte) []Fault {
	n, _, err := tree.ParseJSON(text, tree.Place{}, nil)
	if err != nil {
		return nil
	}
	var c checker
	c.value(&n, root())
	return c.faults
}

// checker collects faults.
type checker struct {
	path    []byte        // of the value that is checked
	objects []*objectType // around it, the innermost last
	faults  []Fault
}

// add adds a fault of the value at the path.
func (c *checker) add(f Fault) {
	f.Path = string(c.path)
	c.faults = append(c.faults, f)
}

// enter appends a key to the path, and returns the length of the path before.
func (c *checker) enter(key string) int {
	before := len(c.path)
	c.path = appendKey(c.path, key)
	return before
}

func appendKey(path []byte, key string) []byte {
	switch {
	case strings.ContainsAny(key, ".[]"):
		return append(append(append(path, '['), key...), ']')
	case len(path) > 0:
		path = append(path, '.')
	}
	return append(path, key...)
}

// kinds are the kinds of values that a type allows, and what they are called.
var kinds = map[byte]struct {
	allowed []tree.Kind
	name    string
}{
	's': {[]tree.Kind{tree.String}, "a string"},
	'b': {[]tree.Kind{tree.Bool}, "true or false"},
	'i': {[]tree.Kind{tree.Number}, "an integer"},
	'p': {[]tree.Kind{tree.Number, tree.String}, "an integer or a string"},
	'q': {[]tree.Kind{tree.Number, tree.String}, "a quantity"},
	'v': {[]tree.Kind{tree.String}, "a string in base64"},
	'[': {[]tree.Kind{tree.List}, "a list"},
	'{': {[]tree.Kind{tree.Map}, "an object"},
	'o': {[]tree.Kind{tree.Map}, "an object"},
}

// patterns are those of Kubernetes for quantities and base64.
var patterns = map[byte]*regexp.Regexp{
	'v': regexp.MustCompile(`^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$`),
	'q': regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+))?$`),
}

func (c *checker) value(n *tree.Node, t *valueType) {
	if n.Kind == tree.Null || t.kind == '*' {
		return
	}
	wants := kinds[t.kind].name
	isFraction := n.Kind == tree.Number && (t.kind == 'i' || t.kind == 'p') && strings.ContainsAny(n.Text, ".eE")
	switch {
	case !t.accepts(n) || isFraction:
		c.add(Fault{Kind: WrongType, Is: n.Kind.WithArticle(), Wants: wants})
	case patterns[t.kind] != nil && !patterns[t.kind].MatchString(n.Text):
		c.add(Fault{Kind: WrongValue, Is: fmt.Sprintf("%q", n.Text), Wants: wants})
	case t.values != nil && !slices.Contains(t.values, n.Text):
		c.add(Fault{Kind: WrongValue, Is: fmt.Sprintf("%q", n.Text), Wants: words.List(words.Quote(t.values), "or")})
	case t.kind == 'o':
		c.object(n, t.object)
	case t.kind == '{':
		for i := range n.Fields {
			before := c.enter(n.Fields[i].Key)
			c.value(&n.Fields[i].Value, t.items)
			c.path = c.path[:before]
		}
	case t.kind == '[':
		c.list(n, t)
	}
}

// accepts reports whether a value is of the type, as far as that can be seen without those within.
func (t *valueType) accepts(n *tree.Node) bool {
	return n.Kind == tree.Null || t.kind == '*' || slices.Contains(kinds[t.kind].allowed, n.Kind)
}

func (c *checker) list(n *tree.Node, t *valueType) {
	seen := map[string]bool{}
	before := len(c.path)
	for i := range n.Items {
		item := &n.Items[i]
		c.path = fmt.Appendf(c.path[:before], "[%d]", i)
		if c.value(item, t.items); item.Kind == tree.Null && t.items.kind == 'o' { // which decodes as an object without fields
			c.object(&tree.Node{Kind: tree.Map, Place: item.Place}, t.items.object)
		}
		if t.keys == nil {
			continue
		}
		key := itemKey(item, t.keys)
		if seen[key] {
			c.add(Fault{Kind: Duplicate, Is: key})
		}
		seen[key] = true
	}
	c.path = c.path[:before]
}

// itemKey returns the values by which an item of a list is unique.
func itemKey(item *tree.Node, keys []string) string {
	var all []string
	for _, key := range keys {
		name, value, _ := strings.Cut(key, ":")
		if f := item.Field(name); f != nil && f.Value.Text != "" {
			value = f.Value.Text
		}
		all = append(all, value)
	}
	return strings.Join(all, "/")
}

// object checks the fields of an object, and which it lacks.
func (c *checker) object(n *tree.Node, o *objectType) {
	c.objects = append(c.objects, o)
	have := make(map[string]bool, len(n.Fields))
	var unknown []*tree.Field
	for i := range n.Fields {
		f := &n.Fields[i]
		key, known := o.field(f.Key)
		if known == nil {
			unknown = append(unknown, f)
			continue
		}
		have[key] = have[key] || f.Value.Kind != tree.Null
		before := c.enter(f.Key)
		if key != f.Key {
			c.add(Fault{Kind: OtherCase, Object: string(c.path[:before]), Key: f.Key, Meant: key})
		}
		c.value(&f.Value, known.valueType)
		c.path = c.path[:before]
	}
	c.compare(o, have, unknown)
	c.objects = c.objects[:len(c.objects)-1]
}

// field returns the field with a key, or with one that differs in case: encoding/json decodes both.
func (o *objectType) field(key string) (string, *fieldType) {
	if f := o.fields[key]; f != nil {
		return key, f
	}
	for known, f := range o.fields {
		if strings.EqualFold(known, key) {
			return known, f
		}
	}
	return "", nil
}

// compare adds the unknown keys of an object, and the required fields that are missing. If a key is probably a misspelling of such a field it
// is one fault.
func (c *checker) compare(o *objectType, have map[string]bool, unknown []*tree.Field) {
	missing := slices.ContainsFunc(o.required, func(key string) bool { return !have[key] })
	if len(unknown) == 0 && !missing {
		return
	}
	misspelt := map[string]string{}
	path := string(c.path)
	for _, one := range unknown {
		key := one.Key
		meant, _ := words.NearestWord(key, slices.DeleteFunc(slices.Collect(maps.Keys(o.fields)), func(known string) bool {
			return have[known] || !o.fields[known].accepts(&one.Value)
		}))
		if f := o.fields[meant]; f != nil && f.mark == '!' && misspelt[meant] == "" {
			misspelt[meant] = key
			continue
		}
		f := Fault{Kind: UnknownKey, Object: path, Key: key, Meant: meant}
		if home, as := c.ownerPath(key); home != "" {
			f.Home, f.Meant = home, as
		}
		before := c.enter(key)
		c.add(f)
		c.path = c.path[:before]
	}
	for _, key := range o.required {
		if have[key] {
			continue
		}
		f := Fault{Kind: Missing, Object: path, Key: misspelt[key], Meant: key, Empty: o.fields[key].mark == '~'}
		before := c.enter(cmp.Or(f.Key, key))
		c.add(f)
		c.path = c.path[:before]
	}
}

// ownerPath returns the path of the object in which a key of the innermost object is known, one of those in it or the annotations, and as what.
func (c *checker) ownerPath(key string) (path, as string) {
	var inner []string
	for name, f := range c.objects[len(c.objects)-1].fields {
		if f.kind == 'o' && f.object.fields[key] != nil {
			inner = append(inner, name)
		}
	}
	switch {
	case len(inner) == 1:
		return string(appendKey(slices.Clone(c.path), inner[0])), ""
	case string(c.path) == "spec" && strings.EqualFold(key, "skipRange"):
		return "metadata.annotations", "olm.skipRange"
	case len(c.objects) <= 2 && strings.Contains(key, "."):
		return "metadata.annotations", ""
	}
	return "", ""
}
