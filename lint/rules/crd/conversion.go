package crd

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

func checkConversion(c *contents.Contents) {
	converted := map[string]bool{}
	owned := map[string]bool{}
	for _, crd := range c.CSV.Spec.CRDs.Owned {
		owned[crd.Name] = true
	}
	modes := c.CSV.InstallModes()
	for i, w := range c.CSV.Spec.Webhooks {
		path := fmt.Sprintf("spec.webhookdefinitions[%d]", i)
		if w.Type == csv.ConversionWebhook && len(w.ConversionCRDs) == 0 && c.CSV.Err == nil {
			c.Report(path, "list the CRDs in conversionCRDs",
				"has the conversion webhook %q for no CRD: OLM v0 fails to install it", w.GenerateName).WithCause(w.GenerateName).Gates = lint.GateOLMv0
		}
		if len(w.ConversionCRDs) > 0 && c.CSV.Err == nil && !slices.Equal(modes, []string{csv.AllNamespaces}) {
			f := c.Report("spec.installModes", "support only AllNamespaces",
				"has the conversion webhook %q, which requires AllNamespaces as the only install mode, but supports %s",
				w.GenerateName, cmp.Or(words.AllOf(modes), "none")).WithCause(w.GenerateName)
			f.Gates = lint.GateOLMv0 | lint.GateOLMv1 | lint.GatePipelines
		}
		for j, name := range w.ConversionCRDs {
			checkConverted(c, fmt.Sprintf("%s.conversionCRDs[%d]", path, j), name, owned[name], converted[name])
			converted[name] = true
		}
	}
	checkShippedConversion(c, converted)
}

func checkConverted(c *contents.Contents, path, name string, owned, again bool) {
	switch crd := c.Pass.Preflight().ReadableCRD(c.Bundle, name); {
	case again:
		c.Report(path, "use one webhook", "converts the CRD %q by several webhooks: OLM v1 rejects the bundle",
			name).WithCause("several", name).Gates = lint.GateOLMv1
	case !owned:
		c.Report(path, "name a CRD of spec.customresourcedefinitions.owned",
			"converts the CRD %q, which it does not own: OLM creates no such webhook", name).WithCause(name)
	case crd != nil && crd.PreserveUnknownFields:
		c.ReportOn(crd.Manifest, "spec.preserveUnknownFields", "set preserveUnknownFields: false",
			"converts the CRD %q, which preserves unknown fields: no webhook can convert it", name)
	}
}

// checkShippedConversion looks for CRDs that name a webhook themselves, which OLM v0 does not fill in.
func checkShippedConversion(c *contents.Contents, converted map[string]bool) {
	for _, crd := range c.Pass.Preflight().CRDs(c.Bundle) {
		if crd.Outline == nil || crd.Conversion != "Webhook" || converted[crd.Outline.Name] {
			continue
		}
		f := c.ReportOn(crd.Manifest, "spec.conversion",
			"add a ConversionWebhook with this CRD in its conversionCRDs, or write strategy: None",
			"contains the CRD %q with a conversion webhook that is in no webhookdefinition: OLM gives it neither a service nor a certificate", crd.Outline.Name)
		f.Severity, f.Gates = lint.Warning, lint.GateAdvice
	}
}
