package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// The elements of JUnit XML that readers agree on, as in the schema of Jenkins.

type junitReport struct {
	XMLName  xml.Name      `xml:"testsuites"`
	Name     string        `xml:"name,attr"`
	Tests    int           `xml:"tests,attr"`
	Failures int           `xml:"failures,attr"`
	Suites   []*junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Cases    []*junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Skipped string        `xml:"skipped,omitempty"`
	Failure *junitFailure `xml:"failure"`
	Output  string        `xml:"system-out,omitempty"`

	suppressed, warned, failed []string // what is said of each finding
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// content is the text of an element, with what ends the tag before it and starts the next one: in attributes both are escaped.
var content = regexp.MustCompile(`>[^<]*<`)

// JUnit writes a test suite for each package, with a test case for each rule that has findings there; a package without
// findings has one case that passes. A case fails if the rule has an error, and is skipped if all its findings are suppressed.
// Warnings are its output.
func JUnit(w io.Writer, r Report) error {
	out := junitReport{Name: "olmgraph", Suites: r.junitSuites()}
	at := map[string]*junitSuite{}
	for _, s := range out.Suites {
		at[s.Name] = s
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		name := suiteName(f.Package)
		if at[name] == nil {
			at[name] = &junitSuite{Name: name}
			out.Suites = append(out.Suites, at[name])
		}
		at[name].add(f, &r)
	}
	for _, s := range out.Suites {
		s.sum()
		out.Tests += s.Tests
		out.Failures += s.Failures
	}
	text, err := xml.MarshalIndent(out, "", "  ")
	if err == nil {
		// Encoded line breaks would make one line of each text.
		text = content.ReplaceAllFunc(text, func(c []byte) []byte { return bytes.ReplaceAll(c, []byte("&#xA;"), []byte("\n")) })
		_, err = w.Write(append([]byte(xml.Header), append(text, '\n')...))
	}
	return err
}

// suiteName returns the name of the suite of a package. Catalogs share it, as their findings are merged.
func suiteName(pkg string) string {
	return text.SafeLines(subjectHeading(&lint.Subject{Package: pkg}))
}

// junitSuites returns an empty suite for each checked package.
func (r Report) junitSuites() []*junitSuite {
	var all []*junitSuite
	met := map[string]bool{"": true}
	for _, c := range r.Catalogs {
		for _, p := range c.Packages {
			if name := p.Name.Value; !met[name] && (len(r.Packages) == 0 || slices.Contains(r.Packages, name)) {
				met[name] = true
				all = append(all, &junitSuite{Name: suiteName(name)})
			}
		}
	}
	return all
}

// add adds a finding to the case of its rule.
func (s *junitSuite) add(f *lint.Finding, r *Report) {
	i := slices.IndexFunc(s.Cases, func(c *junitCase) bool { return c.Name == f.Rule })
	if i < 0 {
		i = len(s.Cases)
		s.Cases = append(s.Cases, &junitCase{Name: f.Rule})
	}
	c := s.Cases[i]
	said := r.junitText(f)
	switch {
	case f.Suppressed != "":
		c.suppressed = append(c.suppressed, said+text.SafeLines("suppressed: "+f.Suppressed)+"\n")
	case f.Severity < lint.Error:
		c.warned = append(c.warned, said)
	default:
		if c.failed = append(c.failed, said); c.Failure == nil {
			c.Failure = &junitFailure{Message: text.SafeLines(text.Shorten(f.Message, mostLine)), Type: f.Severity.String()}
		}
	}
}

// junitText returns what is said of a finding, a line each of what it reports together.
func (r *Report) junitText(f *lint.Finding) string {
	said := fmt.Sprintf("%s: %s: %s", f.Pos, f.Severity, r.findingAdvice(f))
	for _, d := range firstRelated(f.Details) {
		said += fmt.Sprintf("\n  %s: %s", d.Pos, d.Message)
	}
	if left := len(f.Details) - mostListed; left > 0 {
		said += fmt.Sprintf("\n  and %d more", left)
	}
	return text.SafeLines(said) + "\n"
}

// sum sets the texts of the cases and the counts of the suite. Readers count a case with <skipped> as skipped, so only cases without other
// findings keep it.
func (s *junitSuite) sum() {
	if len(s.Cases) == 0 {
		s.Cases = []*junitCase{{Name: "lint"}}
	}
	for _, c := range s.Cases {
		c.Class = s.Name
		if c.Failure != nil {
			s.Failures++
			c.Failure.Text = strings.Join(c.failed, "")
		}
		if len(c.failed)+len(c.warned) == 0 && len(c.suppressed) > 0 {
			s.Skipped++
			c.Skipped = strings.Join(c.suppressed, "")
		} else {
			c.Output = strings.Join(append(c.warned, c.suppressed...), "")
		}
	}
	s.Tests = len(s.Cases)
}
