package judge

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/judge/crd"
)

// supported has the gates that accept a kind of object (operator-registry: pkg/lib/bundle supported_resources.go, which OLM v1
// uses too; OLM v0: pkg/controller/operators/catalog supportedresources.go).
var supported = map[string]Gates{
	"ConfigMap": anyOLM, "ServiceAccount": anyOLM, "Service": anyOLM, "Secret": anyOLM, "Role": anyOLM, "RoleBinding": anyOLM,
	"ClusterRole": anyOLM, "ClusterRoleBinding": anyOLM, csv.Kind: anyOLM, crd.Kind: anyOLM,
	"PrometheusRule": anyOLM, "ServiceMonitor": anyOLM, "PodDisruptionBudget": anyOLM, "PriorityClass": anyOLM,
	"VerticalPodAutoscaler": anyOLM, "ConsoleYAMLSample": anyOLM, "ConsoleQuickStart": anyOLM, "ConsoleCLIDownload": anyOLM,
	"ConsoleLink": anyOLM, "ConsolePlugin": anyOLM, "NetworkPolicy": anyOLM,
	"PodMonitor":   GateOLMv1 | GatePipelines,
	"Subscription": GateOLMv0,
}

// anyOLM has the gates that reject unsupported kinds.
const anyOLM = GateOLMv0 | GateOLMv1 | GatePipelines

// supportedSince are the releases of OLM v1 that were the first to install a kind, other than v1.0 (operator-controller at each tag: the version of
// operator-registry in go.mod).
var supportedSince = map[string]int{"ConsolePlugin": 3, "NetworkPolicy": 3, "PodMonitor": 6}

func checkUnsupported(c *bundleCase) {
	reject := func(m *bundled.Manifest, by Gates) *Reason {
		who := map[Gates]string{bothOLM: "OLM", GateOLMv0: "OLM v0", GateOLMv1: "OLM v1"}[by&bothOLM]
		r := c.reportOn(m, "kind", "let the operator create it, or remove it",
			"contains the %s %q, a kind that %s does not install: the bundle cannot be installed", m.Kind, m.Name, who)
		r.Gates = by
		return r
	}
	for _, m := range c.Objects() {
		by := anyOLM &^ supported[m.Kind]
		if m.File != "" && m.Document > 0 { // OLM v0 sees first documents only
			by &= GateOLMv1
		}
		if by != 0 && m.Kind != "" {
			reject(m, by)
		}
		if since := supportedSince[m.Kind]; since > 0 {
			reject(m, GateOLMv1).Releases.Before = since
		}
	}
}

func checkDuplicateObjects(c *bundleCase) {
	type name struct{ kind, namespace, name string }
	seen := map[name]bool{}
	for _, m := range c.Objects() {
		key := name{m.Kind, m.Namespace, m.Name}
		if seen[key] && m.Name != "" && m.Kind != csv.Kind {
			f := c.reportOn(m, "metadata.name", "keep one of them",
				"contains the %s %q twice: the later one overwrites the other", m.Kind, m.Name)
			if m.Kind == crd.Kind {
				f.Weight, f.Gates = Stops, GateOLMv1|GatePipelines
			}
		}
		seen[key] = true
	}
}

func checkCRDVersion(c *bundleCase) {
	for _, m := range c.Objects() {
		if m.Kind == crd.Kind && m.APIVersion != crd.V1 && m.APIVersion != crd.V1beta1 {
			c.reportOn(m, "apiVersion", "write apiVersion: "+crd.V1,
				"contains the CRD %q with the apiVersion %q, which no API server supports", m.Name, m.APIVersion).WithCause(m.APIVersion)
		}
	}
}

func checkSubfolders(c *bundleCase) {
	folder := c.Folder
	if folder == nil || len(folder.Subfolders) == 0 {
		return
	}
	c.reportAt(folder.Pos, "move its files up into manifests",
		"has %s in its manifests, %s: OLM v0 ignores its content, and OLM v1 rejects the bundle",
		words.Plural(len(folder.Subfolders), "a folder", "folders"), words.QuoteSome(folder.Subfolders)).Faults = folder.Subfolders
}

// maxCompressed is the maximum size of a ConfigMap, in bytes (operator-framework/api: bundle.go).
const maxCompressed = 1 << 20

// nearlyMax is the size above which it is a warning.
const nearlyMax = maxCompressed * 85 / 100

func checkSize(c *bundleCase) {
	folder := c.Folder
	if folder == nil {
		return
	}
	packed, err := manifests.ConfigMapSize(folder, nearlyMax)
	size := fmt.Sprintf("%d KiB", packed>>10)
	switch {
	case err != nil: // catalog/parse reports it
	case packed > maxCompressed:
		c.reportAt(folder.Pos, "shorten descriptions in the CRDs, or split the operator",
			"has %s compressed, more than the 1024 KiB of a ConfigMap: OLM v0 cannot unpack it", size).WithCause("tooLarge")
	case packed > nearlyMax:
		f := c.reportAt(folder.Pos, "shorten descriptions in the CRDs",
			"has %s compressed, of at most 1024 KiB: OLM v0 cannot unpack a larger one", size)
		f.Weight, f.Gates = Endangers, GatePipelines
	}
}

// ownCRD returns the CRD of that name in the bundle, nil if it cannot be parsed, and whether the bundle contains it.
func ownCRD(c *bundleCase, name string) (crd *CRD, present bool) {
	own := c.pkg.CRD(c.Bundle, name)
	if own == nil || own.Outline == nil {
		return nil, own != nil
	}
	return own, true
}

// checkMissingCRD reports owned CRDs that are not among the objects of the bundle.
func checkMissingCRD(c *bundleCase) {
	if c.CSV.Err != nil {
		return
	}
	for i, owned := range c.CSV.Spec.CRDs.Owned {
		path := fmt.Sprintf("spec.customresourcedefinitions.owned[%d]", i)
		f := func(says string, args ...any) *Reason {
			return c.report(path, "add the CRD to the bundle, with that version and kind, or correct the entry", says, args...).
				WithCause(owned.Name, owned.Version, owned.Kind)
		}
		switch crd, present := ownCRD(c, owned.Name); {
		case !present:
			f("owns the CRD %q, but does not contain it: OLM v0 waits for it, and OLM v1 rejects the bundle", owned.Name)
		case crd == nil: // crd/invalid reports it
		case owned.Kind != crd.Kind:
			f("owns the CRD %q as kind %q, but contains it as kind %q", owned.Name, owned.Kind, crd.Kind).Gates = GatePipelines | GateOLMv0
		case !crd.Has(owned.Version):
			f("owns version %q of the CRD %q, but its CRD lacks that version: OLM v0 never completes the installation without it", owned.Version,
				owned.Name).Gates = GatePipelines | GateOLMv0
		}
	}
}

func checkOwnedServed(c *bundleCase) {
	for i, owned := range c.CSV.Spec.CRDs.Owned {
		crd, _ := ownCRD(c, owned.Name)
		if crd == nil {
			continue
		}
		at := crd.VersionIndex(owned.Version)
		if at >= 0 && !crd.Versions[at].Served {
			c.report(fmt.Sprintf("spec.customresourcedefinitions.owned[%d].version", i),
				"own a version that is served, or serve it",
				"owns version %s of the CRD %q, which its own CRD does not serve: it stays Pending in OLM v0", owned.Version, owned.Name).
				WithCause(owned.Name, owned.Version)
		}
	}
}

// checkObjectMeta checks the metadata of objects other than CSVs and CRDs.
func checkObjectMeta(c *bundleCase) {
	for _, m := range c.Objects() {
		if m.Kind == csv.Kind || m.Kind == crd.Kind || m.File != "" && m.Document > 0 {
			continue
		}
		var head struct {
			Metadata csv.ObjectMeta `json:"metadata"`
		}
		err := json.Unmarshal(m.JSON(), &head)
		checkObjectName(c, m, &head.Metadata, err)
		for _, key := range words.SortedKeys(head.Metadata.Labels) {
			if says := words.LabelFault(head.Metadata.Labels[key]); says != "" {
				c.reportOn(m, "metadata.labels["+key+"]", "correct the label", "contains the %s %q with the label %s: %q, which %s",
					m.Kind, m.Name, key, head.Metadata.Labels[key], says)
			}
		}
	}
}

// checkObjectName checks apiVersion, kind and name of an object. err is the error of decoding its metadata.
func checkObjectName(c *bundleCase, m *bundled.Manifest, meta *csv.ObjectMeta, err error) {
	switch {
	case m.Kind == "":
		c.reportOn(m, "", "set apiVersion and kind, or remove it",
			"contains an object %q without a kind: OLM v0 leaves its file out, OLM v1 and the validation of bundles reject it", m.Name).Gates = GatePipelines | GateOLMv1
	case m.APIVersion == "":
		checkAPIVersion(c, m)
	case err != nil:
		c.reportOn(m, "metadata", "quote the strings",
			"contains the %s %q with metadata of the wrong type: %s", m.Kind, m.Name, typeFault(err))
	case meta.Name == "" && meta.GenerateName == "":
		c.reportOn(m, "metadata", "set metadata.name", "contains a %s without a name: OLM cannot create it", m.Kind)
	case meta.Name != "" && words.NameFault(meta.Name) != "" && !slices.Contains(anyNameKinds, m.Kind):
		c.reportOn(m, "metadata.name", "rename it", "contains the %s %q, a name that %s", m.Kind, meta.Name,
			words.NameFault(meta.Name))
	}
}

// apiVersions has the apiVersion of the kinds that OLM v0 creates by their kind alone (operator-lifecycle-manager:
// pkg/controller/operators/catalog operator.go ExecutePlan).
var apiVersions = map[string]string{
	"ConfigMap": "v1", "Secret": "v1", "Service": "v1", "ServiceAccount": "v1",
	"ClusterRole": rbacV1, "ClusterRoleBinding": rbacV1, "Role": rbacV1, "RoleBinding": rbacV1,
}

const rbacV1 = "rbac.authorization.k8s.io/v1"

// checkAPIVersion reports an object with a kind and no apiVersion. The decoder of opm, OLM and the validation of bundles accepts it. OLM v1 asks
// the API server for the kind in the group "" then, as OLM v0 does for most kinds.
func checkAPIVersion(c *bundleCase, m *bundled.Manifest) {
	switch version := apiVersions[m.Kind]; version {
	case "":
		c.reportOn(m, "", "set apiVersion, or remove it",
			"contains the %s %q without an apiVersion: OLM finds no API for it, and the installation fails", m.Kind, m.Name).Gates = GateOLMv0 | GateOLMv1
	case rbacV1:
		f := c.reportOn(m, "", "add apiVersion: "+version,
			"contains the %s %q without an apiVersion: OLM v0 creates it by its kind, but OLM v1 finds no API for it, and the installation fails", m.Kind, m.Name)
		f.Weight, f.Gates = Endangers, GateOLMv1
	default:
		f := c.reportOn(m, "", "add apiVersion: "+version, "contains the %s %q without an apiVersion: OLM v0 creates it by its kind", m.Kind, m.Name)
		f.Weight, f.Gates = Notes, GateAdvice
	}
}

// anyNameKinds are the kinds whose names need not be DNS names.
var anyNameKinds = []string{"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}

func typeFault(err error) string {
	if wrong, ok := err.(*json.UnmarshalTypeError); ok {
		return fmt.Sprintf("%s is %s", wrong.Field, words.DescribeJSON(wrong.Value))
	}
	return "it is not an object"
}

// checkRemoved reports objects in APIs that Kubernetes has removed.
func checkRemoved(c *bundleCase) {
	for _, m := range c.Objects() {
		if gone := removedIn(m.APIVersion, m.Kind); gone > 0 {
			r := c.reportOn(m, "apiVersion", "use the version of the API that follows "+m.APIVersion,
				"contains the %s %q in %s, which Kubernetes 1.%d removed", m.Kind, m.Name, m.APIVersion, gone).WithCause(m.APIVersion)
			r.Where = []Condition{{Kind: KubernetesFrom, Minor: gone}}
		}
	}
}

// checkAccounts reports service accounts of deployments, which OLM creates itself.
func checkAccounts(c *bundleCase) {
	for _, m := range c.Objects() {
		uses := func(d csv.Deployment) bool { return d.Spec.Template.Spec.ServiceAccountName == m.Name }
		if m.Kind == "ServiceAccount" && m.Name != "" && slices.ContainsFunc(c.CSV.Spec.Install.Spec.Deployments, uses) {
			c.reportOn(m, "metadata.name", "remove it: OLM creates the service accounts of deployments itself",
				"contains the ServiceAccount %q, which one of its deployments uses: OLM creates that itself, and the two conflict", m.Name)
		}
	}
}

// checkV1beta1 reports CRDs in v1beta1.
func checkV1beta1(c *bundleCase) {
	for _, m := range c.pkg.CRDManifests(c.Bundle) {
		if m.APIVersion == crd.V1beta1 {
			c.reportOn(m, "apiVersion", "convert it to "+crd.V1, "contains the CRD %q in v1beta1, which Kubernetes 1.%d removed", m.Name, crdV1beta1Removed).Where = []Condition{{Kind: KubernetesFrom, Minor: crdV1beta1Removed}}
		}
	}
}
