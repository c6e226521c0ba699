package lint

import (
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
)

func TestSeverityForPipelines(t *testing.T) {
	const all = GatePipelines
	for _, c := range []struct {
		what         string
		configured   string
		organization string
		form         catalogs.Form
		gates, mild  Gates
		asked        Gates
		want         Severity
	}{
		{what: "all pipelines reject it, and it is not known which one judges", gates: all, want: Off},
		{what: "users are affected, and it is not known which one judges", gates: all | GateAdvice, want: Warning},
		{what: "all pipelines reject it", organization: "redhat-marketplace", gates: all, want: Error},
		{what: "the pipeline of the repository", organization: "community-operators", gates: GateCommunity, want: Error},
		{what: "another pipeline", organization: "certified-operators", gates: GateCommunity, want: Off},
		{what: "a pipeline that only warns", organization: "certified-operators", gates: all, mild: GateCertified, want: Info},
		{what: "the marketplace", organization: "redhat-marketplace", gates: GateMarketplace, want: Error},
		{what: "an organization without a pipeline", organization: "acme", gates: GateCommunity, want: Off},
		{what: "the configuration wins", configured: "certified", organization: "community-operators", gates: GateCommunity, want: Off},
		{what: "a requested gate", gates: GateCommunity, asked: GateCommunity, want: Error},
		{what: "a requested gate that does not have it", organization: "certified-operators", gates: GateCertified, asked: GateCommunity, want: Off},
		{what: "OLM v0 rejects it too", organization: "certified-operators", gates: GateCommunity | GateOLMv0, want: Error},
		{what: "opm rejects it too", organization: "certified-operators", gates: GateCommunity | GateOPM, want: Error},
		{what: "users are affected too", organization: "certified-operators", gates: GateCommunity | GateAdvice, want: Warning},
		{what: "bundles in a catalog are published", form: catalogs.FileBased, organization: "certified-operators", gates: all, want: Warning},
		{what: "and of the community", form: catalogs.FileBased, organization: "community-operators", gates: GateCommunity, want: Warning},
	} {
		if c.form == "" {
			c.form = catalogs.Repository
		}
		cat := &catalogs.Catalog{Form: c.form}
		if c.organization != "" {
			cat.Repository = &catalogs.RepositoryConfig{Organization: catalogs.Text{Value: c.organization}}
		}
		f := Finding{Rule: "csv/any", part: Contents, Severity: Error, Gates: c.gates, WarningGates: c.mild}
		if got := (&Config{Pipeline: c.configured}).severityForUsers(&f, cat, "", c.asked); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}
