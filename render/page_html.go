package render

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
)

//go:embed page/page.html
var pageHTML string

//go:embed page/page.css
var pageCSS string

//go:embed page/page.js
var pageJS string

// filledPage is what stands in the places of the template.
type filledPage struct {
	Title    string
	Policy   template.HTML // a meta element
	Style    template.CSS
	Data     template.JS
	Pictures []template.HTML
	Script   template.JS
}

// HTML writes a page that needs nothing besides itself: packages, pictures and what is known of each bundle.
func HTML(w io.Writer, p *Page) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("the page's template: %w", err)
	}
	gathered, err := gather(p)
	if err != nil {
		return err
	}
	data, err := json.Marshal(gathered) // which escapes <, > and &, so that no name ends the element
	if err != nil {
		return err
	}
	filled := filledPage{Title: safe(p.Title), Policy: policy(pageJS), Style: template.CSS(pageCSS), Data: template.JS(data),
		Script: template.JS(pageJS)}
	for i := range p.Packages {
		filled.Pictures = append(filled.Pictures, picture(p.Packages[i].SVG))
	}
	return t.Execute(w, filled)
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
