package render

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

const someUID = "11111111-1111-4111-8111-111111111111"

// hostile are texts that no name, UID or channel should bring into a script.
func hostile() []string {
	return []string{"x;EVIL", "$(EVIL)", "`EVIL`", "a'EVIL", "a\nEVIL", "\"EVIL", "\\\"EVIL", "EVIL #", "--EVIL", "a b EVIL", "\u202eEVIL", "éEVIL", "EVIL\x00", "Evil*EVIL", "../EVIL"}
}

// TestScriptsAreInert: a name that is not one makes no command, a UID that is not one is not written, and a channel is only in JSON of ASCII.
func TestScriptsAreInert(t *testing.T) {
	for _, text := range hostile() {
		for _, names := range [][4]string{{text, "s", "v1", someUID}, {"n", text, "v1", someUID}, {"n", "s", text, someUID}, {"n", "s", "v1", text}} {
			known := someSnapshot(names)
			script := written(t, func(w *bytes.Buffer) error { return clusterScript(w, hostileReport(known, names, "stable")) })
			if strings.Contains(strings.ToUpper(script), "EVIL") {
				t.Errorf("%q:\n%s", names, script[len(scriptFunctions):])
			}
			steps := &plan.Plan{Snapshot: known, Steps: []plan.Step{
				{Kind: plan.UpgradeOperators, Namespace: names[0], Approve: true, Upgrades: []plan.Upgrade{{To: names[2]}, {From: names[2], To: "v2"}}},
				{Kind: plan.UpgradeOperators, Namespace: names[0], Approve: true, InstallPlans: []string{names[1]}},
				{Kind: plan.SwitchSource, Namespace: names[0], Subscription: names[1], To: text},
				{Kind: plan.ChangeCatalogs, Catalogs: []string{text}},
			}}
			script = written(t, func(w *bytes.Buffer) error { return planScript(w, steps) })
			if strings.Contains(strings.ToUpper(script), "EVIL") {
				t.Errorf("%q:\n%s", names, script[len(scriptFunctions):])
			}
		}
		fine := [4]string{"n", "s", "v1", someUID}
		script := written(t, func(w *bytes.Buffer) error { return clusterScript(w, hostileReport(someSnapshot(fine), fine, text)) })
		for line := range strings.Lines(script[len(scriptFunctions):]) {
			if strings.Contains(line, "EVIL") && (!strings.HasPrefix(line, `  patch 'n' subscription.operators.coreos.com s '' '{"metadata":{"resourceVersion":"RESOURCE_VERSION","uid":"`+someUID+`"},"spec":{"channel":"`) || strings.Count(line, "'") != 10) {
				t.Errorf("%q: %s", text, line)
			}
		}
	}
}

// written returns a script, which is of ASCII and has no errors of syntax.
func written(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	for _, c := range out.Bytes() {
		if c != '\n' && (c < ' ' || c > '~') {
			t.Fatalf("byte %#x in\n%s", c, out.Bytes()[len(scriptFunctions):])
		}
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		check := exec.Command(bash, "-n")
		check.Stdin = bytes.NewReader(out.Bytes())
		if said, err := check.CombinedOutput(); err != nil {
			t.Fatalf("%s\n%s", said, out.Bytes()[len(scriptFunctions):])
		}
	}
	return out.String()
}

// someSnapshot has a Subscription and an InstallPlan: names are those of the namespace, of the objects and of what is installed, and the UID.
func someSnapshot(names [4]string) *snapshot.Snapshot {
	sub := snapshot.Subscription{Metadata: snapshot.Metadata{Name: names[1], UID: names[3], Generation: 1}}
	sub.Status.Installed, sub.Status.Current = names[2], names[2]
	return &snapshot.Snapshot{KubeSystem: names[3], ClusterID: names[3],
		Subscriptions: snapshot.ByNamespace[snapshot.Subscription]{names[0]: {sub}},
		InstallPlans:  snapshot.ByNamespace[snapshot.InstallPlan]{names[0]: {{Metadata: snapshot.Metadata{Name: names[1], UID: names[3], Generation: 1}}}}}
}

func hostileReport(s *snapshot.Snapshot, names [4]string, channel string) *cluster.Report {
	return &cluster.Report{Snapshot: s, Decisions: []cluster.Decision{
		{Kind: cluster.Approval, Namespace: names[0], Plan: &resolve.Plan{Approve: []string{names[1]}}},
		{Kind: cluster.OutdatedPlan, Namespace: names[0], Plan: &resolve.Plan{Approve: []string{names[1]}},
			Again: &cluster.Again{Generated: []string{names[1]}, Reset: []string{names[1]}, Delete: names[1]}},
		{Kind: cluster.NoPath, Namespace: names[0], Subscription: names[1], Others: []string{channel}},
		{Kind: cluster.Unhealthy, Namespace: names[0], From: cluster.Bundle{Name: names[2]}, Phase: "Failed"},
		{Kind: cluster.Waiting, Namespace: names[0], Wait: &resolve.Wait{Kind: resolve.NotUpgradeable, Replaces: names[2], Condition: &resolve.Condition{}}},
	}}
}
