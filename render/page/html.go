package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/render/diagram"
	"github.com/olmgraph/olmgraph/render/text"
)

//go:embed *.js *.css *.html
var pageFiles embed.FS

// pageScripts returns the script files in order. data.js must be first, and page.js, which starts the page, last.
func pageScripts() []string {
	return []string{"data.js", "filters.js", "router.js", "command.js", "list.js", "home.js", "requirements.js", "picture.js", "traversal.js", "pointer.js", "details.js", "path.js", "theme.js", "page.js"}
}

// joinScripts returns script files as one script.
func joinScripts(names []string) (string, error) {
	var b strings.Builder
	b.WriteString("(() => {\n'use strict';\n\n")
	for _, name := range names {
		text, err := pageFiles.ReadFile(name)
		if err != nil {
			return "", err
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	b.WriteString("})();\n")
	return b.String(), nil
}

// templateData is the data of the template page.html.
type templateData struct {
	Title    string
	Policy   template.HTML // a meta element
	Style    template.CSS
	Data     template.JS
	Pictures []pageImage
	Script   template.JS
}

// pageImage is a picture with the ID of its element.
type pageImage struct {
	ID      string
	Picture template.HTML
}

// HTML writes a page without external resources: packages, pictures and the details of each bundle.
func HTML(w io.Writer, p *Page) error {
	t, err := template.ParseFS(pageFiles, "page.html")
	if err != nil {
		return fmt.Errorf("the page's template: %w", err)
	}
	filled, err := newTemplateData(p)
	if err != nil {
		return err
	}
	return t.Execute(w, filled)
}

func newTemplateData(p *Page) (*templateData, error) {
	style, err := pageStyle("page.css")
	if err != nil {
		return nil, err
	}
	script, err := joinScripts(pageScripts())
	if err != nil {
		return nil, err
	}
	gathered, err := newPageData(p)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(gathered) // escapes <, > and &, so that no name ends the element
	if err != nil {
		return nil, err
	}
	filled := &templateData{Title: text.Safe(p.Title), Policy: policy(script), Style: style + template.CSS(diagram.SVGStyle()), Data: template.JS(words.JSON(data)),
		Script: template.JS(script)}
	at := newPlaces(p.Roots)
	add := func(id string, svg []byte) {
		if len(svg) > 0 {
			filled.Pictures = append(filled.Pictures, pageImage{id, picture([]byte(at.shorten(string(svg))))})
		}
	}
	for i := range p.Packages {
		shown := &p.Packages[i]
		add(fmt.Sprintf("picture-%d", i), shown.SVG)
		add(fmt.Sprintf("picture-%d-folded", i), shown.FoldedSVG)
		add(fmt.Sprintf("picture-%d-versions", i), shown.VersionsSVG)
		add(fmt.Sprintf("picture-%d-change", i), shown.ChangeSVG)
		add(fmt.Sprintf("picture-%d-change-folded", i), shown.FoldedChangeSVG)
		for _, version := range slices.Sorted(maps.Keys(shown.Others)) {
			add(fmt.Sprintf("picture-%d-v%s", i, version), shown.Others[version].SVG)
			add(fmt.Sprintf("picture-%d-v%s-folded", i, version), shown.Others[version].FoldedSVG)
		}
		if shown.Before != nil {
			add(fmt.Sprintf("picture-%d-before", i), shown.Before.SVG)
			add(fmt.Sprintf("picture-%d-before-folded", i), shown.Before.FoldedSVG)
		}
	}
	return filled, nil
}

// pageStyle returns the style that all pages have, and a file of one.
func pageStyle(name string) (template.CSS, error) {
	theme, err := pageFiles.ReadFile("theme.css")
	if err != nil {
		return "", err
	}
	own, err := pageFiles.ReadFile(name)
	light, dark := diagram.ThemeVariables()
	colors := fmt.Sprintf(":root{%s}\n@media screen and (prefers-color-scheme:dark){:root{%s}}\n", light, dark)
	return template.CSS(colors) + template.CSS(theme) + template.CSS(own), err
}

// policy returns a Content-Security-Policy that allows only this script, and nothing from the network.
func policy(script string) template.HTML {
	hash := sha256.Sum256([]byte(script))
	return template.HTML(fmt.Sprintf(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; `+
		`style-src 'unsafe-inline'; script-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'">`,
		base64.StdEncoding.EncodeToString(hash[:])))
}

// picture returns the svg element of a document: HTML allows no XML declaration or document type before it. The page has the style,
// once for all pictures.
func picture(svg []byte) template.HTML {
	_, svg, found := bytes.Cut(svg, []byte("<svg"))
	if !found {
		return ""
	}
	begin, rest, _ := bytes.Cut(svg, []byte("<style>"))
	_, rest, _ = bytes.Cut(rest, []byte("</style>"))
	return template.HTML("<svg" + string(begin) + string(rest))
}
