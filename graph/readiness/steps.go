package readiness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// Step is a step of a migration.
type Step struct {
	Title    string   `json:"title"`
	Text     string   `json:"text"`     // sentences
	Commands []string `json:"commands"` // of a shell
	Object   Object   `json:"-"`        // to apply before the commands
}

// Object is an object to apply.
type Object int

// The objects of steps.
const (
	_ Object = iota
	CatalogObject
	ExtensionObject
)

const (
	kindSubscription = "subscriptions.operators.coreos.com"
	kindCSV          = "clusterserviceversions.operators.coreos.com"
	kindGroup        = "operatorgroups.operators.coreos.com"
	kindExtension    = "clusterextensions.olm.operatorframework.io"
	kindCRD          = "customresourcedefinitions.apiextensions.k8s.io"
)

// steps returns what to do, in this order.
func (m *migration) steps() []Step {
	steps := []Step{m.catalogStep(), m.backupStep(), {
		Title:    "Delete the Subscription",
		Text:     "OLM v0 no longer upgrades the operator.",
		Commands: []string{fmt.Sprintf("kubectl delete -n %s %s %s", m.Namespace, kindSubscription, m.Subscription)},
	}, {
		Title: "Delete the ClusterServiceVersion",
		Text: "OLM v0 removes the deployments, permissions and webhooks of the operator, which is down until OLM v1 has installed it. " +
			"CRDs and their objects stay.",
		Commands: []string{fmt.Sprintf("kubectl delete -n %s %s %s", m.Namespace, kindCSV, m.Name)},
	}}
	if step, ok := m.adoptStep(); ok {
		steps = append(steps, step)
	}
	if m.Extension.ServiceAccount != "" {
		steps = append(steps, m.accountStep())
	}
	return append(steps, m.applyStep(), m.upgradeStep(), m.groupStep())
}

func (m *migration) catalogStep() Step {
	name := m.Extension.Catalog
	if m.serving != nil {
		return Step{Title: "Check the ClusterCatalog", Text: fmt.Sprintf("ClusterCatalog %s has the image of CatalogSource %s.", name, m.Source),
			Commands: []string{"kubectl wait --for=condition=Serving clustercatalogs.olm.operatorframework.io/" + name}}
	}
	step := Step{Title: "Create the ClusterCatalog", Text: fmt.Sprintf("No ClusterCatalog in the snapshot has the image of CatalogSource %s.", m.Source),
		Commands: []string{"kubectl wait --for=condition=Serving clustercatalogs.olm.operatorframework.io/" + name}}
	if m.of != nil {
		step.Object = CatalogObject
	}
	return step
}

func (m *migration) backupStep() Step {
	objects := []string{kindSubscription + "/" + m.Subscription, kindCSV + "/" + m.Name}
	if m.group != nil {
		objects = append(objects, kindGroup+"/"+m.group.Metadata.Name)
	}
	return Step{Title: "Back up what OLM v0 has", Text: "To return to OLM v0, apply them again without their status.",
		Commands: []string{fmt.Sprintf("kubectl get -n %s %s -o yaml > %s-olm-v0.yaml", m.Namespace, strings.Join(objects, " "), m.Subscription)}}
}

// adoptStep lets OLM v1 take over the CRDs (Helm: pkg/action checkOwnership; operator-controller: applier Helm).
func (m *migration) adoptStep() (Step, bool) {
	var commands []string
	for _, name := range m.crds() {
		commands = append(commands, fmt.Sprintf("kubectl label --overwrite %s %s app.kubernetes.io/managed-by=Helm", kindCRD, name),
			fmt.Sprintf("kubectl annotate --overwrite %s %s meta.helm.sh/release-name=%s meta.helm.sh/release-namespace=%s", kindCRD, name, m.Subscription, m.Namespace))
	}
	return Step{Title: "Hand over the CRDs", Text: "OLM v1 installs with Helm, which adopts only objects with these labels and annotations. Other " +
		"remaining objects of the bundle need them too: OLM v1 names them in the conditions of the ClusterExtension.", Commands: commands}, len(commands) > 0
}

// crds returns the names of the CRDs that the installed operator owns, sorted.
func (m *migration) crds() []string {
	var c *csv.Document
	if m.csv != nil {
		c = csv.Decode(m.csv.Object)
	} else if known, err := m.judged.readContents(m.Installed.Listed); err == nil && known.csv != nil {
		c = known.csv.Document
	} else {
		return nil
	}
	var names []string
	for _, owned := range c.Spec.CRDs.Owned {
		if snapshot.IsName(owned.Name) {
			names = append(names, owned.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (m *migration) accountStep() Step {
	account := m.Extension.ServiceAccount
	return Step{Title: "Create the service account", Text: m.release.String() + " installs with a service account of the namespace, which needs permissions for " +
		"all objects of the bundle, and all permissions that the bundle grants to the operator. cluster-admin has them.",
		Commands: []string{fmt.Sprintf("kubectl create serviceaccount -n %s %s", m.Namespace, account),
			fmt.Sprintf("kubectl create clusterrolebinding %s --clusterrole=cluster-admin --serviceaccount=%s:%s", account, m.Namespace, account)}}
}

func (m *migration) applyStep() Step {
	return Step{Title: "Apply the ClusterExtension", Text: "It names the version that is installed, so that nothing is upgraded yet.", Object: ExtensionObject,
		Commands: []string{fmt.Sprintf("kubectl wait --for=condition=Installed --timeout=10m %s/%s", kindExtension, m.Extension.Name)}}
}

func (m *migration) upgradeStep() Step {
	next := "OLM v1 has no upgrade for it now."
	if m.Next != nil {
		next = fmt.Sprintf("OLM v1 then upgrades to %s.", m.Next.Name)
		if len(m.Rejected) > 0 {
			next = fmt.Sprintf("OLM v1 then chooses %s, and the upgrade fails.", m.Next.Name)
		}
		switch m.Next.Verdict {
		case Blocked, Gate:
			next = fmt.Sprintf("OLM v1 then chooses %s, which it does not install: the operator stays on %s.", m.Next.Name, m.Name)
		case Unknown:
			next = fmt.Sprintf("OLM v1 then chooses %s; whether OLM v1 installs it is not known from the catalog.", m.Next.Name)
		}
	}
	if m.Manual {
		return Step{Title: "Keep the version", Text: "The Subscription had the approval Manual: to upgrade, change spec.source.catalog.version. Without a version " +
			strings.Replace(next, " then", "", 1)}
	}
	return Step{Title: "Allow upgrades", Text: next, Commands: []string{fmt.Sprintf(
		`kubectl patch %s %s --type=json -p '[{"op":"remove","path":"/spec/source/catalog/version"}]'`, kindExtension, m.Extension.Name)}}
}

func (m *migration) groupStep() Step {
	others := len(m.cluster.Subscriptions[m.Namespace]) > 1
	switch {
	case m.group == nil:
		return Step{Title: "Delete the OperatorGroup", Text: "When the namespace has no Subscription left, its OperatorGroup is not needed."}
	case others:
		return Step{Title: "Keep the OperatorGroup", Text: fmt.Sprintf("Other Subscriptions of namespace %s need OperatorGroup %s until they are migrated too.",
			m.Namespace, m.group.Metadata.Name)}
	}
	return Step{Title: "Delete the OperatorGroup", Text: "No other Subscription of the namespace needs it. Keep it if OLM v0 is to install operators there again.",
		Commands: []string{fmt.Sprintf("kubectl delete -n %s %s %s", m.Namespace, kindGroup, m.group.Metadata.Name)}}
}
