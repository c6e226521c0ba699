package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/render/text"
)

// gitlabIssue is an entry of a Code Quality report of GitLab, which is a subset of the format of Code Climate.
type gitlabIssue struct {
	Description string         `json:"description"`
	Check       string         `json:"check_name"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path  string `json:"path"`
	Lines struct {
		Begin int `json:"begin"`
	} `json:"lines"`
}

// GitLab writes the findings as a Code Quality report, which GitLab compares with that of the target branch.
func GitLab(w io.Writer, r Report) error {
	issues := []gitlabIssue{} // GitLab requires a list, even if it is empty
	met := map[string]int{}
	for f := range r.countedFindings() {
		issue := gitlabIssue{
			Description: r.findingAdvice(f),
			Check:       f.Rule,
			Fingerprint: gitlabFingerprint(f, met),
			Severity:    map[lint.Severity]string{lint.Error: "critical", lint.Warning: "minor", lint.Info: "info"}[f.Severity],
			Location:    gitlabLocation{Path: path.Clean(f.Pos.File)}, // GitLab does not accept ./file
		}
		issue.Location.Lines.Begin = max(f.Pos.Line, 1) // GitLab drops an issue without a line
		issues = append(issues, issue)
	}
	return text.JSON(w, issues)
}

// gitlabFingerprint distinguishes findings with the same fingerprint, of which GitLab would show one. It does not depend on
// lines, so that it stays the same when a finding moves.
func gitlabFingerprint(f *lint.Finding, met map[string]int) string {
	key := f.Fingerprint() + "\x00" + f.Catalog + "\x00" + f.Pos.File
	met[key]++
	sum := sha256.Sum256(fmt.Append([]byte(key), "\x00", met[key]))
	return hex.EncodeToString(sum[:16])
}
