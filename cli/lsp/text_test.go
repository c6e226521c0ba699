package lsp

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/edit"
	"github.com/olmgraph/olmgraph/lint"
)

// clientText is a text as an editor has it: units of UTF-16.
type clientText []uint16

func newClientText(s string) clientText { return utf16.Encode([]rune(s)) }

// offset returns the unit at a position.
func (c clientText) offset(p position) int {
	i := 0
	for line := uint32(0); line < p.Line; i++ {
		if i == len(c) {
			return i
		}
		if c[i] == '\n' {
			line++
		}
	}
	end := i
	for end < len(c) && c[end] != '\n' {
		end++
	}
	for end > i && c[end-1] == '\r' {
		end--
	}
	i = min(i+int(p.Character), end)
	if i > 0 && i < len(c) && utf16.IsSurrogate(rune(c[i-1])) && c[i]&0xFC00 == 0xDC00 && c[i-1]&0xFC00 == 0xD800 {
		i--
	}
	return i
}

func (c clientText) String() string { return string(utf16.Decode(c)) }

// TestEditsAreTheClients applies random changes to a text on both sides: both must have the same text after each.
func TestEditsAreTheClients(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{"a", "name: foo", "\n", "\r\n", "é", "𝄞", "\u2028", "", "---\n", "\t", "日本"}
	text := func() string {
		var b strings.Builder
		for range random.IntN(6) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return b.String()
	}
	for range 200 {
		start := text() + text()
		client, d := newClientText(start), &document{index: newIndex([]byte(start), false)}
		for range 50 {
			r := textRange{position{uint32(random.IntN(8)), uint32(random.IntN(12))}, position{uint32(random.IntN(8)), uint32(random.IntN(12))}}
			if before(r.End, r.Start) {
				r.Start, r.End = r.End, r.Start
			}
			with := text()
			from, to := client.offset(r.Start), client.offset(r.End)
			client = slices.Concat(client[:from], newClientText(with), client[to:])
			was := d.index.text
			d.replace(d.index.offset(r.Start), d.index.offset(r.End), with)
			if string(d.index.text) != client.String() {
				t.Fatalf("%q with %q at %v: the server has %q, the client %q", was, with, r, d.index.text, client)
			}
		}
	}
}

// FuzzIndex checks that positions of a text, of any bytes, lead back to their offsets, and that an edit gives the text that it is to.
func FuzzIndex(f *testing.F) {
	f.Add([]byte("a: b\r\nc: \"é𝄞\"\rd\n"), []byte("a: x\r\nc: \"è𝄞\"\rd\n"), 3, 7)
	f.Add([]byte("\xff\xfe\n\x80"), []byte(""), 0, 2)
	f.Add([]byte("é"), []byte("è"), -1, 100)
	f.Fuzz(func(t *testing.T, text, other []byte, from, to int) {
		for _, inBytes := range []bool{false, true} {
			x := newIndex(text, inBytes)
			for off := 0; off <= len(text); off++ {
				p := x.position(off)
				if back := x.offset(p); back > off || x.position(back) != p && back == off {
					t.Fatalf("offset %d of %q is %v, which is offset %d", off, text, p, back)
				}
				line, col := x.place(off)
				if back := x.posOffset(catalogs.Pos{File: "x", Line: line, Col: col}); back != off {
					t.Fatalf("offset %d of %q is %d:%d, which is offset %d", off, text, line, col, back)
				}
				if end := x.valueEnd(off); end < off || end > len(text) {
					t.Fatalf("the value at %d of %q ends at %d", off, text, end)
				}
				documentAround(text, off)
				cursorAt(x, off)
			}
			x.offset(position{uint32(from), uint32(to)})
			x.posOffset(catalogs.Pos{File: "x", Line: from, Col: to})
			packagesAround(text, min(max(from, 0), len(text)), min(max(from, to, 0), len(text)))
			if valid := bytes.ToValidUTF8(text, nil); len(valid) == len(text) && len(bytes.ToValidUTF8(other, nil)) == len(other) {
				d := &document{index: x}
				e := x.editTo(other)
				d.replace(d.index.offset(e.Range.Start), d.index.offset(e.Range.End), e.NewText)
				if !bytes.Equal(d.index.text, other) {
					t.Fatalf("the edits of %q to %q give %q", text, other, d.index.text)
				}
			}
		}
	})
}

// TestASCII compares positions in a text of ASCII, which are not counted, with those counted as in any other text.
func TestASCII(t *testing.T) {
	text := []byte("\n" + strings.Repeat("a", 50) + "\r\n\rb")
	plain, other := newIndex(text, false), newIndex(append(text, "é"...), false)
	for off := range len(text) + 1 {
		if got, want := plain.position(off), other.position(off); got != want || !plain.ascii || other.ascii {
			t.Errorf("%d: %v, want %v", off, got, want)
		}
	}
}

// TestMoved checks where positions are after a change.
func TestMoved(t *testing.T) {
	x := newIndex([]byte("one\ntwo three\nfour\n"), false)
	_, c := x.replace(strings.Index(string(x.text), "two"), strings.Index(string(x.text), " three"), "2\n2.5")
	for was, is := range map[[2]int][2]int{{1, 2}: {1, 2}, {2, 1}: {2, 1}, {2, 2}: {2, 1}, {2, 5}: {3, 5}, {3, 1}: {4, 1}} {
		if got := c.movePos(catalogs.Pos{Line: was[0], Col: was[1]}); got.Line != is[0] || got.Col != is[1] {
			t.Errorf("%v is moved to %v, want %v", was, got, is)
		}
	}
	if got := c.movePos(catalogs.Pos{File: "other", Line: 3, Col: 1}); got.Line != 3 {
		t.Errorf("another file is moved: %v", got)
	}
}

// TestEachPositionMoves checks that every position of a finding that an editor gets moves with the text, and only in the copy.
func TestEachPositionMoves(t *testing.T) {
	pos := catalogs.Pos{File: "c.yaml", Line: 3, Col: 1}
	was := lint.Finding{Pos: pos, Related: []lint.Related{{Pos: pos}}, Details: []lint.Related{{Pos: pos}}, Also: []lint.Occurrence{{Pos: pos}}, Edits: []edit.Edit{{Pos: pos}}}
	f := found{Finding: was}
	f.move(change{file: pos.File, fromLine: 1, fromCol: 1, untilLine: 1, untilCol: 1, toLine: 6, toCol: 1})
	places := func(f *lint.Finding) []int {
		return []int{f.Pos.Line, f.Related[0].Pos.Line, f.Details[0].Pos.Line, f.Also[0].Pos.Line, f.Edits[0].Pos.Line}
	}
	if got := places(&f.Finding); !slices.Equal(got, []int{8, 8, 8, 8, 8}) {
		t.Errorf("position, related, details, also and edits are in lines %v", got)
	}
	if got := places(&was); !slices.Equal(got, []int{3, 3, 3, 3, 3}) {
		t.Errorf("those of the finding that was copied are in lines %v", got)
	}
}

func TestPackagesAround(t *testing.T) {
	yaml := "schema: olm.package\nname: foo\n---\nschema: olm.channel\npackage: 'bar'\nproperties:\n- package: no\n---\nschema: olm.bundle\n"
	json := "{\n  \"schema\": \"olm.package\",\n  \"name\": \"foo\"\n}\n{\n    \"schema\": \"olm.bundle\",\n    \"x\": {\n        \"package\": \"no\"\n    },\n    \"package\": \"bar\"\n}\n"
	for _, c := range []struct {
		text, at string
		want     []string
	}{{yaml, "name", []string{"foo"}}, {yaml, "- package", []string{"bar"}}, {yaml, "olm.bundle", nil}, {json, "name", []string{"foo"}}, {json, "\"x\"", []string{"bar"}}} {
		i := strings.Index(c.text, c.at)
		if got, _ := packagesAround([]byte(c.text), i, i); !slices.Equal(got, c.want) {
			t.Errorf("the package at %q of %q is %q", c.at, c.text, got)
		}
	}
	if got, ok := packagesAround([]byte(yaml), 10, strings.Index(yaml, "bar")); !ok || !slices.Equal(got, []string{"foo", "bar"}) {
		t.Errorf("the packages of two documents are %q", got)
	}
}
