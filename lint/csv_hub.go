package lint

import (
	"fmt"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
)

// What the annotation capabilities can say (operator-framework/api: standardcapabilities.go).
var capabilities = []string{"Basic Install", "Seamless Upgrades", "Full Lifecycle", "Deep Insights", "Auto Pilot"}

// What the annotation categories can say: those that operator-framework/api knows, and one that only the pipelines do.
var categories = []string{
	"AI/Machine Learning", "Application Runtime", "Big Data", "Cloud Provider", "Database", "Developer Tools", "Drivers and plugins",
	"Integration & Delivery", "Logging & Tracing", "Modernization & Migration", "Monitoring", "Networking", "Observability",
	"OpenShift Optional", "Security", "Storage", "Streaming & Messaging",
}

func checkCapabilities(c *bundleContents) {
	key := "capabilities"
	if said, ok := c.csv.Metadata.Annotations[key]; ok && !slices.Contains(capabilities, said) {
		c.report(annotationPath(key), suggestionOr(said, capabilities), "has the capability level %q, which is not in the list of the hub",
			said).withCauses(said)
	}
}

func checkCategories(c *bundleContents) {
	key := "categories"
	said, ok := c.csv.Metadata.Annotations[key]
	if !ok {
		return
	}
	for category := range strings.SplitSeq(said, ",") {
		if category = strings.TrimSpace(category); !slices.Contains(categories, category) {
			c.report(annotationPath(key), suggestionOr(category, categories),
				"has the category %q, which is not in the list of the hub: users cannot find it there", category).withCauses(category)
		}
	}
}

// suggestionOr names the word that was meant, or all of them.
func suggestionOr(said string, words []string) string {
	for _, w := range words {
		if strings.EqualFold(said, w) {
			return fmt.Sprintf("write %q", w)
		}
	}
	if near, ok := spelling.Nearest(said, words); ok {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return "use one of: " + strings.Join(words, ", ")
}

// checkPublisher looks at who is said to stand behind the operator.
func checkPublisher(c *bundleContents) {
	if strings.TrimSpace(c.csv.Spec.Provider.Name) == "" {
		c.report("spec.provider", "set spec.provider.name", "has no provider: the hub refuses it")
	}
	if len(c.csv.Spec.Maintainers) == 0 {
		c.report("spec.maintainers", "add name and e-mail of at least one",
			"has no maintainers: the hub refuses it, and users have no contact")
	}
	for i, m := range c.csv.Spec.Maintainers {
		path := fmt.Sprintf("spec.maintainers[%d]", i)
		if m.Name == "" || m.Email == "" {
			c.report(path, "give both name and e-mail", "has a maintainer %q without a name or an e-mail: the hub refuses it",
				m.Name+m.Email).withCauses(m.Name, m.Email)
		} else if _, err := mail.ParseAddress(m.Email); err != nil {
			c.report(path+".email", "write an address, for example name@example.com",
				"has the maintainer %q with the e-mail %q, which is not an address", m.Name, m.Email).withCauses(m.Name, m.Email)
		}
	}
	if len(c.csv.Spec.Links) == 0 {
		c.report("spec.links", "add name and url of at least one, for example of the documentation", "has no links: the hub refuses it")
	}
	for i, l := range c.csv.Spec.Links {
		path := fmt.Sprintf("spec.links[%d]", i)
		if l.Name == "" || l.URL == "" {
			c.report(path, "give both name and url", "has a link %q without a name or a url: the hub refuses it", l.Name+l.URL).withCauses(l.Name, l.URL)
		} else if _, err := url.ParseRequestURI(l.URL); err != nil {
			c.report(path+".url", "write a full URL, with https://", "has the link %q to %q, which is not a URL", l.Name, l.URL).withCauses(l.Name, l.URL)
		}
	}
}

// checkDescription looks at what users read before they install the operator (operator-pipelines: check_required_fields).
func checkDescription(c *bundleContents) {
	display := strings.TrimSpace(c.csv.Spec.DisplayName)
	if n := utf8.RuneCountInString(display); n > 0 && n < 3 {
		c.report("spec.displayName", "use at least 3 characters",
			"has the display name %q: the hub requires at least 3 characters", display).withCauses(display)
	} else if n > 50 {
		c.report("spec.displayName", "shorten it",
			"has a display name of %d characters: the hub allows at most 50, and the console truncates it", n).withCauses(display)
	}
	if n := utf8.RuneCountInString(strings.TrimSpace(c.csv.Spec.Description)); n < 20 && c.csv.Err == nil {
		c.report("spec.description", "describe what the operator does",
			"has a description of %d characters: the hub requires at least 20", n)
	}
}

// wantedAnnotations are those that the pipelines want (operator-pipelines: check_required_fields).
var wantedAnnotations = []struct {
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

func checkAnnotations(c *bundleContents) {
	var missing []string
	for _, a := range wantedAnnotations {
		text, ok := c.csv.Metadata.Annotations[a.key]
		if !ok {
			missing = append(missing, a.key)
		} else if a.fits != nil && !a.fits(text) {
			c.report(annotationPath(a.key), "write "+a.want, "has the annotation %s with %q, but the hub requires %s", a.key,
				text, a.want)
		}
	}
	if len(missing) > 0 {
		c.report("metadata.annotations", "add them", "lacks the %s %s, which the hub shows",
			plural(len(missing), "annotation", "annotations"), allOf(missing)).Each = missing
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

func checkCRDDescriptions(c *bundleContents) {
	var silent []string
	said := map[string]bool{}
	path := ""
	for list, all := range [][]csv.CRDDescription{c.csv.Spec.CRDs.Owned, c.csv.Spec.CRDs.Required} {
		for i, crd := range all {
			if strings.TrimSpace(crd.Description) != "" {
				continue
			}
			if path == "" {
				path = fmt.Sprintf("spec.customresourcedefinitions.%s[%d]", [...]string{"owned", "required"}[list], i)
			}
			if !said[crd.Name] {
				said[crd.Name] = true
				silent = append(silent, crd.Name)
			}
		}
	}
	if len(silent) > 0 {
		f := c.report(path, "add a description to each", "has no description of %s: the console shows only %s", allOf(silent),
			plural(len(silent), "its name", "their names"))
		f.Cause, f.Each = oncePerPackage(), silent
	}
}

// The annotations that OLM reads, whose letters have to be as they are (operator-framework/api: annotations.go).
var casedAnnotations = []string{"olm.operatorGroup", "olm.operatorNamespace", "olm.targetNamespaces", "olm.providedAPIs",
	"olm.skipRange"}

func checkAnnotationCase(c *bundleContents) {
	for _, want := range casedAnnotations {
		for _, key := range sortedKeys(c.csv.Metadata.Annotations) {
			if key != want && strings.EqualFold(key, want) {
				c.report(annotationPath(key), "write "+want,
					"has the annotation %q, which OLM only reads as %q: it has no effect", key, want)
			}
		}
	}
}
