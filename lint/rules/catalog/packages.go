package catalog

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/names"
	"github.com/olmgraph/olmgraph/lint/rules/internal/versions"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

func checkPackageName(p *lint.Pass) {
	if name := p.Package.Name; p.Package.Defined() && !names.DNSLabel.MatchString(name.Value) {
		f := lint.Finding{Pos: name.Pos, Message: fmt.Sprintf("opm rejects the package name %q", name.Value),
			Fix: "use at most 63 lower-case letters, digits and hyphens, no dot, in every object that names the package"}
		if name.Value == "" {
			f.Pos, f.Message, f.Fix = p.Package.Pos, "a package without a name", "add its name, as the other objects name it"
		}
		p.Report(f)
	}
}

func checkDuplicatePackage(p *lint.Pass) {
	for _, pos := range p.Package.Duplicates {
		p.Report(lint.Finding{
			Pos:     pos,
			Message: fmt.Sprintf("package %q is defined a second time", p.Package.Name.Value),
			Fix:     "keep one of the two olm.package objects",
			Related: []lint.Related{{Pos: p.Package.Pos, Message: "first defined here"}},
		})
	}
}

func checkDefaultChannel(p *lint.Pass) {
	pkg := p.Package
	name := pkg.DefaultChannel
	if !pkg.Defined() || len(pkg.Channels) == 0 || pkg.Channel(name.Value) != nil && name.Value != "" || p.Catalog.MayBeUnread(name.Value) {
		return
	}
	channels := pkg.ChannelNames()
	f := lint.Finding{Cause: []string{name.Value}, Pos: pkg.Pos, Message: "no default channel is set: opm requires one even if there is only one channel",
		Fix: "set defaultChannel to " + words.OneOf(channels)}
	if name.Value != "" {
		f.Pos = name.Pos
		f.Message = fmt.Sprintf("the default channel %q does not exist: a Subscription without a channel gets nothing", name.Value)
		f.Fix = fmt.Sprintf("set defaultChannel to %s, or add the channel", words.OneOf(channels))
		if near, ok := spelling.NearestWord(name.Value, channels); ok {
			f.Message = fmt.Sprintf("the default channel %q does not exist: did you mean %q?", name.Value, near)
		}
	}
	p.Report(f)
}

func checkNoChannels(p *lint.Pass) {
	if p.Package.Defined() && p.Package.Name.Value != "" && len(p.Package.Channels) == 0 && !p.Catalog.MayBeUnread(p.Package.Name.Value) {
		p.Report(lint.Finding{
			Pos:     p.Package.Pos,
			Message: fmt.Sprintf("package %q has no channel: it cannot be installed", p.Package.Name.Value),
			Fix:     fmt.Sprintf("add an olm.channel object with package: %s, or remove the package", p.Package.Name.Value),
		})
	}
}

func checkUnknownPackage(p *lint.Pass) {
	name := p.Package.Name.Value
	misspelt(p, catalogs.UnknownPackage, "write %s, or add an olm.package object")
	if p.Package.Defined() || p.Catalog.MayBeUnread(name) {
		return
	}
	near := versions.NearestPackage(p.Catalog, name)
	report := func(pkg catalogs.Text, pos catalogs.Pos, subject lint.Subject, what string) {
		f := lint.Finding{Subject: subject, Pos: pkg.Pos,
			Message: fmt.Sprintf("%s belongs to package %q, which no olm.package object defines", what, name),
			Fix:     "correct the name, or add the olm.package object"}
		if near != "" {
			f.Fix = fmt.Sprintf("did you mean %q? Otherwise add the olm.package object", near)
		}
		if name == "" {
			f.Pos, f.Message, f.Fix = pos, what+" does not name its package", "add package"
		}
		p.Report(f)
	}
	for _, c := range p.Package.Channels {
		report(c.Package, c.Pos, lint.Subject{Channel: c.Name.Value}, fmt.Sprintf("channel %q", c.Name.Value))
	}
	for _, b := range p.Package.Bundles {
		report(b.Package, b.Pos, lint.Subject{Bundle: b.Name.Value}, fmt.Sprintf("bundle %q", b.Name.Value))
	}
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
