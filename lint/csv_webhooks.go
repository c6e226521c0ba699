package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
)

// The types of webhooks that OLM makes (operator-framework/api: v1alpha1 WebhookAdmissionType).
var webhookTypes = []string{"ValidatingAdmissionWebhook", "MutatingAdmissionWebhook", csv.ConversionWebhook}

// checkWebhooks looks at what each webhook is called and has to have.
func checkWebhooks(c *bundleContents) {
	if c.csv.Err != nil {
		return
	}
	types := map[string]string{} // by name, of those that came before
	for i, w := range c.csv.Spec.Webhooks {
		path := fmt.Sprintf("spec.webhookdefinitions[%d]", i)
		name := w.GenerateName
		other, again := types[name]
		types[name] = w.Type
		switch {
		case !slices.Contains(webhookTypes, w.Type):
			c.report(path+".type", "use one of "+oneOf(webhookTypes),
				"has the webhook %q of the type %q: the API server refuses the ClusterServiceVersion", name, w.Type).withCauses(name, w.Type).
				Gates = GateOLMv0 | GateAPIServer
		case name == "":
			c.report(path, "set generateName", "has a webhook without a generateName: OLM cannot create it")
		case again && other == w.Type:
			c.report(path+".generateName", "give each a unique generateName",
				"has several webhooks with the generateName %q: OLM creates none of them", name).withCauses("several", name)
		case again:
			c.report(path+".generateName", "give each a unique generateName",
				"has webhooks of two types with the generateName %q: OLM v0 creates none of them", name).withCauses("twoTypes", name).Gates = GateOLMv0
		case nameFault(name) != "":
			c.report(path+".generateName", "use a name, for example my-webhook.example.com",
				"has a webhook with the generateName %q, which %s: OLM v1 refuses the bundle", name, nameFault(name)).withCauses(name).
				Gates = GateOLMv1
		}
		c.checkWebhookFields(path, &w)
	}
}

// checkWebhookFields looks for what OLM v0 writes as null where it is absent.
func (c *bundleContents) checkWebhookFields(path string, w *csv.WebhookDescription) {
	if w.SideEffects == nil {
		c.report(path, "set sideEffects: None",
			"has the webhook %q without sideEffects: the API server refuses what OLM creates from it", w.GenerateName).withCauses("sideEffects", w.GenerateName).
			Gates = GateOLMv0 | GateAPIServer
	}
	if w.AdmissionReviewVersions == nil {
		c.report(path, "set admissionReviewVersions: [v1]",
			"has the webhook %q without admissionReviewVersions: the API server refuses what OLM creates from it", w.GenerateName).withCauses("admissionReviewVersions", w.GenerateName).
			Gates = GateOLMv0 | GateAPIServer
	}
}

// checkWebhookRules looks at what admission webhooks want to be asked about: never about OLM, nor about webhooks.
func checkWebhookRules(c *bundleContents) {
	for i, w := range c.csv.Spec.Webhooks {
		if w.Type == csv.ConversionWebhook {
			continue
		}
		for j, r := range w.Rules {
			path := fmt.Sprintf("spec.webhookdefinitions[%d].rules[%d]", i, j)
			if group, gates := forbiddenGroup(r.APIGroups); gates != 0 {
				c.report(path+".apiGroups", "name only the API groups that the operator needs",
					"has the webhook %q on the API group %q, which could block OLM itself: OLM refuses it", w.GenerateName, group).withCauses(w.GenerateName, group).Gates = gates
			}
			if resource, gates := forbiddenResource(r); gates != 0 {
				c.report(path+".resources", "remove them from the rule",
					"has the webhook %q on %q of admissionregistration.k8s.io, which could not be undone: OLM refuses it", w.GenerateName, resource).withCauses(w.GenerateName, resource).Gates = gates
			}
		}
	}
}

// forbiddenGroup returns the first group that OLM v0 (pkg/controller/install ValidWebhookRules) or v1 lets no webhook look at, and
// who of the two refuses one of them.
func forbiddenGroup(groups []string) (first string, gates Gates) {
	for _, group := range groups {
		first, gates = rejectedRule(first, gates, group, map[string]Gates{
			"*": GateOLMv0 | GateOLMv1, "operators.coreos.com": GateOLMv0, "olm.operatorframework.io": GateOLMv1}[group])
	}
	return first, gates
}

// forbiddenResource is likewise for the objects that register webhooks. OLM v0 knows them by their kinds alone, v1 in any form.
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

// rejectedRule adds who refuses one more, and keeps the first that somebody does.
func rejectedRule(first string, gates Gates, another string, by Gates) (string, Gates) {
	if gates == 0 {
		first = another
	}
	return first, gates | by
}

// checkReferences wants the deployments that webhooks and API services name to be there.
func checkReferences(c *bundleContents) {
	if c.csv.Err != nil {
		return
	}
	has := map[string]bool{}
	for _, d := range c.csv.Spec.Install.Spec.Deployments {
		has[d.Name] = true
	}
	names := sortedKeys(has)
	missing := func(path, what, of, name string, gates Gates) {
		if has[name] {
			return
		}
		fix := "name one of the deployments in spec.install"
		if len(c.faults) < 100 { // a guess for each of very many takes long
			if near, ok := spelling.Nearest(name, names); ok {
				fix = fmt.Sprintf("did you mean %q?", near)
			}
		}
		f := c.report(path+".deploymentName", fix, "has %s of the deployment %q, which it does not have: no endpoint serves it",
			what, name).withCauses(of, name)
		f.Gates = gates
		if gates&GateOLMv1 != 0 { // OLM v0 goes on, with a webhook that nobody answers
			f.Harmless = GateOLMv0
		}
	}
	for i, w := range c.csv.Spec.Webhooks {
		missing(fmt.Sprintf("spec.webhookdefinitions[%d]", i), fmt.Sprintf("the webhook %q", w.GenerateName), w.GenerateName, w.DeploymentName,
			GateOLMv0|GateOLMv1)
	}
	for i, s := range c.csv.Spec.APIServices.Owned {
		missing(fmt.Sprintf("spec.apiservicedefinitions.owned[%d]", i),
			fmt.Sprintf("the API service %q", cmp.Or(s.Name, s.Version+"."+s.Group)), s.Version+"."+s.Group, s.DeploymentName, GateOLMv0)
	}
}

func checkConversion(c *bundleContents) {
	converted := map[string]bool{}
	owned := map[string]bool{}
	for _, crd := range c.csv.Spec.CRDs.Owned {
		owned[crd.Name] = true
	}
	modes := c.csv.InstallModes()
	for i, w := range c.csv.Spec.Webhooks {
		path := fmt.Sprintf("spec.webhookdefinitions[%d]", i)
		if w.Type == csv.ConversionWebhook && len(w.ConversionCRDs) == 0 && c.csv.Err == nil {
			c.report(path, "list the CRDs in conversionCRDs",
				"has the conversion webhook %q for no CRD: OLM v0 fails to install it", w.GenerateName).withCauses(w.GenerateName).Gates = GateOLMv0
		}
		if len(w.ConversionCRDs) > 0 && c.csv.Err == nil && !slices.Equal(modes, []string{csv.AllNamespaces}) {
			f := c.report("spec.installModes", "support only AllNamespaces",
				"has the conversion webhook %q, which requires AllNamespaces as the only install mode, but supports %s",
				w.GenerateName, cmp.Or(allOf(modes), "none")).withCauses(w.GenerateName)
			f.Gates = GateOLMv0 | GateOLMv1 | GateHub
		}
		for j, name := range w.ConversionCRDs {
			c.checkConverted(fmt.Sprintf("%s.conversionCRDs[%d]", path, j), name, owned[name], converted[name])
			converted[name] = true
		}
	}
	c.checkShippedConversion(converted)
}

func (c *bundleContents) checkConverted(path, name string, owned, again bool) {
	switch crd := c.pass.Preflight().ReadableCRD(c.Bundle, name); {
	case again:
		c.report(path, "use one webhook", "converts the CRD %q by several webhooks: OLM v1 refuses the bundle",
			name).withCauses("several", name).Gates = GateOLMv1
	case !owned:
		c.report(path, "name a CRD of spec.customresourcedefinitions.owned",
			"converts the CRD %q, which it does not own: OLM creates no such webhook", name).withCauses(name)
	case crd != nil && crd.PreserveUnknownFields:
		c.reportOn(crd.Manifest, "spec.preserveUnknownFields", "set preserveUnknownFields: false",
			"converts the CRD %q, which preserves unknown fields: no webhook can convert it", name)
	}
}

// checkShippedConversion looks for CRDs that name a webhook themselves, which OLM v0 does not fill in.
func (c *bundleContents) checkShippedConversion(converted map[string]bool) {
	for _, crd := range c.pass.Preflight().CRDs(c.Bundle) {
		if crd.Outline == nil || crd.Conversion != "Webhook" || converted[crd.Outline.Name] {
			continue
		}
		f := c.reportOn(crd.Manifest, "spec.conversion",
			"add a ConversionWebhook with this CRD in its conversionCRDs, or write strategy: None",
			"contains the CRD %q with a conversion webhook that is in no webhookdefinition: OLM gives it neither a service nor a certificate", crd.Outline.Name)
		f.Severity, f.Gates = Warning, GateAdvice
	}
}
