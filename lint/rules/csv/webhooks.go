package csv

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/names"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

// webhookTypes are the types of webhooks that OLM creates (operator-framework/api: v1alpha1 WebhookAdmissionType).
var webhookTypes = []string{"ValidatingAdmissionWebhook", "MutatingAdmissionWebhook", csv.ConversionWebhook}

// checkWebhooks checks the types, names and required fields of webhooks.
func checkWebhooks(c *contents.Contents) {
	if c.CSV.Err != nil {
		return
	}
	types := map[string]string{} // of the previous webhooks, by name
	for i, w := range c.CSV.Spec.Webhooks {
		path := fmt.Sprintf("spec.webhookdefinitions[%d]", i)
		name := w.GenerateName
		other, again := types[name]
		types[name] = w.Type
		switch {
		case !slices.Contains(webhookTypes, w.Type):
			c.Report(path+".type", "use one of "+words.OneOf(webhookTypes),
				"has the webhook %q of the type %q: the API server rejects the ClusterServiceVersion", name, w.Type).WithCause(name, w.Type).
				Gates = lint.GateOLMv0 | lint.GateAPIServer
		case name == "":
			c.Report(path, "set generateName", "has a webhook without a generateName: OLM cannot create it")
		case again && other == w.Type:
			c.Report(path+".generateName", "give each a unique generateName",
				"has several webhooks with the generateName %q: OLM creates none of them", name).WithCause("several", name)
		case again:
			c.Report(path+".generateName", "give each a unique generateName",
				"has webhooks of two types with the generateName %q: OLM v0 creates none of them", name).WithCause("twoTypes", name).Gates = lint.GateOLMv0
		case names.NameFault(name) != "":
			c.Report(path+".generateName", "use a name, for example my-webhook.example.com",
				"has a webhook with the generateName %q, which %s: OLM v1 rejects the bundle", name, names.NameFault(name)).WithCause(name).
				Gates = lint.GateOLMv1
		}
		checkWebhookFields(c, path, &w)
	}
}

// checkWebhookFields reports absent fields that OLM v0 writes as null.
func checkWebhookFields(c *contents.Contents, path string, w *csv.WebhookDescription) {
	if w.SideEffects == nil {
		c.Report(path, "set sideEffects: None",
			"has the webhook %q without sideEffects: the API server rejects what OLM creates from it", w.GenerateName).WithCause("sideEffects", w.GenerateName).
			Gates = lint.GateOLMv0 | lint.GateAPIServer
	}
	if w.AdmissionReviewVersions == nil {
		c.Report(path, "set admissionReviewVersions: [v1]",
			"has the webhook %q without admissionReviewVersions: the API server rejects what OLM creates from it", w.GenerateName).WithCause("admissionReviewVersions", w.GenerateName).
			Gates = lint.GateOLMv0 | lint.GateAPIServer
	}
}

// checkWebhookRules reports admission webhooks on resources of OLM or on webhook configurations.
func checkWebhookRules(c *contents.Contents) {
	for i, w := range c.CSV.Spec.Webhooks {
		if w.Type == csv.ConversionWebhook {
			continue
		}
		for j, r := range w.Rules {
			path := fmt.Sprintf("spec.webhookdefinitions[%d].rules[%d]", i, j)
			if group, gates := forbiddenGroup(r.APIGroups); gates != 0 {
				c.Report(path+".apiGroups", "name only the API groups that the operator needs",
					"has the webhook %q on the API group %q, which could block OLM itself: OLM rejects it", w.GenerateName, group).WithCause(w.GenerateName, group).Gates = gates
			}
			if resource, gates := forbiddenResource(r); gates != 0 {
				c.Report(path+".resources", "remove them from the rule",
					"has the webhook %q on %q of admissionregistration.k8s.io, which could not be undone: OLM rejects it", w.GenerateName, resource).WithCause(w.GenerateName, resource).Gates = gates
			}
		}
	}
}

// forbiddenGroup returns the first API group that OLM v0 (pkg/controller/install ValidWebhookRules) or OLM v1 forbids for
// webhooks, and the gates of all forbidden ones.
func forbiddenGroup(groups []string) (first string, gates lint.Gates) {
	for _, group := range groups {
		first, gates = rejectedRule(first, gates, group, map[string]lint.Gates{
			"*": lint.GateOLMv0 | lint.GateOLMv1, "operators.coreos.com": lint.GateOLMv0, "olm.operatorframework.io": lint.GateOLMv1}[group])
	}
	return first, gates
}

// forbiddenResource is forbiddenGroup for webhook configurations. OLM v0 compares their kinds only, OLM v1 any spelling.
func forbiddenResource(r csv.WebhookRule) (first string, gates lint.Gates) {
	if !slices.Contains(r.APIGroups, "admissionregistration.k8s.io") {
		return "", 0
	}
	for _, resource := range r.Resources {
		name := strings.TrimSuffix(strings.ToLower(resource), "s")
		switch {
		case resource == "*", resource == "MutatingWebhookConfiguration", resource == "ValidatingWebhookConfiguration":
			first, gates = rejectedRule(first, gates, resource, lint.GateOLMv0|lint.GateOLMv1)
		case name == "mutatingwebhookconfiguration", name == "validatingwebhookconfiguration":
			first, gates = rejectedRule(first, gates, resource, lint.GateOLMv1)
		}
	}
	return first, gates
}

// rejectedRule adds the gates that reject another name, and keeps the first name that is rejected.
func rejectedRule(first string, gates lint.Gates, another string, by lint.Gates) (string, lint.Gates) {
	if gates == 0 {
		first = another
	}
	return first, gates | by
}

// checkReferences reports webhooks and API services whose deployment does not exist.
func checkReferences(c *contents.Contents) {
	if c.CSV.Err != nil {
		return
	}
	has := map[string]bool{}
	for _, d := range c.CSV.Spec.Install.Spec.Deployments {
		has[d.Name] = true
	}
	names := words.SortedKeys(has)
	missing := func(path, what, of, name string, gates lint.Gates) {
		if has[name] {
			return
		}
		fix := "name one of the deployments in spec.install"
		if len(c.Faults) < 100 { // suggestions for very many take long
			if near, ok := spelling.Nearest(name, names); ok {
				fix = fmt.Sprintf("did you mean %q?", near)
			}
		}
		f := c.Report(path+".deploymentName", fix, "has %s of the deployment %q, which it does not have: no endpoint serves it",
			what, name).WithCause(of, name)
		f.Gates = gates
		if gates&lint.GateOLMv1 != 0 { // OLM v0 installs it with a webhook without an endpoint
			f.WarningGates = lint.GateOLMv0
		}
	}
	for i, w := range c.CSV.Spec.Webhooks {
		missing(fmt.Sprintf("spec.webhookdefinitions[%d]", i), fmt.Sprintf("the webhook %q", w.GenerateName), w.GenerateName, w.DeploymentName,
			lint.GateOLMv0|lint.GateOLMv1)
	}
	for i, s := range c.CSV.Spec.APIServices.Owned {
		missing(fmt.Sprintf("spec.apiservicedefinitions.owned[%d]", i),
			fmt.Sprintf("the API service %q", cmp.Or(s.Name, s.Version+"."+s.Group)), s.Version+"."+s.Group, s.DeploymentName, lint.GateOLMv0)
	}
}

func checkDeploymentNames(c *contents.Contents) {
	seen := map[string]bool{}
	for i, d := range c.CSV.Spec.Install.Spec.Deployments {
		path := fmt.Sprintf("spec.install.spec.deployments[%d].name", i)
		switch {
		case d.Name == "" && c.CSV.Err != nil:
		case seen[d.Name]:
			c.Report(path, "give each a unique name",
				"has several deployments with the name %q: the last one overwrites the others, and OLM v1 rejects the bundle", d.Name).WithCause("several", d.Name)
		case names.NameFault(d.Name) != "":
			c.Report(path, "use a name of lower-case letters, digits and hyphens",
				"has a deployment with the name %q, which %s: the API server rejects it", d.Name, names.NameFault(d.Name)).WithCause(d.Name).
				Gates = lint.GateOLMv0 | lint.GateOLMv1 | lint.GateAPIServer
		}
		seen[d.Name] = true
	}
}

func checkOwnedServices(c *contents.Contents) {
	if n := len(c.CSV.Spec.APIServices.Owned); n > 0 {
		c.Report("spec.apiservicedefinitions.owned", "serve the API by a CRD, or document that OLM v1 is not supported",
			"owns %d API %s, which OLM v1 does not support: it rejects the bundle", n, phrase.Plural(n, "service", "services"))
	}
}
