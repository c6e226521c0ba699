package text

// Tree is a line of a tree, and the lines that branch off it.
type Tree struct {
	Label []Word
	Below []*Tree
}

// Add adds a line below another and returns it.
func (t *Tree) Add(label ...Word) *Tree {
	below := &Tree{Label: label}
	t.Below = append(t.Below, below)
	return below
}

// Tree writes a tree with the lines of a box, as cargo tree does. Labels are wrapped at blanks.
func (t *Writer) Tree(root *Tree) { t.tree(root, "", "") }

// tree writes a tree: first is before its label, rest is before all lines below.
func (t *Writer) tree(of *Tree, first, rest string) {
	hanging := rest
	if len(of.Below) > 0 {
		hanging += "│   "
	} else {
		hanging += "    "
	}
	t.Wrapped(first, hanging, of.Label...)
	for i, below := range of.Below {
		branch, line := "├── ", "│   "
		if i == len(of.Below)-1 {
			branch, line = "└── ", "    "
		}
		t.tree(below, rest+branch, rest+line)
	}
}
