package csv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// olmAnnotations are the case-sensitive annotations that OLM reads (operator-framework/api: annotations.go).
var olmAnnotations = []string{"olm.operatorGroup", "olm.operatorNamespace", "olm.targetNamespaces", "olm.providedAPIs",
	"olm.skipRange"}

func checkAnnotationCase(c *contents.Contents) {
	for _, want := range olmAnnotations {
		for _, key := range words.SortedKeys(c.CSV.Metadata.Annotations) {
			if key != want && strings.EqualFold(key, want) {
				c.Report(contents.AnnotationPath(key), "write "+want,
					"has the annotation %q, which OLM only reads as %q: it has no effect", key, want)
			}
		}
	}
}

// capabilities are the values of the annotation capabilities (operator-framework/api: standardcapabilities.go).
var capabilities = []string{"Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"}

// categories are the values of the annotation categories: those of operator-framework/api, and one that only the pipelines know.
var categories = []string{
	"AI/Machine Learning", "Application Runtime", "Big Data", "Cloud Provider", "Database", "Developer Tools", "Drivers and plugins",
	"Integration & Delivery", "Logging & Tracing", "Modernization & Migration", "Monitoring", "Networking", "Observability",
	"OpenShift Optional", "Security", "Storage", "Streaming & Messaging",
}

func checkCategories(c *contents.Contents) {
	if level, ok := c.CSV.Metadata.Annotations["capabilities"]; ok && !slices.Contains(capabilities, level) {
		c.Report(contents.AnnotationPath("capabilities"), suggestion(level, capabilities),
			"has the capability level %q, which is not in the list of the pipelines: they reject it", level).WithCause(level)
	}
	all, ok := c.CSV.Metadata.Annotations["categories"]
	for category := range strings.SplitSeq(all, ",") {
		if category = strings.TrimSpace(category); ok && !slices.Contains(categories, category) {
			c.Report(contents.AnnotationPath("categories"), suggestion(category, categories),
				"has the category %q, which is not in the list of the pipelines: they reject it", category).WithCause(category)
		}
	}
}

// requiredAnnotations are the annotations that the pipelines require (operator-pipelines: check_required_fields).
var requiredAnnotations = []struct {
	key, want string
	fits      func(string) bool
}{
	{"capabilities", "", nil},
	{"categories", "", nil},
	{"containerImage", "a pull spec with a tag or a digest", regexp.MustCompile(`^([^/]+/){1,}[^/:]+:.+`).MatchString},
	{"createdAt", "a date, for example 2025-01-31T12:00:00Z", isTimestamp},
	{"repository", "a URL that begins with https://", regexp.MustCompile(`^https?://.+`).MatchString},
	{"support", "at least 3 characters", func(s string) bool { return len(s) >= 3 }},
	{"description", "at least 10 characters", func(s string) bool { return len(s) >= 10 }},
}

func checkAnnotations(c *contents.Contents) {
	var missing []string
	for _, a := range requiredAnnotations {
		text, ok := c.CSV.Metadata.Annotations[a.key]
		if !ok {
			missing = append(missing, a.key)
		} else if a.fits != nil && !a.fits(text) {
			c.Report(contents.AnnotationPath(a.key), "write "+a.want, "has the annotation %s with %q, but the community pipeline wants %s", a.key,
				text, a.want)
		}
	}
	if len(missing) > 0 {
		c.Report("metadata.annotations", "add them", "lacks the %s %s, which the community catalog shows",
			words.Plural(len(missing), "annotation", "annotations"), words.QuoteSome(missing)).Faults = missing
	}
}

func isTimestamp(text string) bool {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04:05Z07:00",
		time.DateOnly, "2006-01-02T15:04Z07:00", "2006-01-02 15:04"} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}

func checkMarketplace(c *contents.Contents) {
	if !c.Pass.JudgedBy(lint.GateMarketplace) {
		return
	}
	for _, a := range []struct{ key, page string }{{"remote-workflow", "pricing"}, {"support-workflow", "support"}} {
		key := "marketplace.openshift.io/" + a.key
		want := fmt.Sprintf("https://marketplace.redhat.com/en-us/operators/%s/%s?utm_source=openshift_console", c.Package.Value, a.page)
		switch value, ok := c.CSV.Metadata.Annotations[key]; {
		case !ok:
			c.Report("metadata.annotations", fmt.Sprintf("add %s: %s", key, want), "lacks the annotation %s: the marketplace pipeline rejects it", key).WithCause(key)
		case value != want:
			c.Report(contents.AnnotationPath(key), "write "+want, "has the annotation %s with %q, which the marketplace pipeline rejects", key, value)
		}
	}
}

// suggestion returns the fix for an unknown value: the nearest of the known ones, or all of them.
func suggestion(value string, allowed []string) string {
	for _, w := range allowed {
		if strings.EqualFold(value, w) {
			return fmt.Sprintf("write %q", w)
		}
	}
	if near, ok := words.Nearest(value, allowed); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "use one of: " + strings.Join(allowed, ", ")
}

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
		if owned[a] || c.CSV.Err != nil || isMisdescribed(c, a) {
			continue
		}
		others, ids = append(others, formatAPI(a)), append(ids, a.String())
		if v, ok := versions[catalogs.API{Group: a.Group, Kind: a.Kind}]; ok && len(others) == 1 {
			fix = fmt.Sprintf("write it for version %s, which it owns", v)
		}
	}
	if n := len(others); n > 0 {
		c.Report(contents.AnnotationPath(c.CSV.ExampleAnnotation()), fix, "has %s of %s, %s that it does not own",
			words.Plural(n, "an example", "examples"), words.QuoteSome(others), words.Plural(n, "an API", "APIs")).Faults = ids
	}
}

// isMisdescribed reports whether the bundle has the CRD of an API in another version or kind than its ClusterServiceVersion says: manifest/owned-crd.
func isMisdescribed(c *contents.Contents, a catalogs.API) bool {
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
	owned := c.CSV.OwnedAPIs() // those of the CRDs are first
	for i, crd := range c.CSV.Spec.CRDs.Owned {
		has[owned[i]] = has[owned[i]] || c.CSV.IsInternal(crd.Name)
	}
	var missing, ids []string
	for _, a := range owned {
		if !has[a] {
			missing, ids = append(missing, formatAPI(a)), append(ids, a.String())
			has[a] = true
		}
	}
	if len(missing) > 0 {
		f := c.Report(path, "add one of each to the annotation alm-examples",
			"has no example of %s: the console shows an empty form", words.QuoteSome(missing))
		f.Cause, f.Faults = lint.OncePerPackage(), ids
	}
}
