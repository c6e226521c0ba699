package csv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var webhookRules = lint.Rule{
	ID: "csv/webhook-rules", Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1,
	Doc: `a webhook has rules that OLM rejects
A webhook on all API groups, on those of OLM, or on webhooks themselves could block OLM or the cluster: OLM rejects it.
Name only the API groups and resources that the operator needs.`,
	Reference: "OLM pkg/controller/install ValidWebhookRules; operator-controller CheckWebhookRules",
	Check:     contents.InAllBundles(contents.WithReadableCSV(checkWebhookRules)),
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
