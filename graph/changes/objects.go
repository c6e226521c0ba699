package changes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// ownedKinds are the kinds of objects that OLM v0 makes the ClusterServiceVersion the owner of: Kubernetes deletes them with it (OLM: catalog
// ExecutePlan). Others of a bundle stay.
var ownedKinds = []string{"Service", "ConfigMap", "Secret", "ServiceMonitor", "PrometheusRule", "PodDisruptionBudget", "VerticalPodAutoscaler", "NetworkPolicy"}

// compareObjects compares the objects of the bundles that are no CRDs, and returns those that OLM deletes. What roles permit is compared as
// permissions.
func (c *comparison) compareObjects() (deleted []string) {
	before, after := otherObjects(c.pkg.Manifests(c.from)), otherObjects(c.pkg.Manifests(c.to))
	for _, old := range before {
		name := old.Kind + " " + old.Name
		i := slices.IndexFunc(after, func(m *bundled.Manifest) bool { return m.Kind == old.Kind && m.Name == old.Name })
		switch {
		case i < 0 && old.Kind == "ServiceAccount" && slices.Contains(serviceAccounts(c.new), old.Name): // OLM makes it
		case i < 0 && (c.olm == graph.V1 || slices.Contains(ownedKinds, old.Kind) || old.Kind == "ServiceAccount" && slices.Contains(serviceAccounts(c.old), old.Name)):
			deleted = append(deleted, name)
			c.add(Objects, false, name, "is removed: OLM deletes it")
		case i < 0:
			c.add(Objects, false, name, "is removed from the bundle: it stays on the cluster")
		case old.Object != after[i].Object && !isRole(old.Kind):
			c.compareObject(name, old, after[i])
		}
	}
	for _, new := range after {
		if !slices.ContainsFunc(before, func(m *bundled.Manifest) bool { return m.Kind == new.Kind && m.Name == new.Name }) {
			c.add(Objects, false, new.Kind+" "+new.Name, "is new")
		}
	}
	return deleted
}

// otherObjects returns the objects that are neither the ClusterServiceVersion nor a CRD.
func otherObjects(all []*bundled.Manifest) []*bundled.Manifest {
	return slices.DeleteFunc(slices.Clone(all), func(m *bundled.Manifest) bool { return m.Fault != "" || m.Kind == csv.Kind || m.Kind == crd.Kind })
}

// serviceAccounts returns the service accounts to which a ClusterServiceVersion gives permissions: OLM makes it their owner (OLM: resolver
// RBACForClusterServiceVersion).
func serviceAccounts(of *csv.CSV) (names []string) {
	for _, p := range slices.Concat(of.Spec.Install.Spec.Permissions, of.Spec.Install.Spec.ClusterPermissions) {
		names = append(names, p.ServiceAccountName)
	}
	return names
}

func isRole(kind string) bool { return strings.HasSuffix(strings.TrimPrefix(kind, "Cluster"), "Role") }

const maxFields = 5 // of an object in a message

func (c *comparison) compareObject(name string, old, new *bundled.Manifest) {
	all := slices.DeleteFunc(differences("", decodeObject(old), decodeObject(new), false), func(f field) bool {
		return strings.HasPrefix(f.Path, "metadata.creationTimestamp") || strings.HasPrefix(f.Path, "status") || c.onlyVersion(f)
	})
	for _, f := range all[:min(len(all), maxFields)] {
		c.add(Objects, false, name, f.Path+" "+f.say())
	}
	if more := len(all) - maxFields; more > 0 {
		c.add(Objects, false, name, words.CountPlural(more, "more field differs", "more fields differ"))
	}
}

// compareTexts compares what people read, and what else is in the ClusterServiceVersions.
func (c *comparison) compareTexts() {
	for _, f := range differences("", texts(c.rawOld), texts(c.rawNew), false) {
		if c.onlyVersion(f) {
			continue
		}
		if strings.HasPrefix(f.Path, "spec.icon") {
			c.add(Texts, false, "spec.icon", "is another one")
			continue
		}
		if strings.HasPrefix(f.Path, "spec.customresourcedefinitions.owned") && (f.Was == nil || f.Is == nil) && strings.HasSuffix(f.Path, "]") {
			continue // told of CRDs and APIs
		}
		was, isText := f.Was.(string)
		is, areTexts := f.Is.(string)
		if isText && areTexts && max(len(was), len(is)) > maxValue {
			before, after := strings.Split(was, "\n"), strings.Split(is, "\n")
			gone, added := subtract(before, after), subtract(after, before)
			said := fmt.Sprintf("lines added: %d, removed: %d", len(added), len(gone))
			if len(added)+len(gone) == 0 {
				said = "has the same lines in another order or number"
			}
			c.add(Texts, false, f.Path, said)
			continue
		}
		c.add(Texts, false, f.Path, f.say())
	}
}

// texts returns a ClusterServiceVersion without what is compared otherwise, or changes with each version.
func texts(raw map[string]any) map[string]any {
	found, metadata := omitKeys(raw, "status"), omitKeys(raw["metadata"], "name", "namespace", "creationTimestamp")
	metadata["annotations"] = omitKeys(metadata["annotations"],
		"createdAt", "olm.skipRange", "containerImage", "olm.properties", "operatorframework.io/properties", csv.AnnotationExamples, csv.AnnotationOldExamples)
	found["metadata"] = metadata
	found["spec"] = omitKeys(found["spec"], "install", "webhookdefinitions", "relatedImages", "version", "replaces", "skips", "installModes", "minKubeVersion")
	return found
}

// omitKeys returns an object without keys.
func omitKeys(value any, keys ...string) map[string]any {
	object, _ := value.(map[string]any)
	kept := map[string]any{}
	for key, part := range object {
		if !slices.Contains(keys, key) {
			kept[key] = part
		}
	}
	return kept
}
