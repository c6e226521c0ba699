package csv

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/names"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var webhook = lint.Rule{
	ID: "csv/webhook", Severity: lint.Error, Gates: lint.GateOLMv0 | lint.GateOLMv1, OtherGates: lint.GateAPIServer,
	Doc: `a webhook is invalid
OLM creates the webhooks of a ClusterServiceVersion under their generateName, which is required and must be unique. The API server
also requires sideEffects and admissionReviewVersions, and accepts three types.
Complete the webhook.`,
	Reference: "OLM pkg/controller/operators/olm operator.go; operator-controller CheckWebhookNameUniqueness",
	Check:     contents.InAllBundles(contents.WithReadableCSV(checkWebhooks)),
}

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
