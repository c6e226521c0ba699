package lint

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
)

// supported has who installs a kind of object (operator-registry: pkg/lib/bundle supported_resources.go, which OLM v1 uses too;
// OLM v0: pkg/controller/operators/catalog supportedresources.go).
var supported = map[string]Gates{
	"ConfigMap": anyOLM, "ServiceAccount": anyOLM, "Service": anyOLM, "Secret": anyOLM, "Role": anyOLM, "RoleBinding": anyOLM,
	"ClusterRole": anyOLM, "ClusterRoleBinding": anyOLM, csv.Kind: anyOLM, crd.Kind: anyOLM,
	"PrometheusRule": anyOLM, "ServiceMonitor": anyOLM, "PodDisruptionBudget": anyOLM, "PriorityClass": anyOLM,
	"VerticalPodAutoscaler": anyOLM, "ConsoleYAMLSample": anyOLM, "ConsoleQuickStart": anyOLM, "ConsoleCLIDownload": anyOLM,
	"ConsoleLink": anyOLM, "ConsolePlugin": anyOLM, "NetworkPolicy": anyOLM,
	"PodMonitor":   GateOLMv1 | GateHub,
	"Subscription": GateOLMv0,
}

// anyOLM are those who refuse kinds of objects.
const anyOLM = GateOLMv0 | GateOLMv1 | GateHub

func checkUnsupported(c *bundleContents) {
	for _, m := range c.objects() {
		refuse := anyOLM &^ supported[m.Kind]
		if m.Kind == "" || refuse == 0 || m.File != "" && m.Document > 0 { // OLM v0 sees first documents only
			continue
		}
		who := map[Gates]string{anyOLM: "OLM", GateOLMv0: "OLM v0"}[refuse]
		if who == "" {
			who = "OLM v1"
		}
		c.reportOn(m, "kind", "let the operator create it, or remove it",
			"contains the %s %q, a kind that %s does not install: the bundle cannot be installed", m.Kind, m.Name, who).Gates = refuse
	}
}

func checkDocuments(c *bundleContents) {
	for _, m := range c.objects() {
		if m.File != "" && m.Document > 0 {
			c.reportOn(m, "", "move it to its own file",
				"contains the %s %q as another document of the file %s, of which OLM v0 and opm read only the first one: it is not installed",
				m.Kind, m.Name, m.File)
		}
	}
}

// checkSeveralCSVs looks at properties; of folders manifest/csv-count says so.
func checkSeveralCSVs(c *bundleContents) {
	for _, m := range c.objects() {
		if m.Kind == csv.Kind && m.File == "" && c.csv != nil && m.Object != c.csv.Manifest.Object {
			c.reportOn(m, "", "keep one",
				"has the ClusterServiceVersion %q beside %q: which of the two is installed is not defined", m.Name, c.csv.Manifest.Object.Name).withCauses(m.Name, c.csv.Manifest.Object.Name)
		}
	}
}

func checkDuplicateObjects(c *bundleContents) {
	type name struct{ kind, namespace, name string }
	seen := map[name]bool{}
	for _, m := range c.objects() {
		key := name{m.Kind, m.Namespace, m.Name}
		if seen[key] && m.Name != "" && m.Kind != csv.Kind {
			f := c.reportOn(m, "metadata.name", "keep one of them",
				"contains the %s %q twice: the later one overwrites the other", m.Kind, m.Name)
			if m.Kind == crd.Kind {
				f.Severity, f.Gates = Error, GateOLMv1|GateHub
			}
		}
		seen[key] = true
	}
}

func checkCRDVersion(c *bundleContents) {
	for _, m := range c.objects() {
		if m.Kind == crd.Kind && m.APIVersion != crd.V1 && m.APIVersion != crd.V1beta1 {
			c.reportOn(m, "apiVersion", "write apiVersion: "+crd.V1,
				"contains the CRD %q with the apiVersion %q, which no API server supports", m.Name, m.APIVersion).withCauses(m.APIVersion)
		}
	}
}

var invalidKeyCharacter = regexp.MustCompile(`[^-._a-zA-Z0-9]`)

// checkKeys looks for files that OLM v0 keeps under the same key of its ConfigMap (operator-registry: pkg/configmap).
func checkKeys(c *bundleContents) {
	folder := c.Folder()
	if folder == nil {
		return
	}
	keys := map[string]string{}
	for _, name := range folder.Files {
		key := invalidKeyCharacter.ReplaceAllString(name, "-")
		if other, ok := keys[key]; ok {
			c.reportAt(folder.Pos, "rename one of them",
				"has the files %q and %q, which OLM v0 stores under the same key: it installs only one of them", other, name).withCauses(other, name)
		}
		keys[key] = name
	}
}

func checkInside(c *bundleContents) {
	folder := c.Folder()
	if folder == nil || len(folder.Subfolders) == 0 {
		return
	}
	c.reportAt(folder.Pos, "move its files up into manifests",
		"has %s in its manifests, %s: OLM v0 ignores its content, and OLM v1 refuses the bundle",
		plural(len(folder.Subfolders), "a folder", "folders"), allOf(folder.Subfolders)).Each = folder.Subfolders
}

// maxCompressed is how large a ConfigMap may be (operator-framework/api: bundle.go).
const maxCompressed = 1 << 20

func checkSize(c *bundleContents) {
	folder := c.Folder()
	if folder == nil {
		return
	}
	packed, err := folder.ConfigMapSize()
	size := fmt.Sprintf("%d KiB", packed>>10)
	switch {
	case err != nil: // the catalog could not be read a second time, which is said elsewhere
	case packed > maxCompressed:
		c.reportAt(folder.Pos, "shorten descriptions in the CRDs, or split the operator",
			"has %s compressed, more than the 1024 KiB of a ConfigMap: OLM v0 cannot unpack it", size).withCauses("tooLarge")
	case packed > maxCompressed*85/100:
		f := c.reportAt(folder.Pos, "shorten descriptions in the CRDs",
			"has %s compressed, of at most 1024 KiB: OLM v0 cannot unpack a larger one", size)
		f.Severity, f.Gates = Warning, GateHub
	}
}

// checkObjectMeta looks at what every object has to have; that of CSVs and CRDs is looked at elsewhere.
func checkObjectMeta(c *bundleContents) {
	for _, m := range c.objects() {
		if m.Kind == csv.Kind || m.Kind == crd.Kind || m.File != "" && m.Document > 0 {
			continue
		}
		var head struct {
			Metadata csv.ObjectMeta `json:"metadata"`
		}
		err := json.Unmarshal(m.JSON(), &head)
		checkObjectName(c, m, &head.Metadata, err)
		for _, key := range sortedKeys(head.Metadata.Labels) {
			if says := labelFault(head.Metadata.Labels[key]); says != "" {
				c.reportOn(m, "metadata.labels["+key+"]", "correct the label", "contains the %s %q with the label %s: %q, which %s",
					m.Kind, m.Name, key, head.Metadata.Labels[key], says)
			}
		}
	}
}

// checkObjectName looks at what tells an object from others; err says why its metadata cannot be decoded.
func checkObjectName(c *bundleContents, m *catalogs.Manifest, meta *csv.ObjectMeta, err error) {
	switch {
	case m.APIVersion == "" || m.Kind == "":
		c.reportOn(m, "", "set apiVersion and kind, or remove it",
			"contains an object %q without apiVersion or kind: OLM cannot install it", m.Name)
	case err != nil:
		c.reportOn(m, "metadata", "quote the strings",
			"contains the %s %q with metadata of the wrong type: %s", m.Kind, m.Name, typeFault(err))
	case meta.Name == "" && meta.GenerateName == "":
		c.reportOn(m, "metadata", "set metadata.name", "contains a %s without a name: OLM cannot create it", m.Kind)
	case meta.Name != "" && nameFault(meta.Name) != "" && !slices.Contains(pathNamed, m.Kind):
		c.reportOn(m, "metadata.name", "rename it", "contains the %s %q, a name that %s", m.Kind, meta.Name,
			nameFault(meta.Name))
	}
}

// pathNamed are the kinds whose names need not be DNS names.
var pathNamed = []string{"Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}

func typeFault(err error) string {
	if wrong, ok := err.(*json.UnmarshalTypeError); ok {
		return fmt.Sprintf("%s is %s", wrong.Field, withArticle(wrong.Value))
	}
	return "it is not an object"
}
