package graphviz

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test program be the child that it starts, or a parent to be killed.
func TestMain(m *testing.M) {
	if IsChild() {
		os.Exit(Serve(os.Stdin, os.Stdout, os.Stderr))
	}
	if os.Getenv("DRAWING_TEST_PARENT") != "" {
		NewPool().Draw(context.Background(), endless(), SVG, 0)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const small = `digraph { rankdir=LR; node [shape=box fontname=Helvetica]
	a [label="etcd.v0.9.4\lhead\l" style="rounded,filled" fillcolor="#ddeeff" id="first" class="head" tooltip="a tip"]
	b [label=<<b>bold</b> and <i>not</i>>]; a -> b [label=skips style=dashed] }`

// endless is a graph that Graphviz does not finish: each of 60 nodes has an edge to all later ones.
func endless() []byte {
	var b strings.Builder
	b.WriteString("digraph {")
	for i := range 60 {
		for j := range i {
			fmt.Fprintf(&b, "%d->%d;", j, i)
		}
	}
	b.WriteString("}")
	return []byte(b.String())
}

func draw1(t *testing.T, dot string, f Format) []byte {
	t.Helper()
	picture, err := NewPool().Draw(t.Context(), []byte(dot), f, 0)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func TestSVG(t *testing.T) {
	picture := draw1(t, small, SVG)
	for _, part := range []string{`<g id="first" class="node head">`, `xlink:title="a tip"`, `>etcd.v0.9.4</text>`,
		`font-weight="bold"`, `stroke-dasharray`, `font-family="Helvetica`} {
		if !bytes.Contains(picture, []byte(part)) {
			t.Errorf("there is no %s in\n%s", part, picture)
		}
	}
	if again := draw1(t, small, SVG); !bytes.Equal(picture, again) {
		t.Error("a second drawing differs from the first")
	}
}

func TestPNG(t *testing.T) {
	picture := draw1(t, small, PNG)
	if again := draw1(t, small, PNG); !bytes.Equal(picture, again) {
		t.Error("a second drawing differs from the first")
	}
	once, twice := decode(t, picture).Bounds(), decode(t, draw1(t, "digraph { dpi=192; "+small[len("digraph {"):], PNG)).Bounds()
	if dx, dy := twice.Dx()-2*once.Dx(), twice.Dy()-2*once.Dy(); dx < -2 || dx > 2 || dy < -2 || dy > 2 {
		t.Errorf("with 192 pixels an inch the picture is %v, with 96 %v", twice, once)
	}
}

func decode(t *testing.T, picture []byte) image.Image {
	t.Helper()
	decoded, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	return decoded
}

// TestPainting checks points of pictures of one node, an inch in size, at 72 pixels per inch.
func TestPainting(t *testing.T) {
	red, green, black, white := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 255, 0, 255}, color.RGBA{0, 0, 0, 255}, color.RGBA{255, 255, 255, 255}
	var none color.RGBA
	tests := []struct {
		graph, node          string
		margin, edge, inside color.RGBA
	}{
		{"", "shape=box penwidth=4", white, black, white},
		{"", "shape=box penwidth=4 style=filled fillcolor=red color=green", white, green, red},
		{"", `shape=box penwidth=4 style="filled,rounded" fillcolor=red color=green`, white, green, red},
		{"", "shape=ellipse penwidth=4 style=filled fillcolor=red color=green", white, green, red},
		{"", "shape=box penwidth=4 style=filled fillcolor=red color=transparent", white, red, red},
		{"", `shape=box penwidth=4 style=filled fillcolor="red:white" color=green`, white, green, red},
		{"bgcolor=red;", "shape=box penwidth=4", red, black, red},
		{"bgcolor=transparent;", "shape=box penwidth=4", none, black, none},
	}
	for _, test := range tests {
		t.Run(test.graph+test.node, func(t *testing.T) {
			t.Parallel()
			dot := fmt.Sprintf(`digraph { dpi=72; %s a [label=" " width=1 height=1 %s] }`, test.graph, test.node)
			picture := decode(t, draw1(t, dot, PNG))
			for _, point := range []struct {
				x, y int
				want color.RGBA
			}{{1, 1, test.margin}, {margin + 36, margin, test.edge}, {margin + 36, margin + 36, test.inside}} {
				if got := color.RGBAModel.Convert(picture.At(point.x, point.y)); got != point.want {
					t.Errorf("%v at %d,%d, want %v", got, point.x, point.y, point.want)
				}
			}
		})
	}
}

// TestTextFits measures texts with the faces that they get.
func TestTextFits(t *testing.T) {
	f := newFonts()
	for _, name := range []string{"Helvetica", "Times", "Courier", "Helvetica-Bold", "", "?"} {
		face, text, width := f.fit(name, flagItalic, "prometheus-operator.v0.47.0 日本", 12, 100)
		if face == nil || width > 100.5 || !strings.HasSuffix(text, " \uFFFD\uFFFD") {
			t.Errorf("%s: %q is %.1f wide", name, text, width)
		}
	}
	if face, _, _ := f.fit("Times", 0, "x", 0, 100); face != nil {
		t.Error("a text without size is painted")
	}
}

func TestWrongGraphs(t *testing.T) {
	p := NewPool()
	for _, test := range []struct{ dot, want string }{
		{"digraph { a -> ", "syntax error in line 1"},
		{"digraph {\n a -> -> b }", "syntax error in line 2"},
		{"", "there is no graph"},
		{"{}", "syntax error"},
	} {
		for _, f := range []Format{SVG, PNG} {
			_, err := p.Draw(t.Context(), []byte(test.dot), f, 0)
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: the error is %v, want one with %s", test.dot, err, test.want)
			}
		}
	}
	if _, err := p.Draw(t.Context(), []byte(small), "gif", 0); err == nil {
		t.Error("a format that is not there is drawn")
	}
}

// TestHostileText checks that pictures with characters that neither XML nor JSON can have are well-formed, and that no file is
// read.
func TestHostileText(t *testing.T) {
	dot := "digraph { a [label=\"\x00\x01 \x1b[0m \xff <script> &amp; \uFFFE\" tooltip=\"\x02\"]; b [image=\"/etc/passwd\"] }"
	draw1(t, dot, PNG)
	d := xml.NewDecoder(bytes.NewReader(draw1(t, dot, SVG)))
	d.Strict = true
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func TestLimits(t *testing.T) {
	p := NewPool()
	for _, test := range []struct {
		dot  []byte
		f    Format
		want error
	}{
		{endless(), SVG, ErrTimeout},
		{[]byte("digraph { dpi=20000; a -> b }"), PNG, ErrMemory},
	} {
		begin := time.Now()
		_, err := p.Draw(t.Context(), test.dot, test.f, time.Second)
		if took := time.Since(begin); err != test.want || took > 5*time.Second {
			t.Errorf("the error is %v, after %s, want %v", err, took, test.want)
		}
	}
}

func TestCancelled(t *testing.T) {
	p := &Pool{slots: make(chan struct{}, 1)}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(200*time.Millisecond, func() { cancel(cause) })
	var all sync.WaitGroup
	for range 3 { // one draws, two wait for it
		all.Go(func() {
			if _, err := p.Draw(ctx, endless(), SVG, 0); !errors.Is(err, cause) {
				t.Errorf("the error is %v", err)
			}
		})
	}
	all.Wait()
	if len(p.slots) != 0 {
		t.Error("a place is still taken")
	}
}

// TestReuse has one child draw several pictures, and a new one after an error.
func TestReuse(t *testing.T) {
	p := &Pool{slots: make(chan struct{}, 1)}
	graphs := []string{small, "digraph { a -> b -> c; subgraph cluster_x { b } }", "digraph é { a [label=<<i>x</i>>] }", small}
	want := map[string][]byte{}
	for _, dot := range graphs {
		want[dot] = draw1(t, dot, SVG)
	}
	for round := range 2 {
		for i, dot := range graphs {
			picture, err := p.Draw(t.Context(), []byte(dot), SVG, 0)
			if err != nil || !bytes.Equal(picture, want[dot]) {
				t.Errorf("graph %d of a child that has drawn others differs: %v\n%s", i, err, picture)
			}
			if len(p.idle) != 1 || p.idle[0].pictures != i+1 {
				t.Fatalf("after graph %d there are the children %+v", i, p.idle)
			}
		}
		if _, err := p.Draw(t.Context(), []byte("digraph {"), SVG, 0); err == nil || len(p.idle) > 0 {
			t.Errorf("round %d: the error is %v, and there are %d children", round, err, len(p.idle))
		}
	}
}

// TestIdle waits for the end of a child without work.
func TestIdle(t *testing.T) {
	p := NewPool()
	if _, err := p.Draw(t.Context(), []byte(small), SVG, 0); err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	idle := slices.Clone(p.idle)
	p.mu.Unlock()
	if len(idle) == 0 {
		return // it has ended already
	}
	w := idle[0]
	for end := time.Now().Add(10 * idleTime); w.process.Process.Signal(syscall.Signal(0)) == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it has not ended")
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	p := NewPool()
	for b.Loop() {
		if _, err := p.Draw(b.Context(), []byte(small), SVG, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTogether(t *testing.T) {
	p := NewPool()
	want := draw1(t, small, SVG)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if got, err := p.Draw(t.Context(), []byte(small), SVG, 0); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%v, %d bytes, want %d", err, len(got), len(want))
			}
		})
	}
	all.Wait()
}
