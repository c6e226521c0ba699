package catalog

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
)

var icon = lint.Rule{
	ID: "catalog/icon", Severity: lint.Warning, Gates: lint.GateAdvice,
	Doc: `the icon cannot be shown
The console shows the icon of the package object. It needs data, a media type that begins with image/, and data of that type.
Set icon.base64data and icon.mediatype to match.`,
	Reference: "operator-registry alpha/model Icon.Validate",
	Check:     checkIcon,
}

func checkIcon(p *lint.Pass) {
	icon := p.Package.Icon
	if icon == nil {
		return
	}
	f := lint.Finding{Pos: icon.Pos}
	kind := icon.MediaType.Value
	data, err := base64.StdEncoding.DecodeString(icon.Data.Value)
	if err != nil {
		return // reported by catalog/field-type
	}
	actual := imageType(data)
	f.Cause = []string{kind, actual}
	switch {
	case len(data) == 0:
		f.Message, f.Fix = "the icon has no data: the console shows a placeholder", "set icon.base64data, or remove the icon"
	case kind == "":
		f.Message, f.Fix = "the icon has no media type: the console cannot show it", "set icon.mediatype"
		if actual != "" {
			f.Fix += " to " + actual
		}
	case !strings.HasPrefix(kind, "image/"):
		f.Pos = icon.MediaType.Pos
		f.Message, f.Fix = fmt.Sprintf("the icon's media type %q is not an image type", kind), "set it to the type of the data"
	case actual == "":
		f.Pos = icon.Data.Pos
		f.Message, f.Fix = "the icon's data is not an image that browsers show", "use SVG or PNG"
	case actual != kind:
		f.Pos = icon.MediaType.Pos
		f.Message = fmt.Sprintf("the icon's media type is %s, but its data is %s: browsers may not show it", kind, actual)
		f.Fix = "set icon.mediatype to " + actual
	default:
		return
	}
	p.Report(f)
}

// imageType returns the media type of an image, "" if it is not known.
func imageType(data []byte) string {
	for _, t := range []struct{ magic, name string }{
		{"\x89PNG\r\n\x1a\n", "image/png"},
		{"\xff\xd8\xff", "image/jpeg"},
		{"GIF8", "image/gif"},
		{"BM", "image/bmp"},
		{"\x00\x00\x01\x00", "image/x-icon"},
	} {
		if bytes.HasPrefix(data, []byte(t.magic)) {
			return t.name
		}
	}
	switch {
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "image/webp"
	case bytes.Contains(data, []byte("<svg")) || bytes.Contains(data, []byte(":svg")):
		return "image/svg+xml"
	}
	return ""
}
