package diagram

import (
	"strings"
	"testing"
)

// TestFocus draws what changed of a long channel, the stranded entries among it, and the rest folded.
func TestFocus(t *testing.T) {
	diagram := func(entries int, removed map[int]bool) *Diagram {
		g := Group{ID: "c0", Channel: "stable", Title: "channel stable"}
		for i := range entries {
			if removed[i] {
				continue
			}
			n := &Node{ID: "e0-" + string(rune('A'+i)), Name: "a.v1." + string(rune('A'+i))}
			if last := len(g.Nodes) - 1; last >= 0 && !removed[i-1] {
				g.Edges = append(g.Edges, &Edge{From: g.Nodes[last].ID, To: n.ID, Kind: kindNextReplaces})
			}
			g.Nodes = append(g.Nodes, n)
		}
		g.Nodes[len(g.Nodes)-1].Marks |= markHead
		return &Diagram{Kind: upgradeKind(), Groups: []Group{g}}
	}
	changes := Diff(diagram(40, nil), diagram(40, map[int]bool{20: true}))
	f, ok := Focus(changes, map[string][]string{"stable": {"a.v1.T", "a.v1.U"}})
	if !ok || f.Left != 0 || strings.Count(f.Mermaid, "stranded") != 2 || strings.Count(f.Mermaid, `<br/>head"`) != 1 {
		t.Errorf("%v, left %d\n%s", ok, f.Left, f.Mermaid)
	}
	if nodes := strings.Count(f.Mermaid, "v1."); nodes != 7 || !strings.Contains(f.Mermaid, "a.v1.A to a.v1.S<br/>chain of 19 versions") {
		t.Errorf("%d entries:\n%s", nodes, f.Mermaid)
	}
	if _, ok := Focus(Diff(diagram(3, nil), diagram(3, nil)), nil); ok {
		t.Error("nothing changed, and it is drawn")
	}
}

// TestFocusFormerHead: the former head, by which a new one is reached, is drawn beside many stranded versions, which are one node.
func TestFocusFormerHead(t *testing.T) {
	group := func(id, channel string) Group {
		g := Group{ID: id, Channel: channel, Title: "channel " + channel}
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			g.Nodes = append(g.Nodes, &Node{ID: id + name, Name: name, Marks: markStuck})
		}
		g.Nodes = append(g.Nodes, &Node{ID: id + "former", Name: "former", Marks: markChanged}, &Node{ID: id + "head", Name: "head", Marks: markHead | MarkAdded})
		g.Edges = []*Edge{{From: id + "former", To: id + "head", Kind: kindNextReplaces, Marks: MarkAdded}}
		return g
	}
	stranded := []string{"a", "b", "c", "d", "e", "f"}
	f, ok := Focus(&Diagram{Kind: upgradeKind(), Groups: []Group{group("c0", "x"), group("c1", "y")}}, map[string][]string{"x": stranded, "y": stranded})
	if !ok || strings.Count(f.Mermaid, `"added"`) != 2 || strings.Count(f.Mermaid, "a to f<br/>6 versions<br/>stuck, stranded") != 2 || f.Left != 0 {
		t.Errorf("%v, left %d\n%s", ok, f.Left, f.Mermaid)
	}
}

// TestMermaidStatement: a name is not taken for the statement "direction", as Mermaid would even in quotes.
func TestMermaidStatement(t *testing.T) {
	if got := mermaidLabel("my direction LR"); got != `"my direction#32;LR"` {
		t.Error(got)
	}
}
