package wording

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/lint"
)

// CRDVersions lists the versions of a CRD with their properties. Versions without a note are served.
func CRDVersions(s *preflight.CRDRevision) string {
	switch {
	case s.Error != "":
		return "cannot be read"
	case !s.InBundle:
		return "-"
	}
	var all []string
	for _, v := range s.Versions {
		var marks []string
		if v.Storage {
			marks = append(marks, "stored")
		}
		if !v.Served {
			marks = append(marks, "not served")
		}
		if v.Deprecated {
			marks = append(marks, "deprecated")
		}
		all = append(all, v.Name+parenthesized(strings.Join(marks, ", ")))
	}
	return strings.Join(all, ", ")
}

// CRDChanges describes what changes with a bundle, and its severity: Error if an upgrade is rejected or the CRD cannot be read,
// Warning if OLM v1 rejects it, otherwise Off.
func CRDChanges(s *preflight.CRDRevision) (string, lint.Severity) {
	if s.Error != "" {
		return s.Error, lint.Error
	}
	var said []string
	refused := 0
	for _, c := range s.Changes {
		if c.Schema {
			refused++
		} else {
			said = append(said, c.Message)
		}
	}
	switch {
	case refused == 1:
		said = append(said, "1 change that OLM v1 rejects")
	case refused > 1:
		said = append(said, fmt.Sprintf("%d changes that OLM v1 rejects", refused))
	case s.TextChanged && len(said) == 0:
		said = append(said, "only additions or changed texts")
	}
	if lost := s.MissingVersions; len(lost) > 0 {
		return strings.Join(append([]string{"rejected where " + strings.Join(lost, " or ") + " is still stored"}, said...), "; "), lint.Error
	}
	if refused > 0 {
		return strings.Join(said, "; "), lint.Warning
	}
	return strings.Join(said, "; "), lint.Off
}
