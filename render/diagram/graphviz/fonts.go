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

// fonts are the faces of the Go fonts, which are part of the program, so that pictures are the same on all machines. Graphviz
// itself has no fonts; it has tables of the widths of Helvetica (used for Arial), Times and Courier.
type fonts struct {
	faces map[faceKey]font.Face
}

type faceKey struct {
	file *byte // first byte of the font file
	size float64
}

func newFonts() *fonts { return &fonts{faces: map[faceKey]font.Face{}} }

// Flags of a text in the output of Graphviz.
const (
	flagBold   = 1
	flagItalic = 2
)

// fit returns a face for a text, the text with unknown characters replaced, and its width. The face has the given size, or a
// smaller one if the text would be wider than widest. It is nil if there is nothing to paint.
func (f *fonts) fit(name string, flags int, text string, size, widest float64) (font.Face, string, float64) {
	file := fontFile(name, flags)
	face := f.face(file, size)
	if face == nil || text == "" {
		return nil, "", 0
	}
	text = strings.Map(func(r rune) rune {
		if _, ok := face.GlyphAdvance(r); !ok {
			return '\uFFFD' // otherwise it would be missing from the picture
		}
		return r
	}, text)
	width := measureText(face, text)
	if width > widest && widest > 0 {
		if smaller := f.face(file, size*widest/width); smaller != nil {
			face, width = smaller, measureText(smaller, text)
		}
	}
	return face, text, width
}

func measureText(face font.Face, text string) float64 {
	return float64(font.MeasureString(face, text)) / 64
}

// face returns a face of a font file, or nil if there is none.
func (f *fonts) face(file []byte, size float64) font.Face {
	if face, known := f.faces[faceKey{&file[0], size}]; known {
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
	f.faces[faceKey{&file[0], size}] = face
	return face
}

// fontFile returns the font file for a font name and flags.
func fontFile(name string, flags int) []byte {
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
