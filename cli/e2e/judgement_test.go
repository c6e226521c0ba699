package e2e

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// judgedFault is a bundle with one fault that the bundle before does not have: an edit of one of its files, or a new file.
type judgedFault struct {
	file, old, new string
	// older is an edit of the same file of the older bundle, from old to it; "" leaves that as it is. Without old it is a file that only that one has.
	older string
	also  *judgedFault // another edit
	// kube is the version of Kubernetes for which the fault holds, if it depends on that.
	kube string
	// otherwise says what differs from what the row says: by command, "" for silent.
	otherwise map[string]string
}

// judgedFaults has a fault for each kind of reason, by its rule.
var judgedFaults = map[string]judgedFault{
	"bundle/crd-api-version":          {file: "crd.yaml", old: "apiextensions.k8s.io/v1", new: "apiextensions.k8s.io/v2"},
	"bundle/duplicate-object":         {file: "again.yaml", new: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: sea}\nimmutable: true\ndata: {depth: \"1\"}\n"},
	"bundle/missing-owned-crd":        {file: "csv.yaml", old: "    owned:\n", new: "    owned:\n    - {name: buoys.sea.example, version: v1, kind: Buoy}\n", otherwise: map[string]string{"lint": "manifest/owned-crd"}},
	"bundle/owned-version-not-served": {file: "crd.yaml", old: "name: v1, served: true", new: "name: v1, served: false"},
	"bundle/size":                     {file: "noise.yaml", new: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: noise}\ndata: {noise: " + noise() + "}\n"},
	"bundle/subfolder":                {file: "below/noise.yaml", new: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: noise}\n"},
	"csv/name":                        {file: "csv.yaml", old: "name: boat.v1.1.0", new: "name: Boat.v1.1.0"},
	"crd/dropped":                     {file: "crd2.yaml", older: strings.NewReplacer("boat", "raft", "Boat", "Raft").Replace(judgedBundle["crd.yaml"])},
	"crd/served-removed":              {file: "crd.yaml", old: "name: v3", new: "name: v4"},
	"upgrade/owned-version-unserved":  {file: "crd.yaml", old: "name: v3, served: true", new: "name: v3, served: false", also: &judgedFault{file: "csv.yaml", old: "    owned:\n", older: "    owned:\n    - {name: boats.sea.example, version: v3, kind: Boat}\n"}},
	"upgrade/webhook-for-others":      {file: "csv.yaml", old: "  webhookdefinitions:\n", new: "  webhookdefinitions:\n" + fmt.Sprintf(admission, "boat", `""`)},
	"bundle/unsupported-kind":         {file: "job.yaml", new: "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sail}\nspec: {}\n"},
	"crd/conversion":                  {file: "csv.yaml", old: "  webhookdefinitions:\n", new: "  webhookdefinitions:\n  - {type: ConversionWebhook, generateName: c.sea.example, deploymentName: boat, sideEffects: None, admissionReviewVersions: [v1], conversionCRDs: [boats.sea.example]}\n"},
	"crd/immutable":                   {file: "crd.yaml", old: "scope: Namespaced", new: "scope: Cluster"},
	"crd/invalid":                     {file: "crd.yaml", old: "            size: {type: integer}", new: "            size: {type: integer, x-kubernetes-validations: [{rule: self.none > 1}]}"},
	"crd/schema-changed":              {file: "crd.yaml", old: "size: {type: integer}", new: "size: {type: integer, default: 1}"},
	"crd/schema-narrowed":             {file: "crd.yaml", old: "size: {type: integer}", new: "size: {type: string}", otherwise: map[string]string{"path": "note"}},
	"crd/storage-removed":             {file: "crd.yaml", old: "name: v1, served: true", new: "name: v2, served: true"},
	"crd/v1beta1":                     {file: "crd.yaml", old: "apiextensions.k8s.io/v1", new: "apiextensions.k8s.io/v1beta1", kube: "1.29", otherwise: map[string]string{"diff": "fails", "picture": "fails", "crds": "fails"}},
	"csv/all-namespaces":              {file: "csv.yaml", old: "{type: AllNamespaces, supported: true}", new: "{type: AllNamespaces, supported: false}", otherwise: map[string]string{"path v1": "note", "readiness": "silent"}},
	"csv/crd-entry":                   {file: "csv.yaml", old: "    owned:\n", new: "    required:\n    - {name: anchors, version: v1, kind: Anchor}\n    owned:\n", otherwise: map[string]string{"path v1": "fails", "readiness": "fails"}},
	"csv/deployment-account":          {file: "csv.yaml", old: "serviceAccountName: boat # pods", new: "serviceAccountName: captain"},
	"csv/deployment-name":             {file: "csv.yaml", old: "      - name: boat # deployment", new: "      - name: Boat", otherwise: map[string]string{"path": "fails", "cluster": "fails", "plan": "fails", "diff": "fails", "picture": "fails"}},
	"csv/deployment-reference":        {file: "csv.yaml", old: "  webhookdefinitions:\n", new: "  webhookdefinitions:\n" + fmt.Sprintf(admission, "nobody", "sea.example"), otherwise: map[string]string{"path": "note", "cluster": "silent", "plan": "silent"}},
	"csv/deployment-spec":             {file: "csv.yaml", old: "labels: {app: boat}", new: "labels: {app: ship}"},
	"csv/field-type":                  {file: "csv.yaml", old: "  displayName: Boat", new: "  displayName: [Boat]", otherwise: map[string]string{"path v1": "silent"}},
	"csv/install-mode-lost":           {file: "csv.yaml", old: "{type: OwnNamespace, supported: true}", new: "{type: OwnNamespace, supported: false}", otherwise: map[string]string{"path": "note"}},
	"csv/install-modes":               {file: "csv.yaml", old: "  - {type: OwnNamespace, supported: true}\n", new: "  - {type: OwnNamespace, supported: true}\n  - {type: OwnNamespace, supported: true}\n", otherwise: map[string]string{"path v1": "silent", "readiness": "silent"}},
	"csv/min-kube-version":            {file: "csv.yaml", old: "minKubeVersion: 1.20.0", new: "minKubeVersion: 1.33.0", kube: "1.29"},
	"csv/native-api":                  {file: "csv.yaml", old: "  webhookdefinitions:\n", new: "  nativeAPIs: [{group: port.example, version: v1, kind: Harbor}]\n  webhookdefinitions:\n", otherwise: map[string]string{"path": "note", "cluster": "silent", "plan": "silent"}},
	"csv/owned-api-service":           {file: "csv.yaml", old: "  webhookdefinitions:\n", new: "  apiservicedefinitions: {owned: [{group: tide.example, version: v1, kind: Tide, name: tides, deploymentName: boat}]}\n  webhookdefinitions:\n"},
	"csv/required-field":              {file: "csv.yaml", old: "verbs: [get]", new: "verb: [get]"},
	"csv/rules":                       {file: "role.yaml", new: "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: sailor}\nrules:\n- {apiGroups: [sea.example], resources: [boats]}\n"},
	"csv/unknown-key":                 {file: "csv.yaml", old: "                image:", new: "                enviroment: []\n                image:"},
	"csv/webhook":                     {file: "csv.yaml", old: "  webhookdefinitions:\n", new: "  webhookdefinitions:\n" + strings.Repeat(fmt.Sprintf(admission, "boat", "sea.example"), 2)},
	"csv/webhook-rules":               {file: "csv.yaml", old: "  webhookdefinitions:\n", new: "  webhookdefinitions:\n" + fmt.Sprintf(admission, "boat", `"*"`)},
	"object/invalid":                  {file: "service.yaml", new: "apiVersion: v1\nkind: Service\nmetadata: {name: boat}\nspec: {selector: {app: boat}}\n"},
	"object/metadata":                 {file: "account.yaml", new: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: Boat_1}\n"},
	"object/removed-api":              {file: "budget.yaml", new: "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: boat}\nspec: {minAvailable: 1}\n", kube: "1.29", otherwise: map[string]string{"readiness": "silent"}},
	"object/service-account":          {file: "account.yaml", new: "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: boat}\n"},
	"upgrade/conversion-lost":         {file: "crd.yaml", old: "  conversion: {strategy: None}", new: "  conversion: {strategy: None}", older: "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: boat, namespace: sea}}}}"},
	"upgrade/immutable-field":         {file: "config.yaml", old: "data: {depth: \"1\"}", new: "data: {depth: \"2\"}"},
	"upgrade/kind-not-served":         {file: "monitor.yaml", new: "apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: {name: boat}\nspec: {}\n", otherwise: map[string]string{"cluster": "silent", "path": "note", "plan": "silent", "path v1": "note"}},
	"upgrade/selector-changed":        {file: "csv.yaml", old: "app: boat", new: "app: ship"},
}

const admission = "  - type: ValidatingAdmissionWebhook\n    generateName: a.sea.example\n    deploymentName: %s\n    sideEffects: None\n    admissionReviewVersions: [v1]\n    rules: [{apiGroups: [%s], apiVersions: [v1], operations: [CREATE], resources: [boats]}]\n"

// noise returns text of more than a megabyte that is not smaller when compressed.
func noise() string {
	text, source := make([]byte, 1<<20), rand.New(rand.NewPCG(1, 2))
	for i := range text {
		text[i] = byte(source.Uint32())
	}
	return base64.StdEncoding.EncodeToString(text)
}

var judgedBundle = map[string]string{
	"csv.yaml": `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: boat.vVERSION
spec:
  displayName: Boat
  version: VERSION
  minKubeVersion: 1.20.0
REPLACES  installModes:
  - {type: OwnNamespace, supported: true}
  - {type: SingleNamespace, supported: true}
  - {type: MultiNamespace, supported: true}
  - {type: AllNamespaces, supported: true}
  customresourcedefinitions:
    owned:
    - {name: boats.sea.example, version: v1, kind: Boat}
  webhookdefinitions:
  install:
    strategy: deployment
    spec:
      clusterPermissions:
      - serviceAccountName: boat
        rules:
        - {apiGroups: [sea.example], resources: [boats], verbs: [get]}
      deployments:
      - name: boat # deployment
        spec:
          selector: {matchLabels: {app: boat}}
          template:
            metadata:
              labels: {app: boat}
            spec:
              serviceAccountName: boat # pods
              containers:
              - name: manager
                image: quay.io/boat/boat:vVERSION
`,
	"crd.yaml": `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.sea.example}
spec:
  group: sea.example
  scope: Namespaced
  names: {kind: Boat, plural: boats, singular: boat, listKind: BoatList}
  conversion: {strategy: None}
  versions:
  - {name: v1, served: true, storage: true, schema: &schema {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
            size: {type: integer}}}}}}}
  - {name: v3, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
            size: {type: integer}}}}}}}
`,
	"config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: sea}\nimmutable: true\ndata: {depth: \"1\"}\n",
}

const judgedCluster = `apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {name: sea, namespace: openshift-marketplace}
spec: {sourceType: grpc, image: "quay.io/x/sea:v1"}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: og, namespace: a}
spec: {targetNamespaces: [a]}
status: {namespaces: [a]}
---
apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: boat, namespace: a}
spec: {channel: stable, name: boat, source: sea, sourceNamespace: openshift-marketplace}
status: {installedCSV: boat.v1.0.0, currentCSV: boat.v1.0.0, state: AtLatestKnown}
---
apiVersion: sea.example/v1
kind: Boat
metadata: {name: gull, namespace: a}
spec: {size: 3}
---
apiVersion: v1
kind: Node
metadata: {name: node1}
status: {nodeInfo: {kubeletVersion: v1.29.0}}
---
apiVersion: config.openshift.io/v1
kind: ClusterVersion
metadata: {name: version}
status: {history: [{state: Completed, version: 4.16.1}]}
---
`

// writeJudged writes a repository with both bundles and a snapshot of a cluster that has the older one.
func writeJudged(t *testing.T, f judgedFault) (repository, snapshot string) {
	t.Helper()
	root := t.TempDir()
	texts := map[string]string{}
	for _, version := range []string{"1.0.0", "1.1.0"} {
		replaces := ""
		if version == "1.1.0" {
			replaces = "  replaces: boat.v1.0.0\n"
		}
		folder := filepath.Join(root, "repo", "operators", "boat", version)
		write := func(file, text string) {
			t.Helper()
			text = strings.NewReplacer("VERSION", version, "REPLACES", replaces).Replace(text)
			for one := &f; one != nil; one = one.also {
				if edit := map[string]string{"1.0.0": one.older, "1.1.0": one.new}[version]; file == one.file && one.old != "" && edit != "" {
					edited := strings.ReplaceAll(text, one.old, edit)
					if edited == text && one.old != edit {
						t.Fatalf("%s has no %q", file, one.old)
					}
					text = edited
				}
			}
			path := filepath.Join(folder, "manifests", file)
			if file == "annotations.yaml" {
				path = filepath.Join(folder, "metadata", file)
			}
			catalogtest.Write(t, path, text)
			if version == "1.0.0" {
				texts[file] = text
			}
		}
		for file, text := range judgedBundle {
			write(file, text)
		}
		if text := map[string]string{"1.0.0": f.older, "1.1.0": f.new}[version]; f.old == "" && text != "" {
			write(f.file, text)
		}
		write("annotations.yaml", "annotations:\n  operators.operatorframework.io.bundle.package.v1: boat\n  operators.operatorframework.io.bundle.channels.v1: stable\n")
	}
	if err := os.CopyFS(filepath.Join(root, "base", "operators", "boat", "1.0.0"), os.DirFS(filepath.Join(root, "repo", "operators", "boat", "1.0.0"))); err != nil {
		t.Fatal(err)
	}
	installed := strings.Replace(texts["csv.yaml"], "metadata:\n", "metadata:\n  namespace: a\n", 1) + "status: {phase: Succeeded}\n"
	live := texts["crd.yaml"] + "status: {storedVersions: [v1]}\n"
	snapshot = filepath.Join(root, "cluster.yaml")
	catalogtest.Write(t, snapshot, judgedCluster+installed+"---\n"+live)
	return filepath.Join(root, "repo", "operators", "boat"), snapshot
}

// TestJudgement: each kind of reason is told by each command whose question it is, and nothing is told of the same bundles without it. A new row
// of judge needs a fault here.
func TestJudgement(t *testing.T) {
	t.Run("none", func(t *testing.T) {
		repo, snapshot := writeJudged(t, judgedFault{})
		for command, args := range judgedCommands(repo, snapshot, "1.29") {
			status, out, errs := run(t, args...)
			if status != 0 && command != "diff" || strings.Contains(out, "fails") || errs != "" && command != "cluster" && command != "plan" {
				t.Errorf("%s: %d\n%s\n%s", command, status, out, errs)
			}
		}
	})
	for _, row := range judge.Rows() {
		fault, ok := judgedFaults[row.ID]
		if !ok {
			t.Errorf("%s has no fault", row.ID)
			continue
		}
		t.Run(strings.ReplaceAll(row.ID, "/", "-"), func(t *testing.T) { checkJudged(t, row, fault) })
	}
}

// judgedCommands are the questions, by name.
func judgedCommands(repo, snapshot, kube string) map[string][]string {
	return map[string][]string{
		"diff":      {"diff", filepath.Join(filepath.Dir(snapshot), "base", "operators", "boat"), repo},
		"picture":   {"render", repo, "-o", "dot"},
		"readiness": {"readiness", repo, "--package", "boat"},
		"path":      {"path", "--kube", kube, repo, "boat", "1.0.0"},
		"changes":   {"path", "--changes", "--kube", kube, repo, "boat", "1.0.0"},
		"crds":      {"crds", repo, "boat"},
		"json":      {"path", "-o", "json", "--kube", kube, repo, "boat", "1.0.0"},
		"page":      {"render", repo, "-o", "html"},
		"release":   {"release", repo, "boat", "1.1.0", "--channel", "next", "-o", "json"},
		"path v1":   {"path", "--olm", "v1", "--kube", kube, repo, "boat", "1.0.0"},
		"cluster":   {"cluster", "--snapshot", snapshot, "sea=" + repo},
		"plan":      {"plan", "--snapshot", snapshot, "--to", "4.17", "sea@4.16=" + repo, "sea@4.17=" + repo},
	}
}

func checkJudged(t *testing.T, row *judge.Row, f judgedFault) {
	repo, snapshot := writeJudged(t, f)
	_, out, _ := run(t, "lint", "--details", "--min-severity", "info", "--kube", "1.29", repo)
	if !strings.Contains(out, "["+cmp.Or(f.otherwise["lint"], row.ID)+"]") {
		t.Errorf("lint does not tell %s:\n%s", row.ID, out)
	}
	for command, args := range judgedCommands(repo, snapshot, cmp.Or(f.kube, "1.29")) {
		wanted := judgedAs(command, row, f)
		status, out, errs := run(t, args...)
		if told := toldBy(command, row, status, out); told != wanted && (wanted != "silent" || told == "fails") && (wanted != "note" || slices.Contains(notedBy, command) || told == "fails") {
			t.Errorf("%s: status %d, %s, want %s:\n%s%s", command, status, told, wanted, out, errs)
		}
	}
}

// notedBy are the commands that tell what stops no upgrade.
var notedBy = []string{"path", "path v1", "changes", "json"}

// judgedAs says how a command is to tell a fault.
func judgedAs(command string, row *judge.Row, f judgedFault) string {
	if other, differs := f.otherwise[cmp.Or(map[string]string{"page": "picture", "release": "picture"}[command], command)]; differs {
		return other
	}
	by := judge.GateOLMv0
	if command == "path v1" || command == "readiness" {
		by = judge.GateOLMv1
	}
	path, conditional := f.otherwise["path"], f.kube != "" || f.otherwise["path"] == "note"
	wanted := "note"
	switch {
	case row.Weight == judge.Stops && row.Gates&by != 0:
		wanted = "fails"
	case row.Gates&(by|judge.GateAdvice) == 0, command == "cluster" || command == "plan":
		wanted = "silent"
	}
	switch command {
	case "readiness":
		if row.Upgrade || wanted == "note" {
			return "silent" // it is of one bundle
		}
	case "diff", "picture", "page", "release":
		if conditional || wanted == "note" {
			return "silent" // they tell what fails on every cluster
		}
		return cmp.Or(path, wanted)
	case "changes", "json":
		return cmp.Or(path, wanted)
	case "crds":
		switch {
		case row.Stage != judge.MakeCRDs || row.Weight != judge.Stops:
			return "silent"
		case conditional:
			return "note"
		}
	}
	return wanted
}

// toldBy says how a command tells a fault.
func toldBy(command string, row *judge.Row, status int, out string) string {
	fails, noted := status == 1, strings.Contains(out, "\n       ")
	switch command {
	case "diff":
		fails = strings.Contains(out, "fails on the cluster")
	case "release":
		fails = strings.Contains(out, `"reason": `)
	case "readiness":
		fails = strings.Contains(out, "): blocked")
	case "picture":
		fails = strings.Contains(out, "upgrade fails")
	case "page":
		fails = strings.Count(out, "upgrade fails") > 1
	case "changes":
		noted = strings.Contains(out, "See first")
		fails = fails && noted
	case "json":
		noted = strings.Contains(out, `"rule": "`+row.ID+`"`)
		fails = fails && noted
	case "crds":
		fails = strings.Contains(out, "the upgrade fails: ") || strings.Contains(out, "rejected on clusters where") || strings.Contains(out, "cannot be read")
		noted = strings.Contains(out, "fails where") || strings.Contains(out, "OLM v1 rejects")
	}
	switch {
	case fails:
		return "fails"
	case noted:
		return "note"
	}
	return "silent"
}
