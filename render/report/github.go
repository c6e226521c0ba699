package report

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// mostAnnotations is the number of annotations of a level that GitHub shows of a step; it drops the others.
const mostAnnotations = 10

// GitHub writes the findings as workflow commands, which GitHub Actions shows as annotations: of each level as many as it shows, the
// worst first, and a line with the number of the others. Where nothing was checked it says so: a check with the wrong base would always pass.
func GitHub(w io.Writer, r Report) error {
	b := bufio.NewWriter(w)
	var left []string
	for s := lint.Error; s > lint.Off; s-- {
		n := 0
		for f := range r.countedFindings() {
			if f.Severity != s {
				continue
			}
			if n++; n <= mostAnnotations {
				fmt.Fprintf(b, "::%s %s::%s\n", map[lint.Severity]string{lint.Error: "error", lint.Warning: "warning", lint.Info: "notice"}[s], githubProperties(f), githubData(text.SafeLines(r.findingAdvice(f))))
			}
		}
		if n > mostAnnotations {
			left = append(left, words.Count(n-mostAnnotations, "more "+s.String()))
		}
	}
	if len(left) > 0 {
		fmt.Fprintf(b, "Not annotated, since GitHub shows %d annotations of a level: %s. The other formats have them.\n", mostAnnotations, words.And(left))
	}
	if r.Linted == 0 && len(r.Findings) == 0 {
		fmt.Fprintf(b, "::notice title=olmgraph::%s\n", githubData(text.SafeLines(r.clean()+words.Prefix("; compared with ", r.Base))))
	}
	return b.Flush()
}

// githubProperties returns the properties of a finding without those that are not known: a line 0 would be an error.
func githubProperties(f *lint.Finding) string {
	var all []string
	if f.Pos.IsKnown() {
		all = append(all, "file="+githubProperty(text.SafeLines(path.Clean(f.Pos.File)))) // GitHub does not accept ./file
	}
	if f.Pos.Line > 0 {
		all = append(all, fmt.Sprintf("line=%d,col=%d", f.Pos.Line, f.Pos.Col))
	}
	return strings.Join(append(all, "title="+githubProperty(f.Rule)), ",")
}

// githubData escapes the message of a workflow command as the runner decodes it, and disables commands in it.
func githubData(s string) string {
	s = words.EscapeCommands(s)
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// githubProperty escapes the value of a property, which a comma or a colon would end.
func githubProperty(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(githubData(s))
}
