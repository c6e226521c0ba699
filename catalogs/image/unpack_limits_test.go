package image

import (
	"archive/tar"
	"errors"
	"math"
	"strings"
	"testing"
)

// TestClearedOnce has whiteouts of one folder again in a layer: they must not look at its files again, or the time is quadratic.
func TestClearedOnce(t *testing.T) {
	tr := newTree(".")
	add := func() {
		if err := tr.add("p/a", &node{kind: regular}); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what string, there bool) {
		if (tr.lookup("p/a") != nil) != there {
			t.Errorf("%s: there %v, want %v", what, !there, there)
		}
	}
	add()
	tr.makeOpaque("p", 1)
	expect("cleared", false)
	add() // as if of a lower layer, to see whether it is looked at
	tr.makeOpaque("p", 1)
	expect("cleared again", true)
	tr.whiteout("p", 1)
	expect("deleted", true)
	tr.makeOpaque("p", 2)
	expect("cleared by the next layer", false)
}

// TestHugeSize has a sparse file so large that its size and that of another overflow.
func TestHugeSize(t *testing.T) {
	u := unpacker{tree: newTree("configs"), max: 1 << 20}
	if err := u.file("configs/a", &tar.Header{Typeflag: tar.TypeReg, Size: 1}, strings.NewReader("x"), 0); err != nil {
		t.Fatal(err)
	}
	h := &tar.Header{Typeflag: tar.TypeGNUSparse, Size: math.MaxInt64}
	var large tooLarge
	if err := u.file("configs/b", h, strings.NewReader(""), 0); !errors.As(err, &large) {
		t.Error(err)
	}
}
