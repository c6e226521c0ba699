package wording

import "github.com/olmgraph/olmgraph/graph"

// Told is what changed in a package, in words; or that several packages are new, or removed.
type Told struct {
	Packages []string
	Rows     []ToldRow // the worst first
}

// ToldRow is one sentence, or more than three differences of one kind in one.
type ToldRow struct {
	Kind     graph.DifferenceKind
	Channels []string // none where it is about the package
	Names    []string // what it is about, mostly entries
	Text     string   // without the channels
}
