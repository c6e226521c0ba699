package messages

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rows returns the cells of a table of testdata.
func rows(t testing.TB, name string) (all [][]string) {
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			all = append(all, strings.SplitN(strings.TrimSpace(line), " | ", 3))
		}
	}
	return all
}

// TestExamples finds in an example of each message that message first, and names in its cause.
func TestExamples(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range rows(t, "examples.txt") {
		seen[row[0]] = true
		found := Find(row[2])
		if len(found) == 0 || found[0].Name != row[0] {
			t.Errorf("%q is %v, want %s first", row[2], names(found), row[0])
		}
	}
	for _, m := range All() {
		if !seen[m.Name] {
			t.Errorf("%s has no example", m.Name)
		}
	}
	if n := len(All()); n < 60 || n != len(seen) {
		t.Errorf("%d messages, %d with examples", n, len(seen))
	}
}

func names(found []Found) (all []string) {
	for _, f := range found {
		all = append(all, f.Name)
	}
	return all
}

// TestUnseen explains messages that users posted, and which were not known when their patterns were written.
func TestUnseen(t *testing.T) {
	for _, row := range rows(t, "unseen.txt") {
		if found := Find(row[2]); row[0] == "-" && len(found) > 0 || row[0] != "-" && (len(found) == 0 || found[0].Name != row[0]) {
			t.Errorf("%s: %q is %v, want %s first", row[1], row[2], names(found), row[0])
		}
	}
}

// TestTable checks that all is said of each message, that a step that deletes says what is lost, and that its patterns are long enough.
func TestTable(t *testing.T) {
	for _, m := range All() {
		if !slices.Contains(stopOrder(), m.Stops) || !slices.Contains([]string{"administrator", "maintainer", "platform"}, m.Who) || m.Source == "" || m.Cause == "" || len(m.Steps) == 0 {
			t.Errorf("%s is incomplete", m.Name)
		}
		for _, s := range m.Steps {
			if strings.Contains(s.Command, "kubectl delete") && len(s.Text) < 30 || strings.Contains(s.Command, "%") || s.Text == "" {
				t.Errorf("%s: %q: %s", m.Name, s.Text, s.Command)
			}
		}
		for _, p := range m.Patterns {
			if _, literal := compile(p); len(literal) < 8 {
				t.Errorf("%s: %q has only %q to look for", m.Name, p, literal)
			}
		}
	}
}

// TestNames puts only names that Kubernetes allows into commands.
func TestNames(t *testing.T) {
	for _, name := range []string{"quay.v1.0.0", "$(reboot)", "a;reboot", "`x`", "-n", "a\x1b[31m", strings.Repeat("a", 300)} {
		found := Find("clusterserviceversion " + name + " exists and is not referenced by a subscription")
		for _, f := range found {
			for _, s := range f.Steps {
				if strings.Contains(s.Command, name+" ") && name != "quay.v1.0.0" && name != "-n" {
					t.Errorf("%q is in %q", name, s.Command)
				}
			}
		}
	}
	found := Find("clusterserviceversion -n exists and is not referenced by a subscription")
	if len(found) != 1 || !strings.HasSuffix(found[0].Steps[2].Command, " CSV -n NAMESPACE") {
		t.Errorf("%+v", found)
	}
}

// TestOnce explains a message once, whatever YAML and kubectl make of it, the worst first, and no general one beside it.
func TestOnce(t *testing.T) {
	found := Find(`status:
  conditions:
  - message: 'error validating existing CRs against new CRD''s schema for "a.b":
      updated validation is
      too restrictive'
    reason: InstallComponentFailed
  - message: "{\"error\": \"risk of data loss updating \\\"a.b\\\": new CRD removes version v1 that is listed as a stored version\"}"
  - message: 'risk of data loss updating "c.d": new CRD removes version v2 that is listed as a stored version'
  - message: 'constraints not satisfiable: no operators found in package p in the catalog referenced by subscription s'
    reason: ConstraintsNotSatisfiable
    type: ResolutionFailed
`)
	if got, want := names(found), []string{"missing-package", "stored-version", "invalid-objects"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	} else if len(found[1].Texts) != 2 {
		t.Errorf("%q", found[1].Texts)
	}
	if near := Nearest("the cached snapshot of the catalog reports another digest"); len(near) == 0 || near[0].Name != "stale-cache" {
		t.Errorf("%v", near)
	}
}

// TestPartial says that only a part of a message is known if its decisive words are not, and then only looks.
func TestPartial(t *testing.T) {
	for text, want := range map[string]bool{
		`the boats "b" is invalid: : the harbour master did not allow this berth because neighbouring moorings were repainted yesterday`:            true,
		`the harbour master did not open the gate tonight because neighbouring moorings were repainted: updated validation is too restrictive`:      true,
		`FATA[0033] Failed to run bundle: existing moorings do not support this tide, operator "boat" does not support install mode`:                true,
		`error validating existing CRs against new CRD's schema for "a.b": error validating custom resource: updated validation is too restrictive`: false,
		`ClusterExtension "a" is stopped. message: 'found bundles for package "a" in multiple catalogs with the same priority [b c]'`:               false,
		`2025/03/19 08:20:23  [INFO]   :  ✗  7 / 9 operator images mirrored: Some operator images failed to be mirrored - please check the logs
2025/03/19 08:20:23  [ERROR]  : [Worker] error mirroring image docker://registry.example/harbour-master/boat-operator-rhel9@sha256:` + strings.Repeat("a", 64) +
			` (Operator bundles: [kubevirt-hyperconverged-operator.v4.17.5] - Operators: [kubevirt-hyperconverged]) error: copying image 1/2 from manifest list: ` +
			`reading config blob sha256:` + strings.Repeat("b", 64) + `: fetching blob: received unexpected HTTP status: 502 Bad Gateway`: false,
		`Timeout reached 600 seconds waiting for packagemanifest tide to be reachable. Error from server (NotFound): packagemanifests.packages.operators.coreos.com "tide" not found`: false,
		`opm validate catalogs && echo "catalog validation passed" || echo "catalog validation failed" FATA[0000] duplicate package "tide" catalog validation failed`:                 false,
		`Failed to run bundle upgrade: update catalog error: error creating registry: error creating pod: pods "x" is forbidden: violates PodSecurity "restricted:v1.24": ` +
			`allowPrivilegeEscalation != false (containers "a", "b" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (containers "a", "b" must set ` +
			`securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or containers "a", "b" must set securityContext.runAsNonRoot=true), seccompProfile (pod or ` +
			`containers "a", "b" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")`: false,
		`invalid-objects`: false,
	} {
		found := Find(text)
		if len(found) == 0 || found[0].Partial != want {
			t.Errorf("%q is %v, want partial: %v", text, names(found), want)
			continue
		}
		for _, s := range found[0].Steps {
			if want && changes.MatchString(s.Command) {
				t.Errorf("%q: %s", text, s.Command)
			}
		}
	}
}

// TestPassedOn explains both what OLM says of a pod that waits, and what it was told of it.
func TestPassedOn(t *testing.T) {
	pod := "unpack job not completed: Unpack pod(tide/a0d5) container(pull) is pending. Reason: "
	for text, want := range map[string]string{
		`ErrImagePull, Message: rpc error: code = Unknown desc = error pinging docker registry tide.example: Get "https://tide.example/v2/": ` +
			`dial tcp: lookup tide.example on 192.0.2.53:53: server misbehaving`: "dns unpack-image",
		`ErrImagePull, Message: initializing source docker://tide.example/bundle:v1: reading manifest v1 in tide.example/bundle: unauthorized: access to the requested resource is not authorized`: "registry-login unpack-image",
		`ImagePullBackOff, Message: Back-off pulling image "tide.example/bundle:v1"`:                                                                                                               "unpack-image",
		`CreateContainerConfigError, Message: secret "harbour" not found`:                                                                                                                          "secret-missing unpack-pending",
	} {
		if got := strings.Join(names(Find(pod+text)), " "); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// BenchmarkHostile explains 1 MiB of what patterns look for again and again.
func BenchmarkHostile(b *testing.B) {
	var all strings.Builder
	for _, m := range All() {
		for _, p := range m.Patterns {
			_, literal := compile(p)
			all.WriteString(literal + " ")
		}
	}
	for _, unit := range []string{all.String(), "a", `\"`, "clusterserviceversion ", "{csv} …", all.String()[:200] + strings.Repeat("x", 5000)} {
		b.Run(unit[:min(len(unit), 20)], func(b *testing.B) {
			text := strings.Repeat(unit, 1<<20/len(unit))
			for b.Loop() {
				Find(text)
			}
		})
	}
}

// FuzzIn finds in any text only what it has, with commands that are safe in a shell.
func FuzzIn(f *testing.F) {
	for _, row := range rows(f, "examples.txt") {
		f.Add(row[2])
	}
	safe := regexp.MustCompile(`^[A-Za-z0-9 .,:;/=@$*'"{}\[\]<>|_-]*$`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, found := range Find(text) {
			if len(found.Texts) == 0 {
				t.Errorf("%s without a text", found.Name)
			}
			for _, s := range found.Steps {
				if !safe.MatchString(s.Command) {
					t.Errorf("%q", s.Command)
				}
			}
		}
		Nearest(text)
	})
}

// TestConstants has a term for each state, condition and reason that OLM and operator-controller declare.
func TestConstants(t *testing.T) {
	for _, row := range rows(t, "constants.txt") {
		for _, name := range strings.Fields(row[1]) {
			if len(FindTerms(name)) == 0 {
				t.Errorf("%s: %s is no term", row[0], name)
			}
		}
	}
}

// TestTerms checks that all is said of each term, and what a few words ask for.
func TestTerms(t *testing.T) {
	seen := map[[2]string]bool{}
	for _, term := range AllTerms() {
		if term.Name == "" || term.Means == "" || term.Do.Text == "" || term.Source == "" || seen[[2]string{term.Of, term.Name}] {
			t.Errorf("%+v", term)
		}
		seen[[2]string{term.Of, term.Name}] = true
	}
	for _, c := range []struct {
		asked string
		want  int
	}{{"succeeded", 4}, {"csv Succeeded", 1}, {"phase: Replacing", 1}, {"installplans.operators.coreos.com Failed", 1}, {"sub", 1}, {"Succeeded is what I read in it", 0}, {"", 0}} {
		if found := FindTerms(c.asked); len(found) != c.want {
			t.Errorf("%q is %+v, want %d", c.asked, found, c.want)
		}
	}
}
