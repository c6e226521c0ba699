package sqlite

import (
	"encoding/json"
	"slices"
)

// extra is what other tables have of a bundle.
type extra struct {
	properties   []storedProperty
	dependencies []storedProperty
	images       []string
}

// storedProperty is a row of properties or dependencies.
type storedProperty struct {
	kind  string
	value json.RawMessage
}

type gvk struct {
	Group   string `json:"group"`
	Kind    string `json:"kind"`
	Version string `json:"version"`
}

// requiredType has the types of properties by the types of dependencies (OLM: registry/resolver cache, apiDependenciesToProperties).
var requiredType = map[string]string{
	"olm.gvk":     "olm.gvk.required",
	"olm.package": "olm.package.required",
	"olm.label":   "olm.label.required",
}

func (r *reader) bundleExtra(bundle string) *extra {
	e := r.extras[bundle]
	if e == nil {
		e = &extra{}
		r.extras[bundle] = e
	}
	return e
}

// readExtras reads the properties, the dependencies and the images of all bundles. In a schema without properties and dependencies their
// APIs are in tables of their own, from which opm's migrations derive them.
func (r *reader) readExtras() error {
	r.extras = map[string]*extra{}
	add := func(t, older table, list func(*extra) *[]storedProperty) error {
		columns, err := r.tableColumns(t)
		if err == nil && len(columns) == 0 {
			return r.readAPIs(older, list)
		}
		return r.scan(t, func(row int64, c []cell) error { return r.addStored(t, row, c, list) })
	}
	if err := add(propertyTable, providerTable, func(e *extra) *[]storedProperty { return &e.properties }); err != nil {
		return err
	}
	if err := add(dependencyTable, requirerTable, func(e *extra) *[]storedProperty { return &e.dependencies }); err != nil {
		return err
	}
	return r.scan(imageTable, func(_ int64, c []cell) error {
		if c[0].null() || c[1].null() {
			return nil
		}
		e := r.bundleExtra(c[1].text())
		e.images = append(e.images, c[0].text())
		return r.retain(c[0].text(), c[1].text())
	})
}

func (r *reader) addStored(t table, row int64, c []cell, list func(*extra) *[]storedProperty) error {
	s := storedProperty{kind: c[0].text(), value: json.RawMessage(c[1].text())}
	if c[1].null() {
		s.value = json.RawMessage("null")
	}
	if !json.Valid(s.value) {
		r.problem(Problem{Table: t.name, Row: row, Message: "its value is not JSON"})
		return nil
	}
	e := list(r.bundleExtra(c[2].text()))
	*e = append(*e, s)
	return r.retain(s.kind, string(s.value), c[2].text())
}

// readAPIs reads a table of APIs.
func (r *reader) readAPIs(t table, list func(*extra) *[]storedProperty) error {
	return r.scan(t, func(row int64, c []cell) error {
		bundle := c[3].text()
		if id, ok := c[4].int(); ok {
			i, exists := r.graph.byID[id]
			if !exists {
				r.problem(Problem{Table: t.name, Row: row, Message: "it names an entry that does not exist"})
				return nil
			}
			bundle = r.graph.rows[i].bundle
		}
		value, err := marshal(gvk{Group: c[0].text(), Version: c[1].text(), Kind: c[2].text()})
		if err != nil {
			return err
		}
		e := list(r.bundleExtra(bundle))
		*e = append(*e, storedProperty{kind: "olm.gvk", value: value})
		return r.retain(string(value), bundle)
	})
}

// property is a property of a bundle in a file-based catalog.
type property struct {
	Type  string `json:"type"`
	Value any    `json:"value"`
}

// list returns the properties without the manifests, each once, and an olm.package of the package and the version if none is stored (opm:
// pkg/api ConvertAPIBundleToModelBundle).
func (e *extra) list(pkg, version string) []property {
	var list []property
	seen := map[string]bool{}
	add := func(kind string, value json.RawMessage) {
		if key := kind + "\x00" + string(value); !seen[key] {
			seen[key] = true
			list = append(list, property{kind, value})
		}
	}
	if !slices.ContainsFunc(e.properties, func(s storedProperty) bool { return s.kind == "olm.package" }) {
		value := map[string]string{"packageName": pkg, "version": version}
		if version == "" {
			delete(value, "version")
		}
		list = append(list, property{"olm.package", value})
	}
	for _, s := range e.properties {
		add(s.kind, s.normalize())
	}
	for _, s := range e.dependencies {
		kind, ok := requiredType[s.kind]
		if !ok {
			kind = s.kind
		}
		add(kind, s.asRequired())
	}
	return list
}

// normalize returns the value as opm writes it: an API has three fields only.
func (s storedProperty) normalize() json.RawMessage {
	var v gvk
	if s.kind != "olm.gvk" || json.Unmarshal(s.value, &v) != nil {
		return s.value
	}
	text, err := marshal(v)
	if err != nil {
		return s.value
	}
	return text
}

// asRequired returns the value of a dependency as that of a property: the version of a package becomes a range.
func (s storedProperty) asRequired() json.RawMessage {
	var v struct {
		PackageName string `json:"packageName"`
		Version     string `json:"version"`
	}
	if s.kind != "olm.package" || json.Unmarshal(s.value, &v) != nil {
		return s.normalize()
	}
	text, err := marshal(map[string]string{"packageName": v.PackageName, "versionRange": v.Version})
	if err != nil {
		return s.value
	}
	return text
}

func (e *extra) isDeprecated() bool {
	return slices.ContainsFunc(e.properties, func(s storedProperty) bool { return s.kind == "olm.deprecated" })
}
