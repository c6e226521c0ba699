package csv

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/mail"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// checkPublisher checks provider, maintainers and links.
func checkPublisher(c *contents.Contents) {
	if strings.TrimSpace(c.CSV.Spec.Provider.Name) == "" {
		c.Report("spec.provider", "set spec.provider.name", "has no provider: the pipelines reject it")
	}
	if len(c.CSV.Spec.Maintainers) == 0 {
		c.Report("spec.maintainers", "add name and e-mail of at least one",
			"has no maintainers: the community pipeline rejects it, and users have no contact").Gates = lint.GateCommunity
	}
	for i, m := range c.CSV.Spec.Maintainers {
		path := fmt.Sprintf("spec.maintainers[%d]", i)
		if m.Name == "" || m.Email == "" {
			c.Report(path, "give both name and e-mail", "has a maintainer %q without a name or an e-mail: the pipelines reject it",
				m.Name+m.Email).WithCause(m.Name, m.Email)
		} else if _, err := mail.ParseAddress(m.Email); err != nil {
			c.Report(path+".email", "write an address, for example name@example.com",
				"has the maintainer %q with the e-mail %q, which is not an address", m.Name, m.Email).WithCause(m.Name, m.Email)
		}
	}
	if len(c.CSV.Spec.Links) == 0 {
		c.Report("spec.links", "add name and url of at least one, for example of the documentation", "has no links: the community pipeline rejects it").
			Gates = lint.GateCommunity
	}
	for i, l := range c.CSV.Spec.Links {
		path := fmt.Sprintf("spec.links[%d]", i)
		if l.Name == "" || l.URL == "" {
			c.Report(path, "give both name and url", "has a link %q without a name or a url: the pipelines reject it", l.Name+l.URL).WithCause(l.Name, l.URL)
		} else if _, err := url.ParseRequestURI(l.URL); err != nil {
			c.Report(path+".url", "write a full URL, with https://", "has the link %q to %q, which is not a URL", l.Name, l.URL).WithCause(l.Name, l.URL)
		}
	}
}

// checkDescription checks what users read before they install the operator (operator-pipelines: check_required_fields).
func checkDescription(c *contents.Contents) {
	display := strings.TrimSpace(c.CSV.Spec.DisplayName)
	if n := utf8.RuneCountInString(display); n > 0 && n < 3 {
		c.Report("spec.displayName", "use at least 3 characters",
			"has the display name %q: the community pipeline requires at least 3 characters", display).WithCause(display)
	}
	if n := utf8.RuneCountInString(strings.TrimSpace(c.CSV.Spec.Description)); n < 20 && c.CSV.Err == nil {
		c.Report("spec.description", "describe what the operator does",
			"has a description of %d characters: the community pipeline requires at least 20", n)
	}
}

func checkCRDDescriptions(c *contents.Contents) {
	var silent []string
	seen := map[string]bool{}
	path := ""
	for list, all := range [][]csv.CRDDescription{c.CSV.Spec.CRDs.Owned, c.CSV.Spec.CRDs.Required} {
		for i, crd := range all {
			if strings.TrimSpace(crd.Description) != "" || c.CSV.IsInternal(crd.Name) {
				continue
			}
			if path == "" {
				path = fmt.Sprintf("spec.customresourcedefinitions.%s[%d]", [...]string{"owned", "required"}[list], i)
			}
			if !seen[crd.Name] {
				seen[crd.Name] = true
				silent = append(silent, crd.Name)
			}
		}
	}
	if len(silent) > 0 {
		f := c.Report(path, "add a description to each", "has no description of %s: the console shows only %s", words.QuoteSome(silent),
			words.Plural(len(silent), "its name", "their names"))
		f.Cause, f.Faults = lint.OncePerPackage(), silent
	}
}

// iconTypes are the media types of icons (operator-framework/api: operatorhub.go).
var iconTypes = []string{"image/svg+xml", "image/png", "image/jpeg", "image/gif"}

func checkIcon(c *contents.Contents) {
	var csv struct {
		Spec struct {
			Icon []struct {
				Data      string `json:"base64data"`
				MediaType string `json:"mediatype"`
			} `json:"icon"`
		} `json:"spec"`
	}
	if c.CSV.Err != nil || json.Unmarshal(c.CSV.Manifest.JSON(), &csv) != nil {
		return // reported by csv/field-type
	}
	icons := csv.Spec.Icon
	if len(icons) == 0 {
		c.Report("spec", "set base64data and mediatype of one item in spec.icon",
			"has no icon: the community pipeline rejects it").Gates = lint.GateCommunity
		return
	}
	if len(icons) > 1 {
		c.Report("spec.icon", "keep one", "has %d icons: the pipelines reject more than one", len(icons))
	}
	one := icons[0]
	switch data, err := base64.StdEncoding.DecodeString(withoutSpace(one.Data)); {
	case one.Data == "" || one.MediaType == "":
		c.Report("spec.icon[0]", "set base64data and mediatype", "has an icon without data or without a media type: the pipelines reject it")
	case !slices.Contains(iconTypes, one.MediaType):
		c.Report("spec.icon[0].mediatype", "use one of "+strings.Join(iconTypes, ", "),
			"has an icon of the media type %q, which the pipelines reject", one.MediaType).WithCause(one.MediaType)
	case err != nil || len(data) == 0:
		c.Report("spec.icon[0].base64data", "encode the image with base64",
			"has an icon whose data is not base64: the community pipeline rejects it").Gates = lint.GateCommunity
	}
}

func withoutSpace(text string) string { return strings.Join(strings.Fields(text), "") }

func checkKeywords(c *contents.Contents) {
	if c.CSV.Err == nil && len(c.CSV.Spec.Keywords) == 0 {
		c.Report("spec", "set spec.keywords", "has no keywords: the community pipeline warns of it, and the console does not find it by them")
	}
}
