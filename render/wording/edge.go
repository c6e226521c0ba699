// Package wording describes edges, CRDs and namespaces in sentences for text, pictures and the page.
package wording

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
)

// Version returns the version of a bundle, with its release, or its name if it has none.
func Version(pg *graph.PackageGraph, name string) string {
	version := pg.Version(name)
	if version == "" {
		return name
	}
	if b := pg.Package.Bundle(name); b != nil && b.Release.Value != "" {
		version += " release " + b.Release.Value
	}
	return version
}

// Edge returns the predicate of an edge about its target: "replaces FROM", "skips FROM" or the skipRange.
func Edge(e graph.Edge, from string) string {
	switch e.Kind {
	case graph.SkipRange:
		return fmt.Sprintf("skipRange %q", e.Where.Value)
	case graph.SameVersion:
		return "has the same version as " + from
	}
	return e.Kind.String() + " " + from
}

// Refusal says which bundle OLM v1 chooses instead of an installed one but does not install, and why.
func Refusal(pg *graph.PackageGraph, r *graph.Refusal, installed string) string {
	if r.Bundle == installed {
		return fmt.Sprintf("OLM v1 stays and reports an error, because %s has the property %s (%s)", Version(pg, r.Bundle), r.Property, r.Pos)
	}
	return fmt.Sprintf("OLM v1 chooses %s and does not install it, because it has the property %s (%s)", Version(pg, r.Bundle), r.Property, r.Pos)
}

// EdgeClause is Edge as a clause: "it replaces FROM".
func EdgeClause(e graph.Edge, from string) string {
	switch e.Kind {
	case graph.SameVersion:
		return "it has the same version as " + from
	case graph.SkipRange:
		return fmt.Sprintf("its skipRange %q covers %s", e.Where.Value, from)
	}
	return "it " + e.Kind.String() + " " + from
}

// ShortEdge returns the kind of an edge, or its skipRange.
func ShortEdge(e graph.Edge) string {
	switch e.Kind {
	case graph.SkipRange:
		return e.Where.Value
	case graph.SameVersion:
		return "same version"
	}
	return e.Kind.String()
}

// Unordered says what it means that OLM v0 cannot order a channel.
func Unordered(g *graph.Graph, err *graph.OrderError) string {
	return fmt.Sprintf("OLM v0 cannot order channel %q (%s): it upgrades nothing, and a subscription to it prevents OLM v0 from resolving its namespace.", g.Channel.Name.Value, err)
}

// NeverOffered says why OLM v0 never offers an entry of a channel: by is what skips it, or no edge.
func NeverOffered(pg *graph.PackageGraph, g *graph.Graph, name string, by graph.Edge) string {
	at := ""
	if by.To >= 0 {
		at = fmt.Sprintf(" (%s)", by.Where.Pos)
	}
	version := func(name string) string { return Version(pg, name) }
	return fmt.Sprintf("OLM v0 never offers %s, which is %s%s.", version(name), g.WhyNeverOffered(by, version), at)
}

// VersionJump says of an upgrade which versions it skips, or that it is a downgrade or to another major version; "" for any other.
func VersionJump(pg *graph.PackageGraph, from, to string) string {
	switch jump := pg.VersionJump(from, to); {
	case jump.Downgrade:
		return "a downgrade"
	case jump.Skipped != "":
		return "skips " + jump.Skipped
	case jump.Major:
		return "major version upgrade"
	}
	return ""
}

// Stuck explains why OLM v0 does not upgrade an entry of a channel, and how to fix it.
func Stuck(pg *graph.PackageGraph, g *graph.Graph, s *graph.Stuck) []string {
	sentences := []string{fmt.Sprintf("It is stuck at %s: %s.", Version(pg, g.Name(s.Entry)), graph.NeverUpgrades)}
	for i := range s.Blocked {
		c := &s.Blocked[i]
		at := c.Edge.Where.Pos
		if c.SkippedBy.To >= 0 {
			at = c.SkippedBy.Where.Pos
		}
		sentences = append(sentences, fmt.Sprintf("%s (%s).", c.Why(g, func(name string) string { return Version(pg, name) }), at))
	}
	switch {
	case len(s.Unskip) > 0:
		all := words.Map(s.Unskip, func(e graph.Edge) string {
			return fmt.Sprintf("%s from the skips of %s, which also replaces it", g.Name(e.From), g.Name(e.To))
		})
		sentences = append(sentences, "To fix it, remove "+strings.Join(all, "; and ")+".")
	case s.FixEntry >= 0:
		sentences = append(sentences, fmt.Sprintf("To fix it, add %s to the skips of %s.", g.Name(s.Entry), g.Name(s.FixEntry)))
	}
	return sentences
}
