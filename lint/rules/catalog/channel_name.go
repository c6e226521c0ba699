package catalog

import (
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/names"
)

var channelName = lint.Rule{
	ID: "catalog/channel-name", Severity: lint.Error, Gates: lint.GateOPM,
	Doc: `a channel has no name, or one that OLM v0 or OLM v1 cannot use
opm rejects only an empty name. A slash breaks OLM v0's resolver, which builds identifiers with slashes. In OLM v1 users can
select only channels whose names are DNS-1123 subdomains (lower-case letters, digits, hyphens and dots). It is an info for a channel that
the base has, which cannot be renamed any more.
Rename the channel before users subscribe to it.`,
	Reference: "OLM resolver BundleSourceInfo; operator-controller ClusterExtension API",
	Check:     checkChannelName,
}

func checkChannelName(p *lint.Pass) {
	for _, c := range p.Package.Channels {
		f := lint.Finding{Subject: lint.Subject{Channel: c.Name.Value}, Pos: c.Name.Pos, Fix: "rename it before users subscribe to it"}
		switch name := c.Name.Value; {
		case name == "":
			f.Pos, f.Message, f.Fix = c.Pos, "a channel without a name", "add name"
		case strings.Contains(name, "/"):
			f.Gates = lint.GateOLMv0
			f.Message = fmt.Sprintf("the slash in the channel name %q breaks OLM v0's resolver", name)
		case !names.DNSSubdomain.MatchString(name) || len(name) > 253:
			if f.Severity, f.Gates = lint.Warning, lint.GateOLMv1; p.BasePackage != nil && p.BasePackage.Channel(name) != nil {
				f.Severity = lint.Info // users have subscribed to it
			}
			f.Message = fmt.Sprintf("users of OLM v1 cannot select the channel %q: its name is not a DNS subdomain", name)
			f.Fix = "use lower-case letters, digits, hyphens and dots; " + f.Fix
		default:
			continue
		}
		p.Report(f)
	}
}
