package deprecation

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var legacyProperty = lint.Rule{
	ID: "deprecation/legacy-property", Severity: lint.Warning, Gates: lint.GateOLMv0,
	Doc: `OLM v0 does not install a bundle with the property olm.deprecated
This property comes from SQLite indexes. OLM v0 never installs a bundle that has it, neither as a new installation nor as an
upgrade. Users see no message, only an older version or a failed resolution. It differs from olm.deprecations.
Render the bundle without the property, and deprecate it with an entry in olm.deprecations.`,
	Reference: "OLM resolver NewBundleVariableFromOperator",
	Check:     checkLegacyDeprecated,
}

func checkLegacyDeprecated(p *lint.Pass) {
	heads := map[string]string{}
	for _, c := range p.Package.Channels {
		if head, ok := p.Graph(c).Head(); ok {
			heads[c.Entries[head].Name.Value] = c.Name.Value
		}
	}
	for _, b := range p.Package.Bundles {
		i := b.PropertyIndex(catalogs.TypeDeprecated)
		if i < 0 {
			continue
		}
		f := lint.Finding{
			Subject: lint.Subject{Bundle: b.Name.Value},
			Cause:   []string{b.Name.Value},
			Pos:     words.FirstKnown(b.Properties[i].Type.Pos, b.Properties[i].Pos),
			Message: fmt.Sprintf("OLM v0 never installs %q, neither as a new installation nor as an upgrade: it has the property olm.deprecated", b.Name.Value),
			Fix:     "remove the property and deprecate the bundle in olm.deprecations instead",
		}
		if channel, ok := heads[b.Name.Value]; ok {
			f.Severity, f.Channel = lint.Error, channel
			f.Message = fmt.Sprintf("OLM v0 never installs %q, the head of channel %q: it has the property olm.deprecated",
				b.Name.Value, channel)
		}
		p.Report(f)
	}
}
