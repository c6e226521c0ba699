// Package wording puts answers about edges, CRDs and namespaces into sentences that text, pictures and the page share.
package wording

import (
	"fmt"

	"github.com/olmgraph/olmgraph/graph"
)

// Version returns the version of a bundle, with its release, or its name if it has none.
func Version(a *graph.PackageGraph, name string) string {
	version := a.Version(name)
	if version == "" {
		return name
	}
	if b := a.Package.Bundle(name); b != nil && b.Release.Value != "" {
		version += " release " + b.Release.Value
	}
	return version
}

// Edge says what an edge says of its target: "replaces it", "skips it" or the skipRange.
func Edge(e graph.Edge, from string) string {
	switch e.Kind {
	case graph.SkipRange:
		return fmt.Sprintf("skipRange %q", e.Where.Value)
	case graph.SameVersion:
		return "has the same version as " + from
	}
	return e.Kind.String() + " " + from
}

// Refusal says that OLM v1 does not install what it chooses in the place of an installed bundle, and why.
func Refusal(a *graph.PackageGraph, r *graph.Refusal, installed string) string {
	if r.Bundle == installed {
		return fmt.Sprintf("OLM v1 stays and reports an error, because %s has the property %s (%s)", Version(a, r.Bundle), r.Property, r.Pos)
	}
	return fmt.Sprintf("OLM v1 chooses %s and does not install it, because it has the property %s (%s)", Version(a, r.Bundle), r.Property, r.Pos)
}

// EdgeClause is reason as half a sentence about the edge's target.
func EdgeClause(e graph.Edge, from string) string {
	switch e.Kind {
	case graph.SameVersion:
		return "it has the same version as " + from
	case graph.SkipRange:
		return fmt.Sprintf("its skipRange %q covers %s", e.Where.Value, from)
	}
	return "it " + e.Kind.String() + " " + from
}

// ShortEdge is the short reason for an edge.
func ShortEdge(e graph.Edge) string {
	switch e.Kind {
	case graph.SkipRange:
		return e.Where.Value
	case graph.SameVersion:
		return "same version"
	}
	return e.Kind.String()
}

// Stuck says why OLM v0 does not upgrade an entry of a channel, and what would allow it.
func Stuck(a *graph.PackageGraph, g *graph.Graph, s *graph.Stuck) []string {
	at := Version(a, g.Name(s.Entry))
	said := []string{fmt.Sprintf("It is stuck at %s: OLM v0 never upgrades it.", at)}
	for _, c := range s.Blocked {
		name := Version(a, g.Name(c.Edge.To))
		if c.SkippedBy.To < 0 {
			said = append(said, fmt.Sprintf("%s %s, but is never offered, because it is not in the chain of replaces from the head (%s).",
				name, Edge(c.Edge, at), c.Edge.Where.Pos))
			continue
		}
		said = append(said, fmt.Sprintf("%s %s, but is never offered, because %s skips it (%s).",
			name, Edge(c.Edge, at), Version(a, g.Name(c.SkippedBy.To)), c.SkippedBy.Where.Pos))
	}
	switch {
	case len(s.Unskip) > 0:
		for _, e := range s.Unskip {
			said = append(said, fmt.Sprintf("To fix it, remove %s from the skips of %s, which also replaces it.", g.Name(e.From), g.Name(e.To)))
		}
	case s.FixEntry >= 0:
		said = append(said, fmt.Sprintf("To fix it, add %s to the skips of %s.", g.Name(s.Entry), g.Name(s.FixEntry)))
	}
	return said
}
