package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// checkWebhooks checks the names of webhooks, and that OLM v1 has who makes their certificates.
func checkWebhooks(c *bundleCase) {
	if n := len(c.CSV.Spec.Webhooks); n > 0 {
		r := c.report("spec.webhookdefinitions", "", "has %s: OLM v1 installs it only with a provider of certificates", words.Count(n, "webhook"))
		r.Gates, r.Releases = GateOLMv1, Releases{Unless: []string{FeatureCertManager, FeatureServiceCA}}
	}
	if c.CSV.Err != nil {
		return
	}
	types := map[string][]string{} // of the previous webhooks, by name
	for i, w := range c.CSV.Spec.Webhooks {
		path := fmt.Sprintf("spec.webhookdefinitions[%d]", i)
		name := w.GenerateName
		others := types[name]
		types[name] = append(others, w.Type)
		switch {
		case name == "":
			c.report(path, "set generateName", "has a webhook without a generateName: OLM cannot create it")
		case slices.Contains(others, w.Type):
			c.report(path+".generateName", "give each a unique generateName",
				"has several webhooks with the generateName %q: OLM creates none of them", name).WithCause("several", name)
		case len(others) > 0:
			c.report(path+".generateName", "give each a unique generateName",
				"has webhooks of two types with the generateName %q: OLM v0 creates none of them", name).WithCause("twoTypes", name).Gates = GateOLMv0
		case words.NameFault(name) != "":
			c.report(path+".generateName", "use a name, for example my-webhook.example.com",
				"has a webhook with the generateName %q, which %s: OLM v1 rejects the bundle", name, words.NameFault(name)).WithCause(name).
				Gates = GateOLMv1
		}
	}
}

// checkWebhookRules reports admission webhooks on resources of OLM or on webhook configurations.
func checkWebhookRules(c *bundleCase) {
	for i, w := range c.CSV.Spec.Webhooks {
		if w.Type == csv.ConversionWebhook {
			continue
		}
		for j, r := range w.Rules {
			path := fmt.Sprintf("spec.webhookdefinitions[%d].rules[%d]", i, j)
			if group, gates := forbiddenGroup(r.APIGroups); gates != 0 {
				c.report(path+".apiGroups", "name only the API groups that the operator needs",
					"has the webhook %q on the API group %q, which could block OLM itself: OLM rejects it", w.GenerateName, group).WithCause(w.GenerateName, group).Gates = gates
			}
			if resource, gates := forbiddenResource(r); gates != 0 {
				c.report(path+".resources", "remove them from the rule",
					"has the webhook %q on %q of admissionregistration.k8s.io, which could not be undone: OLM rejects it", w.GenerateName, resource).WithCause(w.GenerateName, resource).Gates = gates
			}
		}
	}
}

// forbiddenGroup returns the first API group that OLM v0 (pkg/controller/install ValidWebhookRules) or OLM v1 forbids for
// webhooks, and the gates of all forbidden ones.
func forbiddenGroup(groups []string) (first string, gates Gates) {
	for _, group := range groups {
		first, gates = rejectedRule(first, gates, group, map[string]Gates{
			"*": GateOLMv0 | GateOLMv1, "operators.coreos.com": GateOLMv0, "olm.operatorframework.io": GateOLMv1}[group])
	}
	return first, gates
}

// forbiddenResource is forbiddenGroup for webhook configurations. OLM v0 compares their kinds only, OLM v1 any spelling.
func forbiddenResource(r csv.WebhookRule) (first string, gates Gates) {
	if !slices.Contains(r.APIGroups, "admissionregistration.k8s.io") {
		return "", 0
	}
	for _, resource := range r.Resources {
		name := strings.TrimSuffix(strings.ToLower(resource), "s")
		switch {
		case resource == "*", resource == "MutatingWebhookConfiguration", resource == "ValidatingWebhookConfiguration":
			first, gates = rejectedRule(first, gates, resource, GateOLMv0|GateOLMv1)
		case name == "mutatingwebhookconfiguration", name == "validatingwebhookconfiguration":
			first, gates = rejectedRule(first, gates, resource, GateOLMv1)
		}
	}
	return first, gates
}

// rejectedRule adds the gates that reject another name, and keeps the first name that is rejected.
func rejectedRule(first string, gates Gates, another string, by Gates) (string, Gates) {
	if gates == 0 {
		first = another
	}
	return first, gates | by
}

// checkReferences reports webhooks and API services whose deployment does not exist.
func checkReferences(c *bundleCase) {
	if c.CSV.Err != nil {
		return
	}
	has := map[string]bool{}
	for _, d := range c.CSV.Spec.Install.Spec.Deployments {
		has[d.Name] = true
	}
	names := words.SortedKeys(has)
	missing := func(path, what, of, name string, gates Gates) {
		if has[name] {
			return
		}
		fix := "name one of the deployments in spec.install"
		if len(c.found) < 100 { // suggestions for very many take long
			if near, ok := words.Nearest(name, names); ok {
				fix = fmt.Sprintf("did you mean %q?", near)
			}
		}
		f := c.report(path+".deploymentName", fix, "has %s of the deployment %q, which it does not have: no endpoint serves it",
			what, name).WithCause(of, name)
		f.Gates = gates
		if gates&GateOLMv1 != 0 { // OLM v0 installs it with a webhook without an endpoint
			f.WarningGates = GateOLMv0
		}
	}
	for i, w := range c.CSV.Spec.Webhooks {
		missing(fmt.Sprintf("spec.webhookdefinitions[%d]", i), fmt.Sprintf("the webhook %q", w.GenerateName), w.GenerateName, w.DeploymentName,
			GateOLMv0|GateOLMv1)
	}
	for i, s := range c.CSV.Spec.APIServices.Owned {
		missing(fmt.Sprintf("spec.apiservicedefinitions.owned[%d]", i),
			fmt.Sprintf("the API service %q", cmp.Or(s.Name, s.Version+"."+s.Group)), s.Version+"."+s.Group, s.DeploymentName, GateOLMv0)
	}
}

func checkConversion(c *bundleCase) {
	converted := map[string]bool{}
	owned := map[string]bool{}
	for _, crd := range c.CSV.Spec.CRDs.Owned {
		owned[crd.Name] = true
	}
	modes := c.CSV.InstallModes()
	for i, w := range c.CSV.Spec.Webhooks {
		path := fmt.Sprintf("spec.webhookdefinitions[%d]", i)
		if w.Type == csv.ConversionWebhook && len(w.ConversionCRDs) == 0 && c.CSV.Err == nil {
			c.report(path, "list the CRDs in conversionCRDs",
				"has the conversion webhook %q for no CRD: OLM v0 fails to install it", w.GenerateName).WithCause(w.GenerateName).Gates = GateOLMv0
		}
		by := Gates(0)
		if len(w.ConversionCRDs) > 0 {
			by = GateOLMv0 | GatePipelines
		}
		if w.Type == csv.ConversionWebhook {
			by |= GateOLMv1
		}
		if by != 0 && c.CSV.Err == nil && !slices.Equal(modes, []string{csv.AllNamespaces}) {
			f := c.report("spec.installModes", "support only AllNamespaces",
				"has the conversion webhook %q, which requires AllNamespaces as the only install mode, but supports %s",
				w.GenerateName, cmp.Or(words.QuoteSome(modes), "none")).WithCause(w.GenerateName)
			f.Gates, f.Releases.From = by, validatingWebhooks
		}
		for j, name := range w.ConversionCRDs {
			checkConverted(c, fmt.Sprintf("%s.conversionCRDs[%d]", path, j), name, by, owned[name], converted[name])
			converted[name] = true
		}
	}
	checkShippedConversion(c, converted)
}

func checkConverted(c *bundleCase, path, name string, by Gates, owned, again bool) {
	switch crd := c.pkg.ReadableCRD(c.Bundle, name); {
	case again && by&GateOLMv1 != 0:
		c.report(path, "use one webhook", "converts the CRD %q by several webhooks: OLM v1 rejects the bundle",
			name).WithCause("several", name).Gates = GateOLMv1
	case !owned:
		c.report(path, "name a CRD of spec.customresourcedefinitions.owned",
			"converts the CRD %q, which it does not own: OLM creates no such webhook", name).WithCause(name).Gates = by & bothOLM
	case crd != nil && crd.PreserveUnknownFields:
		c.reportOn(crd.Manifest, "spec.preserveUnknownFields", "set preserveUnknownFields: false",
			"converts the CRD %q, which preserves unknown fields: no webhook can convert it", name)
	}
}

// checkShippedConversion looks for CRDs that name a webhook themselves, which OLM v0 does not fill in.
func checkShippedConversion(c *bundleCase, converted map[string]bool) {
	var all []*CRD
	for _, own := range c.pkg.CRDs(c.Bundle) {
		if own.Outline != nil && own.Conversion == crd.Webhook && !converted[own.Outline.Name] {
			all = append(all, own)
		}
	}
	if len(all) == 0 {
		return
	}
	const webhook = "with a conversion webhook that is in no webhookdefinition: OLM gives it neither a service nor a certificate"
	f := c.reportOn(all[0].Manifest, "spec.conversion", "add a ConversionWebhook with these CRDs in its conversionCRDs, or write strategy: None", "contains CRDs "+webhook)
	if len(all) == 1 {
		f.Message, f.Fix = fmt.Sprintf("contains the CRD %q %s", all[0].Outline.Name, webhook), "add a ConversionWebhook with this CRD in its conversionCRDs, or write strategy: None"
	}
	for _, crd := range all {
		f.Faults = append(f.Faults, crd.Outline.Name)
		if len(all) > 1 {
			f.Details = append(f.Details, Place{Pos: crd.Manifest.At("spec.conversion"), Message: crd.Outline.Name})
		}
	}
	f.Weight, f.Gates = Endangers, GateAdvice
}
