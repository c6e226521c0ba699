package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
)

// apiText is an API as group/version Kind.
func apiText(a catalogs.API) string { return fmt.Sprintf("%s/%s %s", a.Group, a.Version, a.Kind) }

func annotationPath(key string) string { return "metadata.annotations[" + key + "]" }

func checkExampleJSON(c *bundleContents) {
	key := c.csv.ExampleAnnotation()
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
			"has %s that are not JSON: %v, in line %d of the annotation", key, err, line)
	case err != nil:
		c.report(annotationPath(key), "write a JSON list of custom resources",
			"has %s that are not a list of objects: the console cannot show them", key)
	}
	if _, both := c.csv.Metadata.Annotations[csv.AnnotationOldExamples]; both && key == csv.AnnotationExamples {
		f := c.report(annotationPath(csv.AnnotationOldExamples), "keep alm-examples",
			"has the annotation %s beside %s, which is then ignored", csv.AnnotationOldExamples, csv.AnnotationExamples)
		f.Severity, f.Gates = Info, GateAdvice
	}
}

func checkExamplesOwned(c *bundleContents) {
	owned, versions := map[catalogs.API]bool{}, map[catalogs.API]string{} // the latter by group and kind alone
	for _, o := range c.csv.OwnedAPIs() {
		owned[o], versions[catalogs.API{Group: o.Group, Kind: o.Kind}] = true, o.Version
	}
	var others, ids []string
	fix := "remove it, or own that API"
	for _, a := range c.csv.ExampleAPIs() {
		if owned[a] || c.csv.Err != nil {
			continue
		}
		others, ids = append(others, apiText(a)), append(ids, a.String())
		if v, ok := versions[catalogs.API{Group: a.Group, Kind: a.Kind}]; ok && len(others) == 1 {
			fix = fmt.Sprintf("write it for version %s, which it owns", v)
		}
	}
	if n := len(others); n > 0 {
		c.report(annotationPath(c.csv.ExampleAnnotation()), fix, "has %s of %s, %s that it does not own",
			plural(n, "an example", "examples"), allOf(others), plural(n, "an API", "APIs")).Each = ids
	}
}

func checkExamplesMissing(c *bundleContents) {
	examples, path := c.csv.ExampleAPIs(), "metadata.annotations"
	if key := c.csv.ExampleAnnotation(); key != "" {
		path = annotationPath(key)
		if examples == nil && strings.TrimSpace(c.csv.Metadata.Annotations[key]) != "" {
			return // csv/examples says why
		}
	}
	has := map[catalogs.API]bool{}
	for _, a := range examples {
		has[a] = true
	}
	var missing, ids []string
	for _, a := range c.csv.OwnedAPIs() {
		if !has[a] {
			missing, ids = append(missing, apiText(a)), append(ids, a.String())
			has[a] = true
		}
	}
	if len(missing) > 0 {
		f := c.report(path, "add one of each to the annotation alm-examples",
			"has no example of %s: the console shows an empty form", allOf(missing))
		f.Cause, f.Each = oncePerPackage(), ids
	}
}
