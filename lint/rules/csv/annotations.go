package csv

import (
	"regexp"
	"time"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var annotations = lint.Rule{
	ID: "csv/annotations", Severity: lint.Warning, Gates: lint.GateCommunity,
	Doc: `annotations that the catalog shows are missing
The catalog shows the repository and the image of an operator, its creation date and its support, from annotations of the
ClusterServiceVersion. The pipeline of the community catalog warns if they are missing.
Add them.`,
	Reference: "operator-pipelines static_tests/community check_required_fields",
	Check:     contents.InHeads(contents.WithCSV(checkAnnotations)),
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
			words.Plural(len(missing), "annotation", "annotations"), words.AllOf(missing)).Faults = missing
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
