package csv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// formatAPI returns an API as group/version Kind.
func formatAPI(a catalogs.API) string { return fmt.Sprintf("%s/%s %s", a.Group, a.Version, a.Kind) }

func checkExampleJSON(c *contents.Contents) {
	key := c.CSV.ExampleAnnotation()
	text := c.CSV.Metadata.Annotations[key]
	if key == "" || strings.TrimSpace(text) == "" {
		return
	}
	var examples []map[string]any
	var syntax *json.SyntaxError
	switch err := json.Unmarshal([]byte(text), &examples); {
	case errors.As(err, &syntax):
		line := 1 + bytes.Count([]byte(text)[:syntax.Offset], []byte("\n"))
		c.Report(contents.AnnotationPath(key), "write a JSON list of custom resources",
			"has %s that are not JSON: %v, in line %d of the annotation", key, err, line)
	case err != nil:
		c.Report(contents.AnnotationPath(key), "write a JSON list of custom resources",
			"has %s that are not a list of objects: the console cannot show them", key)
	}
	if _, both := c.CSV.Metadata.Annotations[csv.AnnotationOldExamples]; both && key == csv.AnnotationExamples {
		f := c.Report(contents.AnnotationPath(csv.AnnotationOldExamples), "keep alm-examples",
			"has the annotation %s beside %s, which is then ignored", csv.AnnotationOldExamples, csv.AnnotationExamples)
		f.Severity, f.Gates = lint.Info, lint.GateAdvice
	}
}

func checkExamplesOwned(c *contents.Contents) {
	owned, versions := map[catalogs.API]bool{}, map[catalogs.API]string{} // versions is by group and kind
	for _, o := range c.CSV.OwnedAPIs() {
		owned[o], versions[catalogs.API{Group: o.Group, Kind: o.Kind}] = true, o.Version
	}
	var others, ids []string
	fix := "remove it, or own that API"
	for _, a := range c.CSV.ExampleAPIs() {
		if owned[a] || c.CSV.Err != nil || misdescribed(c, a) {
			continue
		}
		others, ids = append(others, formatAPI(a)), append(ids, a.String())
		if v, ok := versions[catalogs.API{Group: a.Group, Kind: a.Kind}]; ok && len(others) == 1 {
			fix = fmt.Sprintf("write it for version %s, which it owns", v)
		}
	}
	if n := len(others); n > 0 {
		c.Report(contents.AnnotationPath(c.CSV.ExampleAnnotation()), fix, "has %s of %s, %s that it does not own",
			phrase.Plural(n, "an example", "examples"), words.AllOf(others), phrase.Plural(n, "an API", "APIs")).Faults = ids
	}
}

// misdescribed reports whether the bundle has the CRD of an API in another version or kind than its ClusterServiceVersion says: manifest/owned-crd.
func misdescribed(c *contents.Contents, a catalogs.API) bool {
	return slices.ContainsFunc(c.Pass.Catalog.Problems, func(p catalogs.Problem) bool {
		return p.Kind == catalogs.ManifestOwnedCRD && p.Bundle == c.Name.Value && p.Fix != "" && strings.HasSuffix(p.Cause[0], "."+a.Group)
	})
}

func checkExamplesMissing(c *contents.Contents) {
	examples, path := c.CSV.ExampleAPIs(), "metadata.annotations"
	if key := c.CSV.ExampleAnnotation(); key != "" {
		path = contents.AnnotationPath(key)
		if c.CSV.Examples() == nil && strings.TrimSpace(c.CSV.Metadata.Annotations[key]) != "" {
			return // reported by csv/examples
		}
	}
	has := map[catalogs.API]bool{}
	for _, a := range examples {
		has[a] = true
	}
	var missing, ids []string
	for _, a := range c.CSV.OwnedAPIs() {
		if !has[a] {
			missing, ids = append(missing, formatAPI(a)), append(ids, a.String())
			has[a] = true
		}
	}
	if len(missing) > 0 {
		f := c.Report(path, "add one of each to the annotation alm-examples",
			"has no example of %s: the console shows an empty form", words.AllOf(missing))
		f.Cause, f.Faults = lint.OncePerPackage(), ids
	}
}
