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
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/inert"
	"github.com/olmgraph/olmgraph/render/text"
)

//go:embed *.js page.css page.html
var pageFiles embed.FS

// pageScripts are the files of the script in their order: data.js begins, and page.js starts it all.
func pageScripts() []string {
	return []string{"data.js", "router.js", "list.js", "needs.js", "picture.js", "traversal.js", "pointer.js", "details.js", "path.js", "page.js"}
}

// pageScript returns the files of the script as one.
func pageScript() (string, error) {
	var b strings.Builder
	b.WriteString("(() => {\n'use strict';\n\n")
	for _, name := range pageScripts() {
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

// filledPage is what stands in the places of the template.
type filledPage struct {
	Title    string
	Policy   template.HTML // a meta element
	Style    template.CSS
	Data     template.JS
	Pictures []template.HTML
	Web      template.HTML
	Script   template.JS
}

// HTML writes a page that needs nothing besides itself: packages, pictures and what is known of each bundle.
func HTML(w io.Writer, p *Page) error {
	t, err := template.ParseFS(pageFiles, "page.html")
	if err != nil {
		return fmt.Errorf("the page's template: %w", err)
	}
	filled, err := fillPage(p)
	if err != nil {
		return err
	}
	return t.Execute(w, filled)
}

func fillPage(p *Page) (*filledPage, error) {
	style, err := pageFiles.ReadFile("page.css")
	if err != nil {
		return nil, err
	}
	script, err := pageScript()
	if err != nil {
		return nil, err
	}
	gathered, err := dataOf(p)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(gathered) // which escapes <, > and &, so that no name ends the element
	if err != nil {
		return nil, err
	}
	filled := &filledPage{Title: text.Safe(p.Title), Policy: policy(script), Style: template.CSS(style), Data: template.JS(inert.JSON(data)),
		Script: template.JS(script)}
	filled.Web = picture(p.DependencySVG)
	for i := range p.Packages {
		filled.Pictures = append(filled.Pictures, picture(p.Packages[i].SVG))
	}
	return filled, nil
}

// policy forbids all scripts but one, and everything from outside.
func policy(script string) template.HTML {
	hash := sha256.Sum256([]byte(script))
	return template.HTML(fmt.Sprintf(`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; `+
		`style-src 'unsafe-inline'; script-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'">`,
		base64.StdEncoding.EncodeToString(hash[:])))
}

// picture returns the svg element of a document: in HTML no XML declaration or document type may stand before it.
func picture(svg []byte) template.HTML {
	if at := bytes.Index(svg, []byte("<svg")); at >= 0 {
		return template.HTML(svg[at:])
	}
	return ""
}
