package tree

import (
	"slices"
	"testing"
)

func TestComments(t *testing.T) {
	text := "# olmgraph:ignore a/b above\n\n# another comment\nname: x\nskips: [] # olmgraph:ignore c/*  behind \nnone:# olmgraph:ignore x\n  # olmgraph:ignore\n"
	want := []Comment{
		{Line: 7, Col: 1, About: 10, Rule: "a/b", Reason: "above", Text: "name: x"},
		{Line: 11, Col: 11, About: 11, Rule: "c/*", Reason: "behind", Text: "skips: []"},
		{Line: 13, Col: 3, About: 13},
	}
	if got := SuppressingComments([]byte(text), 7); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}
