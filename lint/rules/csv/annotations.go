package csv

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
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
			phrase.Plural(len(missing), "annotation", "annotations"), words.AllOf(missing)).Faults = missing
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
func suggestion(value string, words []string) string {
	for _, w := range words {
		if strings.EqualFold(value, w) {
			return fmt.Sprintf("write %q", w)
		}
	}
	if near, ok := spelling.Nearest(value, words); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "use one of: " + strings.Join(words, ", ")
}
