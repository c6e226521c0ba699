package readiness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// checkDeployments checks the names of deployments (operator-controller: CheckDeploymentSpecUniqueness,
// CheckDeploymentNameIsDNS1123SubDomain).
func (j *judgement) checkDeployments() {
	if !j.release.validates {
		return
	}
	seen := map[string]bool{}
	for i, d := range j.contents.csv.Spec.Install.Spec.Deployments {
		pos := j.contents.at(fmt.Sprintf("spec.install.spec.deployments[%d].name", i))
		if seen[d.Name] {
			j.add(kindDeployment, pos, "", "has two deployments %q", d.Name)
		} else if !snapshot.IsName(d.Name) {
			j.add(kindDeployment, pos, "", "has a deployment %q, which is not a valid name of an object", d.Name)
		}
		seen[d.Name] = true
	}
}

// checkWebhooks checks the webhooks (operator-controller: applier RegistryV1ManifestProvider.Get; the validators of webhooks).
func (j *judgement) checkWebhooks() {
	webhooks := j.contents.csv.Spec.Webhooks
	if len(webhooks) == 0 {
		return
	}
	if ok, gate := j.release.webhooks(); !ok {
		count := fmt.Sprintf("%d webhooks", len(webhooks))
		if len(webhooks) == 1 {
			count = "a webhook"
		}
		j.add(kindWebhook, j.contents.at("spec.webhookdefinitions"), gate, "has %s, and OLM v1 installs none%s", count, strings.Replace(orGate(gate), ", or", " without", 1))
	} else {
		j.Notes = append(j.Notes, fmt.Sprintf("it has webhooks: OLM v1 leaves their certificates to %s, which the cluster needs", j.release.certificates()))
	}
	if j.release.validates {
		j.validateWebhooks(webhooks)
	}
}

func (j *judgement) validateWebhooks(webhooks []csv.WebhookDescription) {
	names, deployments, owned, converted := map[[2]string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, d := range j.contents.csv.Spec.Install.Spec.Deployments {
		deployments[d.Name] = true
	}
	for _, c := range j.contents.csv.Spec.CRDs.Owned {
		owned[c.Name] = true
	}
	for i := range webhooks {
		w, key := &webhooks[i], [2]string{webhooks[i].Type, webhooks[i].GenerateName}
		pos := j.contents.at(fmt.Sprintf("spec.webhookdefinitions[%d]", i))
		if !deployments[w.DeploymentName] {
			j.add(kindWebhook, pos, "", "has the webhook %q of the deployment %q, which it does not have", w.GenerateName, w.DeploymentName)
		}
		if names[key] {
			j.add(kindWebhook, pos, "", "has two webhooks %q of one type", w.GenerateName)
		} else if !snapshot.IsName(w.GenerateName) {
			j.add(kindWebhook, pos, "", "has a webhook %q, which is not a valid name of an object", w.GenerateName)
		}
		names[key] = true
		if w.Type != csv.ConversionWebhook {
			j.checkWebhookRules(i, w)
			continue
		}
		if j.release.webhookRules && !slices.Equal(j.Modes, []string{csv.AllNamespaces}) {
			j.add(kindConversionWebhook, pos, "", "has the conversion webhook %q and install modes other than AllNamespaces: %s", w.GenerateName, strings.Join(j.Modes, ", "))
		}
		for _, name := range w.ConversionCRDs {
			if !owned[name] {
				j.add(kindConversionWebhook, pos, "", "has the conversion webhook %q for the CRD %q, which it does not own", w.GenerateName, name)
			}
			if converted[name] {
				j.add(kindConversionWebhook, pos, "", "has two conversion webhooks for the CRD %q", name)
			}
			converted[name] = true
		}
	}
}

// checkWebhookRules checks what an admission webhook is called for (operator-controller: CheckWebhookRules).
func (j *judgement) checkWebhookRules(i int, w *csv.WebhookDescription) {
	if !j.release.webhookRules {
		return
	}
	for k, rule := range w.Rules {
		pos := j.contents.at(fmt.Sprintf("spec.webhookdefinitions[%d].rules[%d]", i, k))
		for _, group := range rule.APIGroups {
			if group == "*" || group == "olm.operatorframework.io" {
				j.add(kindWebhook, pos, "", "has the webhook %q for the API group %q, which OLM v1 forbids", w.GenerateName, group)
			}
			if group == "admissionregistration.k8s.io" && slices.ContainsFunc(rule.Resources, isWebhookConfiguration) {
				j.add(kindWebhook, pos, "", "has the webhook %q for webhook configurations, which OLM v1 forbids", w.GenerateName)
			}
		}
	}
}

func isWebhookConfiguration(resource string) bool {
	kind := strings.TrimSuffix(strings.ToLower(resource), "s")
	return resource == "*" || kind == "mutatingwebhookconfiguration" || kind == "validatingwebhookconfiguration"
}
