package graphviz

import (
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gobolditalic"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
)

// fonts are those that texts are painted with: the Go fonts, which are in the program, so that a picture is the same on
// every machine. Graphviz, which has none, takes widths from tables for Helvetica (which does for Arial), Times and Courier.
type fonts struct {
	faces map[key]font.Face
}

type key struct {
	file *byte // the first of it
	size float64
}

func newFonts() *fonts { return &fonts{faces: map[key]font.Face{}} }

// What the flags of a text mean.
const (
	flagBold   = 1
	flagItalic = 2
)

// fit returns a face for a text, the text as it can be painted with it, and how wide that is. The face is of that size or,
// where the text would then be too wide, of a smaller one. It is nil if there is nothing to paint.
func (f *fonts) fit(name string, flags int, text string, size, widest float64) (font.Face, string, float64) {
	file := fileOf(name, flags)
	face := f.face(file, size)
	if face == nil || text == "" {
		return nil, "", 0
	}
	text = strings.Map(func(r rune) rune {
		if _, ok := face.GlyphAdvance(r); !ok {
			return '\uFFFD' // it would leave no trace
		}
		return r
	}, text)
	width := widthOf(face, text)
	if width > widest && widest > 0 {
		if smaller := f.face(file, size*widest/width); smaller != nil {
			face, width = smaller, widthOf(smaller, text)
		}
	}
	return face, text, width
}

func widthOf(face font.Face, text string) float64 {
	return float64(font.MeasureString(face, text)) / 64
}

// face is nil where there can be none.
func (f *fonts) face(file []byte, size float64) font.Face {
	if face, known := f.faces[key{&file[0], size}]; known {
		return face
	}
	parsed, err := opentype.Parse(file)
	if err != nil || !(size > 0) {
		return nil
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: pointsPerInch})
	if err != nil {
		return nil
	}
	f.faces[key{&file[0], size}] = face
	return face
}

// fileOf chooses a font by what the name says of it.
func fileOf(name string, flags int) []byte {
	name = strings.ToLower(name)
	bold := flags&flagBold != 0 || strings.Contains(name, "bold")
	italic := flags&flagItalic != 0 || strings.Contains(name, "italic") || strings.Contains(name, "oblique")
	switch mono := strings.Contains(name, "mono") || strings.Contains(name, "courier"); {
	case mono && bold:
		return gomonobold.TTF
	case mono:
		return gomono.TTF
	case bold && italic:
		return gobolditalic.TTF
	case bold:
		return gobold.TTF
	case italic:
		return goitalic.TTF
	}
	return goregular.TTF
}
