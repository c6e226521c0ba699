package csv

import (
	"fmt"
	"net/mail"
	"net/url"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var publisher = lint.Rule{
	ID: "csv/publisher", Severity: lint.Error, Gates: lint.GatePipelines,
	Doc: `an operator has no provider, maintainers or links
All pipelines require a provider, a name and an e-mail of each maintainer, and a name and a URL of each link. The pipeline of the
community catalog also requires at least one maintainer and one link. Users need them for support.
Set spec.provider, spec.maintainers and spec.links.`,
	Reference: "operator-framework/api operatorhub.go; operator-pipelines check_required_fields",
	Check:     contents.InHeads(contents.WithCSV(checkPublisher)),
}

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
