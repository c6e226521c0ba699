package lint

import (
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
)

func TestSeverityForUsersOfOLM(t *testing.T) {
	for _, c := range []struct {
		olm, openShift string
		gates, mild    Gates
		asked          Gates
		want           Severity
	}{
		{"auto", "4.16", GateOLMv0, 0, 0, Error},
		{"auto", "4.16", GateOLMv1, 0, 0, Info},
		{"auto", "4.18", GateOLMv1, 0, 0, Error},
		{"auto", "5.0", GateOLMv1, 0, 0, Error},
		{"auto", "", GateOLMv1, 0, 0, Warning},
		{"auto", "", GateOLMv0, 0, 0, Error},
		{"auto", "", GateOLMv0 | GateOLMv1, 0, 0, Error},
		{"auto", "", GateOLMv1, 0, GateOLMv1, Error}, // requested as a gate
		{"v0", "4.18", GateOLMv1 | GateAPIServer, 0, 0, Info},
		{"v0", "4.18", GateOLMv1 | GatePipelines, 0, GateCommunity, Error}, // the pipelines reject it too
		{"v0", "", GateOLMv0 | GateOLMv1, GateOLMv0, 0, Warning},
		{"v1", "", GateOLMv0, 0, 0, Info},
		{"both", "4.14", GateOLMv1, 0, 0, Error},
		{"", "", GateOLMv1, 0, 0, Error},
		{"auto", "4.14", GateOPM, 0, 0, Error},
		{"auto", "4.14", GateAdvice, 0, 0, Error},
	} {
		f := Finding{Severity: Error, Gates: c.gates, WarningGates: c.mild}
		if got := (&Config{OLM: c.olm}).severityForUsers(&f, &catalogs.Catalog{}, c.openShift, c.asked); got != c.want {
			t.Errorf("--olm %s, OpenShift %q, gates %s, mild %s, asked %s: %s, want %s", c.olm, c.openShift, c.gates, c.mild, c.asked, got, c.want)
		}
	}
}

// TestSeverityOfOverridable: from OpenShift 4.18 on users can leave OLM v1 for OLM v0, unless OLM v1 is what is asked about.
func TestSeverityOfOverridable(t *testing.T) {
	for _, c := range []struct {
		olm, openShift string
		asked          Gates
		want           Severity
	}{
		{"auto", "4.18", 0, Warning},
		{"auto", "4.16", 0, Info},
		{"auto", "", 0, Warning},
		{"auto", "4.18", GateOLMv0, Warning},
		{"auto", "4.18", GateOLMv1, Error},
		{"both", "4.18", 0, Error},
		{"v1", "4.18", 0, Error},
		{"v0", "4.18", 0, Info},
	} {
		f := Finding{Severity: Error, Gates: GateOLMv1, Overridable: GateOLMv1}
		if got := (&Config{OLM: c.olm}).severityForUsers(&f, &catalogs.Catalog{}, c.openShift, c.asked); got != c.want {
			t.Errorf("--olm %s, OpenShift %q, asked %s: %s, want %s", c.olm, c.openShift, c.asked, got, c.want)
		}
	}
}
