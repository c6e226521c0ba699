package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

const (
	annotationExamples    = "alm-examples"
	annotationOldExamples = "olm.examples"
)

// api is a kind of object that a ClusterServiceVersion says it serves.
type api struct{ group, version, kind string }

func (a api) String() string { return fmt.Sprintf("%s/%s %s", a.group, a.version, a.kind) }

func (a api) id() string {
	return catalogs.API{Group: a.group, Version: a.version, Kind: a.kind}.String()
}

// ownedAPIs are those of the owned CRDs and API services.
func (c *csv) ownedAPIs() []api {
	var all []api
	for _, crd := range c.Spec.CRDs.Owned {
		_, group, _ := strings.Cut(crd.Name, ".")
		all = append(all, api{group, crd.Version, crd.Kind})
	}
	for _, s := range c.Spec.APIServices.Owned {
		all = append(all, api{s.Group, s.Version, s.Kind})
	}
	return all
}

// exampleKey is the annotation that has the examples: of both the first one counts.
func (c *csv) exampleKey() string {
	if _, ok := c.Metadata.Annotations[annotationExamples]; ok {
		return annotationExamples
	}
	if _, ok := c.Metadata.Annotations[annotationOldExamples]; ok {
		return annotationOldExamples
	}
	return ""
}

func annotationPath(key string) string { return "metadata.annotations[" + key + "]" }

func checkExampleJSON(c *contents) {
	key := c.csv.exampleKey()
	text := c.csv.Metadata.Annotations[key]
	if key == "" || strings.TrimSpace(text) == "" {
		return
	}
	var examples []map[string]any
	var syntax *json.SyntaxError
	switch err := json.Unmarshal([]byte(text), &examples); {
	case errors.As(err, &syntax):
		line := 1 + bytes.Count([]byte(text)[:syntax.Offset], []byte("\n"))
		c.report(annotationPath(key), "write a JSON list of custom resources",
			"has %s that are no JSON: %v, in line %d of the annotation", key, err, line)
	case err != nil:
		c.report(annotationPath(key), "write a JSON list of custom resources",
			"has %s that are no list of objects: the console cannot show them", key)
	}
	if _, both := c.csv.Metadata.Annotations[annotationOldExamples]; both && key == annotationExamples {
		f := c.report(annotationPath(annotationOldExamples), "keep alm-examples",
			"has the annotation %s beside %s, which nobody looks at then", annotationOldExamples, annotationExamples)
		f.Severity, f.Gates = Info, GateAdvice
	}
}

// example is a custom resource in the annotation.
type example struct {
	api
	text json.RawMessage
}

// examples are the custom resources in the annotation, which is decoded once; none if it is no list.
func (c *csv) examples() []example {
	if c.decoded {
		return c.listed
	}
	c.decoded = true
	var all []json.RawMessage
	if json.Unmarshal([]byte(c.Metadata.Annotations[c.exampleKey()]), &all) != nil {
		return nil
	}
	for _, text := range all {
		e := example{text: text}
		e.group, e.version, e.kind = gvkOf(text)
		c.listed = append(c.listed, e)
	}
	return c.listed
}

// exampleAPIs are the kinds of the examples, each once.
func (c *csv) exampleAPIs() []api {
	var all []api
	seen := map[api]bool{}
	for _, e := range c.examples() {
		if !seen[e.api] {
			all = append(all, e.api)
			seen[e.api] = true
		}
	}
	return all
}

func checkExamplesOwned(c *contents) {
	owned, versions := map[api]bool{}, map[api]string{} // the latter by group and kind alone
	for _, o := range c.csv.ownedAPIs() {
		owned[o], versions[api{group: o.group, kind: o.kind}] = true, o.version
	}
	var others, ids []string
	cure := "take it out, or own that API"
	for _, a := range c.csv.exampleAPIs() {
		if owned[a] || c.csv.fault != nil {
			continue
		}
		others, ids = append(others, a.String()), append(ids, a.id())
		if v, ok := versions[api{group: a.group, kind: a.kind}]; ok && len(others) == 1 {
			cure = fmt.Sprintf("write it for version %s, which it owns", v)
		}
	}
	if n := len(others); n > 0 {
		c.report(annotationPath(c.csv.exampleKey()), cure, "has %s of %s, %s that it does not own",
			plural(n, "an example", "examples"), allOf(others), plural(n, "an API", "APIs")).Each = ids
	}
}

func checkExamplesMissing(c *contents) {
	examples, path := c.csv.exampleAPIs(), "metadata.annotations"
	if key := c.csv.exampleKey(); key != "" {
		path = annotationPath(key)
		if examples == nil && strings.TrimSpace(c.csv.Metadata.Annotations[key]) != "" {
			return // csv/examples says why
		}
	}
	has := map[api]bool{}
	for _, a := range examples {
		has[a] = true
	}
	var missing, ids []string
	for _, a := range c.csv.ownedAPIs() {
		if !has[a] {
			missing, ids = append(missing, a.String()), append(ids, a.id())
			has[a] = true
		}
	}
	if len(missing) > 0 {
		f := c.report(path, "add one of each to the annotation alm-examples",
			"has no example of %s: the console has no form to begin with", allOf(missing))
		f.Cause, f.Each = oncePerPackage(), ids
	}
}
