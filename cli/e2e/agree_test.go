package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
)

// randomCluster writes a random cluster and its catalog into a folder, and returns its namespaces with a Subscription.
func randomCluster(t *testing.T, r *rand.Rand, dir string) (namespaces []string) {
	one := func(in int) bool { return r.IntN(in) == 0 }
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	var catalog, objects []string
	packages := []string{"a", "b", "c"}[:1+r.IntN(3)]
	newest := map[string]int{}
	crd := func(pkg string, version int) string {
		return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"%[1]ss.g"},"spec":{"group":"g","scope":"Namespaced","names":{"kind":"K%[1]s","plural":"%[1]ss"},`+
			`"versions":[{"name":"v%[2]d","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}}]},"status":{"storedVersions":["v%[2]d"]}}`, pkg, version)
	}
	for _, pkg := range packages {
		newest[pkg] = 1 + r.IntN(4)
		var entries []string
		for v := 1; v <= newest[pkg]; v++ {
			replaces := ""
			if !one(6) {
				replaces = fmt.Sprintf(`,"replaces":"%s.v%d"`, pkg, v-1)
			}
			entries = append(entries, fmt.Sprintf(`{"name":"%s.v%d"%s}`, pkg, v, replaces))
			properties := []string{fmt.Sprintf(`{"type":"olm.package","value":{"packageName":%q,"version":"%d.0.0"}}`, pkg, v)}
			if one(3) {
				properties = append(properties, fmt.Sprintf(`{"type":"olm.package.required","value":{"packageName":%q,"versionRange":"%s%d.0.0"}}`, pick("a", "b", "c"), pick(">=", "<", ""), 1+r.IntN(4)))
			}
			if one(4) {
				properties = append(properties, fmt.Sprintf(`{"type":"olm.gvk","value":{"group":"g","kind":"K%s","version":"v1"}}`, pkg))
			}
			mode := fmt.Sprintf(`"installModes":[{"type":"AllNamespaces","supported":%v},{"type":"OwnNamespace","supported":true}]`, !one(12))
			properties = append(properties, `{"type":"olm.csv.metadata","value":{`+mode+`}}`)
			if one(3) {
				text, err := json.Marshal(json.RawMessage(crd(pkg, 1+v/2)))
				csv, err2 := json.Marshal(json.RawMessage(fmt.Sprintf(`{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"name":"%s.v%d"},"spec":{"version":"%d.0.0",%s,"customresourcedefinitions":{"owned":[{"name":"%ss.g","kind":"K%s","version":"v1"}]}}}`, pkg, v, v, mode, pkg, pkg)))
				if err != nil || err2 != nil {
					t.Fatal(err, err2)
				}
				for _, text := range [][]byte{text, csv} {
					quoted, _ := json.Marshal(text)
					properties = append(properties, fmt.Sprintf(`{"type":"olm.bundle.object","value":{"data":%s}}`, quoted))
				}
			}
			catalog = append(catalog, fmt.Sprintf(`{"schema":"olm.bundle","package":%q,"name":"%s.v%d","image":"i","properties":[%s]}`, pkg, pkg, v, strings.Join(properties, ",")))
		}
		catalog = append(catalog, fmt.Sprintf(`{"schema":"olm.package","name":%q,"defaultChannel":"stable"}{"schema":"olm.channel","package":%[1]q,"name":"stable","entries":[%s]}`, pkg, strings.Join(entries, ",")))
	}
	without := map[string]bool{"OperatorGroup": one(4), "ClusterServiceVersion": one(8), "InstallPlan": one(8), "CatalogSource": one(6)}
	add := func(kind, namespace, name, rest string) {
		version := map[string]string{"OperatorGroup": "v1", "OperatorCondition": "v2"}[kind]
		if version == "" {
			version = "v1alpha1"
		}
		if !without[kind] {
			objects = append(objects, fmt.Sprintf(`{"apiVersion":"operators.coreos.com/%s","kind":%q,"metadata":{"name":%q,"namespace":%q,"generation":1},%s}`, version, kind, name, namespace, rest))
		}
	}
	state := ""
	if one(12) {
		state = `"connectionState":{"lastObservedState":"TRANSIENT_FAILURE"}`
	}
	add("CatalogSource", "olm", "shop", `"spec":{"image":"i"},"status":{`+state+`}`)
	if one(6) {
		objects = append(objects, crd(pick(packages...), 1))
	}
	for _, namespace := range []string{"x", "y"}[:1+r.IntN(2)] {
		for i := range []int{0, 1, 1, 1, 1, 1, 2}[r.IntN(7)] {
			add("OperatorGroup", namespace, fmt.Sprintf("g%d", i), fmt.Sprintf(`"spec":{"upgradeStrategy":%q},"status":{"namespaces":[%q]}`, pick("Default", "Default", "TechPreviewUnsafeFailForward"), pick("", namespace)))
		}
		said := ""
		if one(8) {
			said = `,"conditions":[{"type":"BundleUnpackFailed","status":"True","message":"m"}]`
		}
		for _, pkg := range packages {
			if one(4) {
				continue
			}
			installed, source := r.IntN(newest[pkg]+2), "shop"
			if one(12) && len(namespaces) > 0 {
				source = "far"
			}
			name := fmt.Sprintf("%s.v%d", pkg, installed)
			status := []string{}
			if installed > 0 {
				status = append(status, fmt.Sprintf(`"installedCSV":%q`, name))
				add("ClusterServiceVersion", namespace, name, fmt.Sprintf(`"spec":{"version":"%d.0.0"},"status":{"phase":%q}`, installed, pick("Succeeded", "Succeeded", "Succeeded", "Succeeded", "Failed", "Pending")))
				if one(6) {
					add("OperatorCondition", namespace, name, `"status":{"conditions":[{"type":"Upgradeable","status":"False","observedGeneration":1}]}`)
				}
			}
			current := name
			if one(4) {
				current = fmt.Sprintf("%s.v%d", pkg, installed+1)
				plan := pick("p", "q")
				status = append(status, fmt.Sprintf(`"installPlanRef":{"name":%q},"state":"UpgradePending"`, plan+pkg))
				add("InstallPlan", namespace, plan+pkg, fmt.Sprintf(`"spec":{"clusterServiceVersionNames":[%q],"approved":%v},"status":{"phase":%q}`, current, one(2), pick("RequiresApproval", "RequiresApproval", "Failed", "Installing")))
			}
			if installed > 0 || current != name {
				status = append(status, fmt.Sprintf(`"currentCSV":%q`, current))
			}
			text := strings.Join(status, ",") + said
			add("Subscription", namespace, pkg, fmt.Sprintf(`"spec":{"name":%q,"channel":%q,"source":%q,"sourceNamespace":"olm","installPlanApproval":%q},"status":{%s}`,
				pkg, pick("stable", "stable", "stable", "stable", "stable", "stable", "stable", "slow"), source, pick("Automatic", "Manual"), strings.TrimPrefix(text, ",")))
			if !slices.Contains(namespaces, namespace) {
				namespaces = append(namespaces, namespace)
			}
		}
	}
	for name, text := range map[string]string{"c.json": strings.Join(catalog, "\n"), "s.json": `{"apiVersion":"v1","kind":"List","items":[` + strings.Join(objects, ",\n") + "]}"} {
		catalogtest.Write(t, filepath.Join(dir, name), text)
	}
	return namespaces
}

// clusterAnswer is what of the JSON of cluster is compared.
type clusterAnswer struct {
	Blocked   bool
	Operators []operatorAnswer
	Decisions []decisionAnswer
}

type operatorAnswer struct {
	Namespace, Package, Subscription, State string
	UpgradesTo, End                         struct{ Name string }
	Steps                                   []struct {
		Upgrades []struct {
			Package string
			To      struct{ Name string }
		}
	}
}

// next returns what the first step upgrades the operator to, "" if it has none.
func (o *operatorAnswer) next() string {
	for _, step := range o.Steps {
		for _, u := range step.Upgrades {
			if u.Package == o.Package {
				return u.To.Name
			}
		}
	}
	return ""
}

type decisionAnswer struct {
	Kind               string
	Namespace          string
	Operators, Freezes []string
}

// TestClusterAgrees compares what cluster says of the operators of random clusters with what it says of one namespace alone, and with their steps.
func TestClusterAgrees(t *testing.T) {
	differ := map[string]int{}
	rounds := catalogtest.Rounds(2000)
	rows := 0
	for seed := range uint64(rounds) {
		dir := t.TempDir()
		namespaces := randomCluster(t, rand.New(rand.NewPCG(seed, 7)), dir)
		if len(namespaces) == 0 {
			continue
		}
		note := func(what, format string, arguments ...any) {
			if differ[what]++; differ[what] <= 4 {
				t.Errorf("seed %d: %s: %s", seed, what, fmt.Sprintf(format, arguments...))
			}
		}
		args := []string{"cluster", "--snapshot", filepath.Join(dir, "s.json"), "olm/shop=" + filepath.Join(dir, "c.json"), "-o", "json", "--details"}
		var whole clusterAnswer
		status, out, errs := run(t, args...)
		if err := json.Unmarshal([]byte(out), &whole); err != nil || status == 2 {
			note("error of cluster", "%d %s", status, errs)
			continue
		}
		blocked := false
		for _, namespace := range namespaces {
			var one clusterAnswer
			status, out, errs := run(t, append(args, "-n", namespace)...)
			if err := json.Unmarshal([]byte(out), &one); err != nil || status == 2 {
				note("error of the namespace", "%d %s", status, errs)
				continue
			}
			blocked = blocked || one.Blocked
			mine := slices.DeleteFunc(slices.Clone(whole.Operators), func(o operatorAnswer) bool { return o.Namespace != namespace })
			if !reflect.DeepEqual(mine, one.Operators) {
				note("rows", "%s: %+v: %+v", namespace, mine, one.Operators)
			}
			for _, o := range mine {
				rows++
				if next := o.next(); next != "" && o.UpgradesTo.Name != next {
					note("next", "%s: %+v: %s", namespace, o, next)
				}
				if acts := o.State == "blocked" || o.State == "approve"; acts && !one.Blocked {
					note("exit status", "%s: %+v", namespace, o)
				}
			}
		}
		if whole.Blocked != blocked {
			note("exit status", "%v, but of the namespaces %v", whole.Blocked, blocked)
		}
	}
	t.Logf("%d operators, differences: %v", rows, differ)
}
