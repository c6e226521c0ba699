package readiness

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/graph/judge"
)

// boat is a package of one bundle with these properties, each in flow style.
func boat(properties ...string) string {
	properties = append([]string{"{type: olm.package, value: {packageName: boat, version: 1.0.0}}"}, properties...)
	return `---
{schema: olm.package, name: boat, defaultChannel: stable}
---
{schema: olm.channel, package: boat, name: stable, entries: [{name: boat.v1.0.0}]}
---
{schema: olm.bundle, package: boat, name: boat.v1.0.0, image: example/boat, properties: [` + strings.Join(properties, ", ") + "]}\n"
}

// objects are properties olm.bundle.object with manifests.
func objects(manifests ...string) string {
	var all []string
	for _, m := range manifests {
		all = append(all, "{type: olm.bundle.object, value: {data: "+base64.StdEncoding.EncodeToString([]byte(m))+"}}")
	}
	return strings.Join(all, ", ")
}

// csvText is a ClusterServiceVersion with these install modes and further fields of its spec, in flow style.
func csvText(modes string, fields ...string) string {
	var all []string
	for mode := range strings.FieldsSeq(modes) {
		all = append(all, "{type: "+mode+", supported: true}")
	}
	fields = append([]string{"installModes: [" + strings.Join(all, ", ") + "]"}, fields...)
	return "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: boat.v1.0.0}, spec: {" + strings.Join(fields, ", ") + "}}"
}

const deployment = "install: {strategy: deployment, spec: {deployments: [{name: boat}]}}"

func webhook(kind, fields string) string {
	return "webhookdefinitions: [{type: " + kind + ", generateName: w.example.com, deploymentName: boat" + fields + "}]"
}

func object(api, kind, name string) string {
	return fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: %s}}", api, kind, name)
}

func metadataText(modes string) string {
	var all []string
	for mode := range strings.FieldsSeq(modes) {
		all = append(all, "{type: "+mode+", supported: true}")
	}
	return "{type: olm.csv.metadata, value: {installModes: [" + strings.Join(all, ", ") + "]}}"
}

// TestReleases holds bundles against what the code of operator-controller does at the tags v1.0.0 to v1.11.0: R it installs it, G with a
// feature gate that is off by default, B never, U what the catalog has does not tell.
func TestReleases(t *testing.T) {
	const (
		all     = "AllNamespaces"
		own     = "OwnNamespace"
		crd     = "apiextensions.k8s.io/v1"
		oneCRD  = "customresourcedefinitions: {owned: [{name: boats.example.com, version: v1, kind: Boat}]}"
		convert = ", conversionCRDs: [boats.example.com]"
	)
	boats := object(crd, "CustomResourceDefinition", "boats.example.com")
	for _, c := range []struct {
		name, catalog, want string
		kind                string // of the obstacle, where there is one
	}{
		{"AllNamespaces", boat(objects(csvText(all, deployment))), "RRRRRRRRRRRR", ""},
		{"all install modes", boat(objects(csvText(all + " OwnNamespace SingleNamespace MultiNamespace"))), "RRRRRRRRRRRR", ""},
		{"OwnNamespace", boat(objects(csvText(own))), "BBGGGGGGRGGG", kindInstallModes},
		{"SingleNamespace", boat(objects(csvText("SingleNamespace"))), "BBGGGGGGRGGG", kindInstallModes},
		{"MultiNamespace", boat(objects(csvText("MultiNamespace"))), "BBBBBBBBBBBB", kindInstallModes},
		{"no install mode", boat(objects(csvText(""))), "BBBBBBBBBBBB", kindInstallModes},

		{"an admission webhook", boat(objects(csvText(all, deployment, webhook("ValidatingAdmissionWebhook", "")))), "BBBGGGRRRRRR", kindWebhook},
		{"an admission webhook and OwnNamespace", boat(objects(csvText(own, deployment, webhook("MutatingAdmissionWebhook", "")))), "BBBGGGGGRGGG", ""},
		{"a conversion webhook", boat(objects(csvText(all, deployment, oneCRD, webhook("ConversionWebhook", convert)), boats)), "BBBGGGRRRRRR", kindWebhook},
		{"a conversion webhook and OwnNamespace", boat(objects(csvText(all+" "+own, deployment, oneCRD, webhook("ConversionWebhook", convert)), boats)), "BBBGGGBBBBBB", ""},
		{"a conversion webhook for a CRD of others", boat(objects(csvText(all, deployment, webhook("ConversionWebhook", convert)))), "BBBBBBBBBBBB", ""},
		{"a webhook without a deployment", boat(objects(csvText(all, webhook("ValidatingAdmissionWebhook", "")))), "BBBBBBBBBBBB", kindWebhook},
		{"a webhook for all API groups", boat(objects(csvText(all, deployment, webhook("ValidatingAdmissionWebhook", `, rules: [{apiGroups: ["*"], resources: [pods]}]`)))), "BBBGGGBBBBBB", kindWebhook},
		{"a webhook for webhooks", boat(objects(csvText(all, deployment, webhook("ValidatingAdmissionWebhook", `, rules: [{apiGroups: [admissionregistration.k8s.io], resources: [MutatingWebhookConfigurations]}]`)))), "BBBGGGBBBBBB", kindWebhook},
		{"a webhook of no valid name", boat(objects(csvText(all, deployment, strings.Replace(webhook("ValidatingAdmissionWebhook", ""), "w.example", "W_example", 1)))), "BBBBBBBBBBBB", kindWebhook},

		{"a webhook name twice of one type", boat(objects(csvText(all, deployment, "webhookdefinitions: ["+strings.Repeat("{type: ValidatingAdmissionWebhook, generateName: a, deploymentName: boat}, {type: MutatingAdmissionWebhook, generateName: a, deploymentName: boat}, ", 2)+"]"))), "BBBBBBBBBBBB", kindWebhook},
		{"a webhook name of two types", boat(objects(csvText(all, deployment, "webhookdefinitions: [{type: ValidatingAdmissionWebhook, generateName: a, deploymentName: boat}, {type: MutatingAdmissionWebhook, generateName: a, deploymentName: boat}]"))), "BBBGGGRRRRRR", kindWebhook},
		{"an admission webhook with CRDs to convert", boat(objects(csvText(all+" "+own, deployment, webhook("ValidatingAdmissionWebhook", convert)))), "BBBGGGRRRRRR", kindWebhook},

		{"an API service", boat(objects(csvText(all, "apiservicedefinitions: {owned: [{group: a.io, version: v1, kind: A}]}"))), "BBBBBBBBBBBB", kindAPIService},
		{"a required package", boat("{type: olm.package.required, value: {packageName: water, versionRange: '>1.0.0'}}", objects(csvText(all))), "BBBBBBBBBBBB", kindDependency},
		{"a required API", boat("{type: olm.gvk.required, value: {group: g.io, version: v1, kind: Wave}}", objects(csvText(all))), "BBBBBBBBBBBB", kindDependency},
		{"a constraint that cannot be read", boat("{type: olm.constraint, value: {nothing: 1}}", objects(csvText(all))), "BBBBBBBBBBBB", kindDependency},
		{"properties that do not count", boat("{type: olm.maxOpenShiftVersion, value: '4.20'}, {type: olm.label.required, value: {label: a}}", objects(csvText(all))), "RRRRRRRRRRRR", ""},

		{"two deployments of a name", boat(objects(csvText(all, "install: {strategy: deployment, spec: {deployments: [{name: boat}, {name: boat}]}}"))), "RRRBBBBBBBBB", kindDeployment},
		{"a deployment of no valid name", boat(objects(csvText(all, strings.Replace(deployment, "boat", "Boat", 1)))), "BBBBBBBBBBBB", kindDeployment},
		{"an owned CRD that is missing", boat(objects(csvText(all, oneCRD))), "RRRBBBBBBBBB", kindOfCRD},
		{"a CRD twice", boat(objects(csvText(all, oneCRD), boats, boats)), "RRRBBBBBBBBB", kindOfCRD},
		{"a CRD in v1beta1", boat(objects(csvText(all), object(crd+"beta1", "CustomResourceDefinition", "boats.example.com"))), "BBBBBBBBBBBB", kindOfCRD},
		{"a CRD of another kind", boat(objects(csvText(all, strings.Replace(oneCRD, "Boat", "Ship", 1)), strings.Replace(boats, "metadata", "spec: {group: example.com, scope: Namespaced, names: {plural: boats, kind: Boat}, versions: [{name: v1, served: true, storage: true}]}, metadata", 1))), "RRRRRRRRRRRR", ""},
		{"an API that Kubernetes 1.22 removed", boat(objects(csvText(all), object("rbac.authorization.k8s.io/v1beta1", "ClusterRole", "a"))), "BBBBBBBBBBBB", kindObject},
		{"an API that Kubernetes 1.25 removed", boat(objects(csvText(all), object("policy/v1beta1", "PodDisruptionBudget", "a"))), "RRRRRRRRRRRR", ""},
		{"a ConsolePlugin", boat(objects(csvText(all), object("console.openshift.io/v1", "ConsolePlugin", "a"))), "BBBRRRRRRRRR", kindObject},
		{"a NetworkPolicy", boat(objects(csvText(all), object("networking.k8s.io/v1", "NetworkPolicy", "a"))), "BBBRRRRRRRRR", kindObject},
		{"a PodMonitor", boat(objects(csvText(all), object("monitoring.coreos.com/v1", "PodMonitor", "a"))), "BBBBBBRRRRRR", kindObject},
		{"a Subscription", boat(objects(csvText(all), object("operators.coreos.com/v1alpha1", "Subscription", "a"))), "BBBBBBBBBBBB", kindObject},

		{"only olm.csv.metadata", boat(metadataText(all)), "UUUUUUUUUUUU", ""},
		{"only olm.csv.metadata, OwnNamespace", boat(metadataText(own)), "BBGGGGGGUGGG", kindInstallModes},
		{"only the image", boat(), "UUUUUUUUUUUU", ""},
		{"no image", strings.Replace(boat(objects(csvText(all))), "image: example/boat, ", "", 1), "BBBBBBBBBBBB", kindImage},
		{"another format", boat("{type: olm.bundle.mediatype, value: plain+v0}", objects(csvText(all))), "BBBBBBBBBBBB", kindMediaType},
		{"the format by name", boat("{type: olm.bundle.mediatype, value: registry+v1}", objects(csvText(all))), "RRRRRRRRRRRR", ""},
		{"no version that can be read", strings.Replace(boat(objects(csvText(all))), "version: 1.0.0", "version: one", 1), "BBBBBBBBBBBB", kindVersion},
	} {
		t.Run(c.name, func(t *testing.T) {
			source, got := []Source{{Name: "a", Catalog: opentest.Text(t, c.catalog)}}, ""
			for _, r := range releases() {
				all, err := r.Packages(source)
				if err != nil {
					t.Fatal(err)
				}
				b := all[0].Choice
				got += map[Verdict]string{Ready: "R", Gate: "G", Blocked: "B", Unknown: "U"}[b.Verdict]
				for _, o := range b.Obstacles {
					if !o.Pos.IsKnown() || c.kind != "" && o.Kind != c.kind {
						t.Errorf("%s: %q at %q is a %q", r, o.Text, o.Pos, o.Kind)
					}
				}
				if installs := slices.Contains(b.Releases, r.String()); installs != (b.Verdict == Ready || b.Verdict == Unknown) {
					t.Errorf("%s: %s, and it is installed by %q", r, b.Verdict, b.Releases)
				}
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// TestGates turns feature gates on and off.
func TestGates(t *testing.T) {
	source := func(fields ...string) []Source {
		return []Source{{Catalog: opentest.Text(t, boat(objects(csvText("OwnNamespace", fields...))))}}
	}
	hooked := source(deployment, webhook("ValidatingAdmissionWebhook", ""))
	for _, c := range []struct {
		release string
		gates   map[string]bool
		sources []Source
		want    Verdict
	}{
		{"v1.6", map[string]bool{judge.FeatureNamespaces: true}, hooked, Ready},
		{"v1.5", map[string]bool{judge.FeatureNamespaces: true}, hooked, Gate},
		{"1.5.1", map[string]bool{judge.FeatureNamespaces: true, judge.FeatureServiceCA: true}, hooked, Ready},
		{"v1.8", map[string]bool{judge.FeatureNamespaces: false}, source(), Gate},
		{"v1.11", map[string]bool{judge.FeatureNamespaces: true, judge.FeatureCertManager: false, judge.FeatureServiceCA: false}, hooked, Gate},
	} {
		r, err := ParseRelease(c.release)
		for gate, on := range c.gates {
			if err == nil {
				r, err = r.WithGate(gate, on)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if all, err := r.Packages(c.sources); err != nil || all[0].Verdict() != c.want {
			t.Errorf("%s: %v, want %s (%v)", r.Title(), all[0].Verdict(), c.want, err)
		}
	}
	if _, err := releases()[1].WithGate(judge.FeatureNamespaces, true); err == nil {
		t.Error("v1.1 has the feature gate of v1.2")
	}
	for _, text := range []string{"", "v1", "v2.0", "v1.12", "v1.x", "v1.999"} {
		if r, err := ParseRelease(text); err == nil {
			t.Errorf("%q is %s", text, r)
		}
	}
}

// fleet is a package of bundles NAME version flags: d is deprecated, r requires something.
func fleet(bundles ...string) string {
	entries, text, deprecated := "", "", ""
	for _, one := range bundles {
		words := strings.Fields(one)
		property := ""
		switch {
		case strings.Contains(one, " d"):
			deprecated += fmt.Sprintf("{reference: {schema: olm.bundle, name: %s}, message: old}, ", words[0])
		case strings.Contains(one, " r"):
			property = ", {type: olm.constraint, value: {all: {constraints: []}}}"
		}
		entries += "{name: " + words[0] + "}, "
		text += fmt.Sprintf("---\n{schema: olm.bundle, package: boat, name: %s, image: example/boat, properties: [{type: olm.package, value: {packageName: boat, version: %q}}%s, %s]}\n",
			words[0], words[1], property, objects(csvText("AllNamespaces")))
	}
	text += "---\n{schema: olm.channel, package: boat, name: stable, entries: [" + entries + "]}\n---\n{schema: olm.package, name: boat, defaultChannel: stable}\n"
	if deprecated != "" {
		text += "---\n{schema: olm.deprecations, package: boat, entries: [" + deprecated + "]}\n"
	}
	return text
}

// TestChoice: bundles that are not deprecated come first, then the highest; OLM v1 takes no other one if that cannot be installed, and a
// user can request one.
func TestChoice(t *testing.T) {
	for _, c := range []struct {
		bundles        string
		release        int
		choice, newest string
	}{
		{"a 1.0.0, b 2.0.0", 11, "b", "b"},
		{"a 1.0.0, b 2.0.0 d", 11, "a", "a"},
		{"a 1.0.0 d, b 2.0.0 d", 11, "b", "b"},
		{"a 1.0.0, b 2.0.0 r", 11, "b", "a"},
		{"a 1.0.0 r, b 2.0.0 r", 11, "b", ""},
		{"a 1.0.0 d, b 2.0.0 r", 11, "b", "a"},
		{"a 1.0.0+1, b 1.0.0+2", 7, "a", "a"},
		{"a 1.0.0+1, b 1.0.0+2", 8, "b", "b"},
		{"a 1.0.0+1, b 1.0.0+2 r", 8, "b", ""}, // a request for 1.0.0 means b
		{"a 1.0.0, b 1.0.0+20260101.20260101.100", 10, "b", "b"},
		{"a 1.0.0, b 1.0.0+20260101.20260101.100", 11, "a", "a"}, // a release has at most 20 characters
	} {
		all, err := releases()[c.release].Packages([]Source{{Catalog: opentest.Text(t, fleet(strings.Split(c.bundles, ", ")...))}})
		if err != nil {
			t.Fatal(err)
		}
		newest := ""
		if all[0].Newest != nil {
			newest = all[0].Newest.Name
		}
		if got := all[0].Choice.Name; got != c.choice || newest != c.newest {
			t.Errorf("v1.%d of %s: chosen %s, installs %q; want %s, %q", c.release, c.bundles, got, newest, c.choice, c.newest)
		}
	}
}

// TestTies: of several catalogs OLM v1 takes the bundle that is not deprecated, then the highest priority, and else none.
func TestTies(t *testing.T) {
	good, old := fleet("a 1.0.0"), fleet("b 2.0.0 d")
	for _, c := range []struct {
		catalogs   []string
		priorities []int32
		want       string // of each catalog: + chosen, - another one, = tie
	}{
		{[]string{good, good}, []int32{0, 0}, "=="},
		{[]string{good, good}, []int32{1, 0}, "+-"},
		{[]string{good, good, good}, []int32{-1, 7, 7}, "?=="},
		{[]string{good, good}, []int32{-2147483648, 2147483647}, "-+"},
		{[]string{old, good}, []int32{9, 0}, "-+"},
		{[]string{old, old}, []int32{9, 0}, "+-"},
		{[]string{good}, []int32{0}, "+"},
	} {
		var sources []Source
		for i, text := range c.catalogs {
			sources = append(sources, Source{fmt.Sprint("c", i), opentest.Text(t, text), c.priorities[i]})
		}
		all, err := NewestRelease().Packages(sources)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, p := range all {
			switch {
			case len(p.Tied) > 0 && p.Verdict() == Blocked && p.Obstacles()[0].Kind == kindTie:
				got += "="
			case p.Instead != "":
				got += "-"
			case p.Verdict() == Ready:
				got += "+"
			}
		}
		if got != strings.ReplaceAll(c.want, "?", "=") {
			t.Errorf("%v: %s, want %s", c.priorities, got, c.want)
		}
	}
}

// TestRealRefusals compares with why OLM v1's own code does not install what it chooses of published catalogs: the same property, in each
// release.
func TestRealRefusals(t *testing.T) {
	for _, version := range []string{"v4.14", "v4.18", "v4.20", "v4.22"} {
		t.Run(version, func(t *testing.T) {
			cats := opentest.Open(t, catalogtest.Data(t, "fbc/community-"+version))
			refusals, rows := readRefusals(t, catalogtest.Data(t, "expected/olm-v1-next-"+version+".tsv"))
			seen, refused := 0, 0
			for _, p := range cats[0].Packages {
				j := newJudged(Release{}, cats[0], p, judge.New(p, judge.Options{}))
				for _, r := range releases() {
					j.release, j.bundles = r, map[*catalogs.Bundle]*Bundle{}
					for _, b := range p.Bundles {
						refusal, chosen := refusals[p.Name.Value+" "+b.Name.Value]
						if !chosen {
							continue
						}
						known, err := j.bundle(b)
						if err != nil {
							t.Fatal(err)
						}
						seen++
						if got := firstDependency(known); got != refusal || refusal != "" && known.Verdict != Blocked {
							t.Errorf("%s: %s: %q, %s; OLM v1 says %q", r, b.Name.Value, got, known.Verdict, refusal)
						}
						if refusal != "" {
							refused++
						}
					}
				}
			}
			if seen == 0 || seen != len(refusals)*len(releases()) {
				t.Errorf("%d of %d bundles compared", seen, len(refusals)*len(releases()))
			}
			t.Logf("%d answers about %d bundles, of which %d verdicts of %d refuse", rows, len(refusals), refused, seen)
		})
	}
}

// readRefusals reads the property for which OLM v1 refuses each bundle that it chooses, by package and name; "" if it does not.
func readRefusals(t *testing.T, file string) (refusals map[string]string, rows int) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	refusals = map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); rows++ {
		row := strings.Split(lines.Text(), "\t") // package, channel, installed, chosen, why it is not installed
		if row[3] == "-" {
			continue
		}
		_, property, _ := strings.Cut(row[4], `via property "`)
		property, _, _ = strings.Cut(property, `"`)
		refusals[row[0]+" "+row[3]] = property
	}
	return refusals, rows
}

// firstDependency returns the property of the first dependency in the way.
func firstDependency(b *Bundle) string {
	for _, o := range b.Obstacles {
		if o.Kind == kindDependency {
			_, property, _ := strings.Cut(o.Text, "requirement (")
			if property == "" {
				_, property, _ = strings.Cut(o.Text, "with one (")
			}
			return strings.TrimSuffix(property, ")")
		}
	}
	return ""
}

// TestRealPackages: a catalog with the manifests of its bundles leaves nothing unknown, one with an olm.csv.metadata never says ready.
func TestRealPackages(t *testing.T) {
	if testing.Short() {
		t.Skip("it judges four catalogs with four releases")
	}
	for version, never := range map[string]Verdict{"v4.14": Unknown, "v4.18": Ready, "v4.20": Ready, "v4.22": Ready} {
		cats := opentest.Open(t, catalogtest.Data(t, "fbc/community-"+version))
		for _, minor := range []int{0, 5, 8, 11} {
			r := releases()[minor]
			all, err := r.Packages([]Source{{Catalog: cats[0]}})
			if err != nil || len(all) != len(cats[0].Packages) {
				t.Fatalf("%s %s: %d packages of %d: %v", version, r, len(all), len(cats[0].Packages), err)
			}
			for _, p := range all {
				if p.Verdict() == never || p.Newest == nil && p.Verdict() == Ready || (p.Newest == p.Choice) != (p.Verdict() == Ready || p.Verdict() == Unknown) {
					t.Errorf("%s %s: %s is %s", version, r, p.Name.Value, p.Verdict())
				}
			}
		}
	}
}

// TestRealSQLite: OLM v1 reads no SQLite index.
func TestRealSQLite(t *testing.T) {
	cats := opentest.Open(t, catalogtest.Data(t, "sqlite/manifests.db"))
	all, err := NewestRelease().Packages([]Source{{Catalog: cats[0]}})
	if err != nil || len(all) == 0 {
		t.Fatal(len(all), err)
	}
	for _, p := range all {
		if o := p.Obstacles(); len(o) == 0 || o[0].Kind != kindCatalog || !o[0].Pos.IsKnown() || p.Newest != nil {
			t.Errorf("%s: %v", p.Name.Value, o)
		}
	}
}
