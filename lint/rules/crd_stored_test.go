package rules

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/catalogtest"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/open/opentest"
	"github.com/olmgraph/olmgraph/lint"
)

// crdVersions are the versions of a CRD, the storage version first; nil if there is no CRD.
type crdVersions []string

// testEntry is an entry of a channel, with the CRD of its bundle. Its version is 1.N.0, N being its index.
type testEntry struct {
	replaces int // -1: none
	skips    []int
	below    int // the end of the skipRange; -1: none
	versions crdVersions
	edits    bool // the operator may edit status.storedVersions
	other    bool // it is in another channel
}

func bundleName(i int) string { return fmt.Sprintf("p.v1.%d.0", i) }

// openEntries opens a catalog with these entries.
func openEntries(t *testing.T, entries []testEntry) *catalogs.Catalog {
	t.Helper()
	var text bytes.Buffer
	write := func(v any) {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	type object = map[string]any
	write(object{"schema": "olm.package", "name": "p", "defaultChannel": "c"})
	lists := map[bool][]object{}
	for i, e := range entries {
		entry := object{"name": bundleName(i)}
		if e.replaces >= 0 {
			entry["replaces"] = bundleName(e.replaces)
		}
		for _, skip := range e.skips {
			entry["skips"] = append(slices.Clone(asStrings(entry["skips"])), bundleName(skip))
		}
		if e.below >= 0 {
			entry["skipRange"] = fmt.Sprintf("<1.%d.0", e.below)
		}
		lists[e.other] = append(lists[e.other], entry)
	}
	for i, name := range []string{"c", "d"} {
		if list := lists[i == 1]; len(list) > 0 {
			write(object{"schema": "olm.channel", "name": name, "package": "p", "entries": list})
		}
	}
	for i, e := range entries {
		properties := []object{{"type": "olm.package", "value": object{"packageName": "p", "version": fmt.Sprintf("1.%d.0", i)}}}
		if e.versions != nil {
			data := base64.StdEncoding.EncodeToString([]byte(crdText(e.versions)))
			properties = append(properties, object{"type": "olm.bundle.object", "value": object{"data": data}})
		}
		if e.edits {
			data := base64.StdEncoding.EncodeToString([]byte(editingCSV))
			properties = append(properties, object{"type": "olm.bundle.object", "value": object{"data": data}})
		}
		write(object{"schema": "olm.bundle", "name": bundleName(i), "package": "p", "image": "i", "properties": properties})
	}
	cats, err := open.Open(t.Context(), "-", open.Options{Stdin: &text})
	if err != nil {
		t.Fatal(err)
	}
	return cats[0]
}

// editingCSV is a ClusterServiceVersion of an operator that may edit status.storedVersions.
const editingCSV = `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{"name":"p"},"spec":{"install":` +
	`{"strategy":"deployment","spec":{"clusterPermissions":[{"serviceAccountName":"p","rules":[{"apiGroups":["apiextensions.k8s.io"],` +
	`"resources":["customresourcedefinitions","customresourcedefinitions/status"],"verbs":["get","patch"]}]}]}}}}`

func asStrings(v any) []string {
	s, _ := v.([]string)
	return s
}

func crdText(versions crdVersions) string {
	var list []string
	for i, v := range versions {
		list = append(list, fmt.Sprintf(`{"name":%q,"served":true,"storage":%v,"schema":{"openAPIV3Schema":{"type":"object"}}}`, v, i == 0))
	}
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"as.b.c"},"spec":{"group":"b.c",` +
		`"scope":"Cluster","names":{"kind":"A","plural":"as","singular":"a","listKind":"AList"},"versions":[` + strings.Join(list, ",") + `]}}`
}

// userSimulation makes all possible sequences of upgrades, with the stored versions of the CRD, to find the rejected ones.
type userSimulation struct {
	entries         []testEntry
	edited          bool            // operators that may edit status.storedVersions do
	direct, carried map[string]bool // versions for which upgrades are rejected: the current storage version, and previous ones
}

func (u *userSimulation) explore() {
	u.direct, u.carried = map[string]bool{}, map[string]bool{}
	seen := map[string]bool{}
	for i := range u.entries {
		u.visit(i, nil, seen)
	}
}

func (u *userSimulation) visit(i int, before []string, seen map[string]bool) {
	stored := slices.Clone(before)
	versions := u.entries[i].versions
	if len(versions) > 0 && !slices.Contains(stored, versions[0]) {
		stored = append(stored, versions[0])
	}
	if e := u.entries[i]; u.edited && e.edits && len(versions) > 0 {
		stored = []string{versions[0]}
	}
	slices.Sort(stored)
	if key := fmt.Sprint(i, stored); seen[key] {
		return
	} else {
		seen[key] = true
	}
	for to := range u.entries {
		if to == i || !u.upgrades(i, to) {
			continue
		}
		if refused := u.refused(i, to, stored); !refused {
			u.visit(to, stored, seen)
		}
	}
}

func (u *userSimulation) upgrades(from, to int) bool {
	e := u.entries[to]
	return e.replaces == from || slices.Contains(e.skips, from) || from < e.below
}

func (u *userSimulation) refused(from, to int, stored []string) bool {
	versions := u.entries[to].versions
	if versions == nil {
		return false
	}
	refused := false
	for _, v := range stored {
		if slices.Contains(versions, v) {
			continue
		}
		refused = true
		if own := u.entries[from].versions; own != nil && own[0] == v {
			u.direct[v] = true
		} else if own != nil {
			u.carried[v] = true
		}
	}
	return refused
}

func randomEntries(r *rand.Rand) []testEntry {
	all := []string{"v1alpha1", "v1beta1", "v1"}
	entries := make([]testEntry, 1+r.IntN(6))
	for i := range entries {
		e := &entries[i]
		e.replaces, e.below = -1, -1
		if i > 0 && r.IntN(5) > 0 {
			e.replaces = i - 1
		}
		if i > 1 && r.IntN(4) == 0 {
			e.skips = []int{r.IntN(i)}
		}
		if i > 0 && r.IntN(4) == 0 {
			e.below = r.IntN(i + 1)
		}
		e.edits = r.IntN(8) == 0
		if r.IntN(6) > 0 {
			r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			e.versions = slices.Clone(all[:1+r.IntN(len(all))])
		}
	}
	return entries
}

// TestStoredVersions compares the rules on stored versions with userSimulation.
func TestStoredVersions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	fired, extra, unless := 0, 0, 0
	rounds := catalogtest.Rounds(3000)
	for range rounds {
		entries := randomEntries(r)
		split := r.IntN(3) == 0
		for i := range entries {
			entries[i].other = split && r.IntN(2) == 0
		}
		u := userSimulation{entries: entries}
		u.explore()
		direct, carried := lostVersions(t, openEntries(t, entries))
		unless += countUnlessEdited(t, &u, carried)
		for v := range u.direct {
			if !direct[v] && !split { // from another channel only automatic upgrades count
				t.Fatalf("%+v: an upgrade is rejected for the current storage version %s", entries, v)
			}
		}
		for v := range u.carried {
			fired++
			if carried[v] == lint.Off && !split {
				t.Fatalf("%+v: an upgrade is rejected for the previous storage version %s", entries, v)
			}
		}
		for v := range direct {
			if !u.direct[v] {
				t.Fatalf("%+v: no upgrade is rejected for the current storage version %s", entries, v)
			}
		}
		for v := range carried {
			if u.carried[v] {
				continue
			}
			extra++ // an earlier upgrade is rejected for another version
			if len(u.direct)+len(u.carried) == 0 {
				t.Fatalf("%+v: no upgrade is rejected for %s", entries, v)
			}
		}
	}
	if fired < rounds/20 || extra*20 > fired || unless < rounds/300 {
		t.Errorf("%d upgrades rejected for previous versions, %d unexpected findings, %d unless operators edit status.storedVersions", fired, extra, unless)
	}
}

// countUnlessEdited returns the number of versions for which upgrades are rejected unless operators edit status.storedVersions. For these
// there must be no errors.
func countUnlessEdited(t *testing.T, u *userSimulation, carried map[string]lint.Severity) (n int) {
	t.Helper()
	edited := userSimulation{entries: u.entries, edited: true}
	edited.explore()
	for v, severity := range carried {
		if severity == lint.Error && len(edited.carried)+len(edited.direct) == 0 {
			t.Fatalf("%+v: no upgrade is rejected for %s if operators edit status.storedVersions", u.entries, v)
		}
		if severity == lint.Warning && u.carried[v] && !edited.carried[v] {
			n++
		}
	}
	return n
}

// TestEditedStoredVersions: it is a warning that users came from a version that is dropped now, if an operator on each way there may have
// removed it from status.storedVersions. The one that stores it and the one that drops it cannot.
func TestEditedStoredVersions(t *testing.T) {
	for _, j := range []struct {
		edits []int
		skips []int // of the last entry
		want  lint.Severity
	}{
		{nil, nil, lint.Error},
		{[]int{0, 3}, nil, lint.Error},
		{[]int{1}, nil, lint.Warning},
		{[]int{2}, nil, lint.Warning},
		{[]int{2}, []int{1}, lint.Error}, // the last one skips what may edit it
	} {
		entries := []testEntry{{versions: crdVersions{"v1alpha1"}}, {versions: crdVersions{"v1", "v1alpha1"}}, {versions: crdVersions{"v1", "v1alpha1"}}, {versions: crdVersions{"v1"}}}
		for i := range entries {
			entries[i].replaces, entries[i].below, entries[i].edits = i-1, -1, slices.Contains(j.edits, i)
		}
		entries[3].skips = j.skips
		if _, carried := lostVersions(t, openEntries(t, entries)); carried["v1alpha1"] != j.want {
			t.Errorf("edited by %v, skips %v: %v, want %v", j.edits, j.skips, carried, j.want)
		}
	}
}

// lostVersions returns the versions that the two rules report, and the severity for those that are carried.
func lostVersions(t *testing.T, c *catalogs.Catalog) (direct map[string]bool, carried map[string]lint.Severity) {
	t.Helper()
	findings := lintAll(t, []*catalogs.Catalog{c}, lint.Options{Rules: family("crd")})
	direct, carried = map[string]bool{}, map[string]lint.Severity{}
	for _, f := range findings {
		for _, fault := range f.Faults {
			_, version, _ := strings.Cut(fault, "/")
			switch f.Rule {
			case "crd/storage-removed":
				direct[version] = true
			case "crd/stored-version-path":
				carried[version] = f.Severity
			}
		}
	}
	return direct, carried
}

// TestRealStoredVersions checks findings that were verified by hand in the manifests. Newer heads have replaced what the paths of
// koku-metrics-operator and flux lead to.
func TestRealStoredVersions(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes long")
	}
	for ref, want := range map[string][]string{
		"fbc/community-v4.14": {
			"info crd/stored-version-path kokumetricsconfigs.koku-metrics-cfg.openshift.io koku-metrics-operator.v0.9.5",
		},
		"bundle-repo": {
			"error crd/storage-removed integrityshields.apis.integrityshield.io integrity-shield-operator.v0.3.0",
			"error crd/storage-removed kogitobuilds.app.kiegroup.org kogito-operator.v1.0.0",
			"error crd/storage-removed kogitoinfras.app.kiegroup.org kogito-operator.v1.0.0",
			"error crd/storage-removed kogitoruntimes.app.kiegroup.org kogito-operator.v1.0.0",
			"error crd/storage-removed quotasubtrees.quota.codeflare.dev codeflare-operator.v1.0.0-rc.2",
			"info crd/stored-version-path imagepolicies.image.toolkit.fluxcd.io flux.v0.37.0",
			"info crd/stored-version-path imagerepositories.image.toolkit.fluxcd.io flux.v0.37.0",
			"info crd/stored-version-path imageupdateautomations.image.toolkit.fluxcd.io flux.v0.37.0",
		},
	} {
		path := catalogtest.Data(t, ref)
		cats := opentest.Open(t, path)
		rules := slices.DeleteFunc(All(), func(r lint.Rule) bool { return r.ID != "crd/storage-removed" && r.ID != "crd/stored-version-path" })
		findings := lintAll(t, cats, lint.Options{Rules: rules})
		var got []string
		for _, f := range findings {
			for _, fault := range f.Faults {
				crd, _, _ := strings.Cut(fault, "/")
				got = append(got, strings.Join([]string{f.Severity.String(), f.Rule, crd, f.Bundle}, " "))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s", ref, strings.Join(got, "\n"))
		}
	}
}

// TestSkippedFor checks that the rules that are skipped for a gate have no findings with that gate.
func TestSkippedFor(t *testing.T) {
	gates := map[string]lint.Gates{}
	for _, r := range All() {
		gates[r.ID] = r.Gates | r.OtherGates
		if r.ReadsManifests() && r.SkippedFor(r.Gates) || !r.ReadsManifests() && r.SkippedFor(lint.GatePipelines) {
			t.Errorf("%s is skipped", r.ID)
		}
	}
	cats := opentest.Open(t, catalogtest.Data(t, "fbc/community-v4.14"))
	if testing.Short() {
		t.Skip("it takes long")
	}
	heavy := slices.DeleteFunc(All(), func(r lint.Rule) bool { return !r.ReadsManifests() })
	findings, err := lint.Run(t.Context(), cats, lint.Options{Rules: heavy})
	if err != nil || len(findings) == 0 {
		t.Fatal(err, len(findings))
	}
	for _, f := range findings {
		if f.Gates&^gates[f.Rule] != 0 {
			t.Errorf("%s: %s", f.Rule, f.Gates)
		}
	}
}

// TestUnread removes a catalog after it was opened. Only rules that read manifests must report that.
func TestUnread(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.json")
	text := `{"schema":"olm.package","name":"p","defaultChannel":"c"}
{"schema":"olm.channel","name":"c","package":"p","entries":[{"name":"a"}]}
{"schema":"olm.bundle","name":"a","package":"p","image":"i","properties":[{"type":"olm.package","value":{"packageName":"p","version":"1.0.0"}},` +
		`{"type":"olm.bundle.object","value":{"data":"` + base64.StdEncoding.EncodeToString([]byte(crdText(crdVersions{"v1"}))) + `"}}]}`
	catalogtest.Write(t, name, text)
	cats := opentest.Open(t, name)
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	for want, rules := range map[int][]lint.Rule{0: family("graph", "version"), 1: family("crd")} {
		findings, err := lint.Run(t.Context(), cats, lint.Options{Rules: rules})
		unread := slices.DeleteFunc(findings, func(f lint.Finding) bool { return f.Unchecked != lint.Unread })
		if err != nil || len(unread) != want {
			t.Errorf("%v, %v; want %d", unread, err, want)
		}
	}
}
