package render

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/snapshot"
	"github.com/olmgraph/olmgraph/render/wording"
)

// scriptFunctions are the functions that each script has, with which it compares, asks, tries and runs.
//
//go:embed script.sh
var scriptFunctions string

// script is a shell script of the commands of an answer. Of the cluster it has only names that Kubernetes allows, UIDs, numbers, and patches in
// ASCII.
type script struct {
	snapshot *snapshot.Snapshot
	body     bytes.Buffer
	steps    int
}

// quotations are the text of the cluster in what is to be done, and plainTitle matches what is left.
var (
	quotations = regexp.MustCompile(` ?"(\\.|[^"\\])*"`)
	plainTitle = regexp.MustCompile(`^[A-Za-z0-9 ,.:]*$`)
)

// clusterScript writes the commands of what is to be done.
func clusterScript(w io.Writer, r *cluster.Report) error {
	s := &script{snapshot: cmp.Or(r.Snapshot, &snapshot.Snapshot{})}
	for i := range r.Decisions {
		d := &r.Decisions[i]
		if r.Decisions[0].Removal != nil && d.Removal == nil {
			break // what is to be done after the removal
		}
		s.step(quotations.ReplaceAllString(wording.Decision(d).Action, " ..."), d.Namespace, s.lines(wording.DecisionCommands(d)))
	}
	return s.write(w)
}

// planScript writes the commands of a plan.
func planScript(w io.Writer, p *plan.Plan) error {
	s := &script{snapshot: cmp.Or(p.Snapshot, &snapshot.Snapshot{})}
	switch {
	case p.Possible():
	case p.Reached == p.To:
		fmt.Fprintf(&s.body, "\necho 'with these steps not all operators are up to date in the end: see the answer'\n")
	default:
		fmt.Fprintf(&s.body, "\necho 'there is no plan to OpenShift %s: these steps lead to %s'\n", p.To, p.Reached)
	}
	for i := range p.Steps {
		step := &p.Steps[i]
		lines := s.lines(wording.StepCommands(step))
		title := strings.ReplaceAll(string(step.Kind), "-", " ")
		switch {
		case lines.reason != "":
		case step.Kind == plan.UpgradeOpenShift: // Progressing is False until OpenShift begins, and after updates to other versions
			title += " to " + step.To
			lines.all = []string{lines.all[0], "check 600 update_available " + step.To, lines.all[1], "check 10800 update_complete " + step.To, lines.all[3]}
		case step.Approve && len(step.InstallPlans) == 0:
			approve := "approve_new " + step.Namespace
			for _, u := range step.Upgrades {
				approve += " " + u.To
				if !snapshot.IsName(u.To) {
					lines.reason = invalidName
				}
			}
			title = "approve upgrades"
			lines.all, lines.final = append([]string{approve}, lines.all[2:]...), true
		}
		lines.final = lines.final && step.Kind != plan.PauseWorkers && !step.Keeps
		s.step(title, step.Namespace, lines)
	}
	return s.write(w)
}

const invalidName = "since a name in it is not one of Kubernetes"

// scriptLines are those of a step.
type scriptLines struct {
	all    []string
	final  bool   // it cannot be undone
	reason string // why there are none
}

// lines returns the lines for commands. There are none if one of them cannot be written.
func (s *script) lines(c *wording.Commands) scriptLines {
	out := scriptLines{}
	if c.Invalid {
		return scriptLines{reason: invalidName}
	}
	for _, c := range c.All() {
		text, file, _ := strings.Cut(c.Text, " > ")
		line := c.Purpose + " " + text
		switch {
		case c.Purpose == "keep":
			line = "keep " + file + " " + text
		case c.Purpose == "check" && strings.HasSuffix(text, "--timeout=3h"):
			line = "check 10800 " + text
		case c.Purpose == "check":
			line = "check 600 " + text
		case c.Change.Resource != "":
			if line = s.change(&c.Change); line == "" {
				return scriptLines{reason: "since the snapshot does not have the UID of an object"}
			}
		}
		out.all, out.final = append(out.all, line), out.final || c.Purpose == "run"
	}
	if len(out.all) == 0 {
		out.reason = "since the answer has no command for it"
	}
	return out
}

// uid matches the UIDs of Kubernetes.
var uid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// change returns the line for a change of an object, "" if the snapshot lacks what identifies the object.
func (s *script) change(c *wording.Change) string {
	object := fmt.Sprintf("'%s' %s %s ", c.Namespace, c.Resource, c.Name)
	m, fields, values := s.known(c)
	switch {
	case m == nil && c.Patch != "" && c.Namespace == "": // a MachineConfigPool, which snapshots do not have
		return fmt.Sprintf("patch %s'' '%s'", object, asciiJSON(c.Patch))
	case m == nil || !uid.MatchString(m.UID) || m.Generation == 0:
		return ""
	case strings.HasPrefix(c.Patch, `{"spec"`): // the status does not matter
		fields, values = "", nil
	}
	want := ""
	for _, v := range values {
		if want += " " + v; v != "" && !snapshot.IsName(strings.ToLower(v)) { // a phase is in upper case
			return ""
		}
	}
	compared := fmt.Sprintf(" %s %d '%s' '%s'", m.UID, m.Generation, fields, want)
	if c.Patch == "" {
		singular, _, _ := strings.Cut(c.Resource, ".")
		return fmt.Sprintf("delete %s/apis/operators.coreos.com/v1alpha1/namespaces/%s/%ss/%s%s", object, c.Namespace, singular, c.Name, compared)
	}
	var patch map[string]map[string]any
	if err := json.Unmarshal([]byte(c.Patch), &patch); err != nil {
		return ""
	}
	metadata := map[string]any{"uid": m.UID, "resourceVersion": "RESOURCE_VERSION"} // the script has it when it has read the object
	maps.Copy(metadata, patch["metadata"])
	patch["metadata"] = metadata
	text, _ := json.Marshal(patch) // it was JSON
	return fmt.Sprintf("patch %s'%s' '%s'%s", object, c.Subresource, asciiJSON(string(text)), compared)
}

// known returns what the snapshot knows of an object, nil if it does not have it, and fields of the status that matter.
func (s *script) known(c *wording.Change) (m *snapshot.Metadata, fields string, values []string) {
	switch c.Resource {
	case wording.InstallPlan:
		if o := find.Pointer(s.snapshot.InstallPlans[c.Namespace], func(o snapshot.InstallPlan) bool { return o.Metadata.Name == c.Name }); o != nil {
			return &o.Metadata, " {.status.phase}", []string{o.Status.Phase}
		}
	case wording.CSV:
		if o := find.Pointer(s.snapshot.ClusterServiceVersions[c.Namespace], func(o snapshot.ClusterServiceVersion) bool { return o.Metadata.Name == c.Name }); o != nil {
			return &o.Metadata, "", nil
		}
	case wording.Subscription:
		if o := find.Pointer(s.snapshot.Subscriptions[c.Namespace], func(o snapshot.Subscription) bool { return o.Metadata.Name == c.Name }); o != nil {
			return &o.Metadata, " {.status.installedCSV} {.status.currentCSV} {.status.installPlanRef.name}", []string{o.Status.Installed, o.Status.Current, o.Status.Plan.Name}
		}
	}
	return nil, "", nil
}

// asciiJSON writes the characters of JSON that are not in ASCII, and quotes, as escapes.
func asciiJSON(text string) string {
	var out strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < ' ' || unit > '~' || unit == '\'' {
			fmt.Fprintf(&out, `\u%04x`, unit)
		} else {
			out.WriteByte(byte(unit))
		}
	}
	return out.String()
}

// step adds the next step. title has no text of the cluster.
func (s *script) step(title, namespace string, lines scriptLines) {
	s.steps++
	if !plainTitle.MatchString(title) {
		title = "what the answer says"
	}
	if snapshot.IsName(namespace) {
		title += " in namespace " + namespace
	}
	if lines.reason != "" {
		fmt.Fprintf(&s.body, "\nby_hand %d '%s' '%s'\n", s.steps, title, lines.reason)
		return
	}
	final := ""
	if lines.final {
		final = " final"
	}
	fmt.Fprintf(&s.body, "\nstep_%d() {\n  %s\n}\nstep %[1]d '%[3]s' step_%[1]d%[4]s\n", s.steps, strings.Join(lines.all, "\n  "), title, final)
}

// write writes the script, with the identity of the cluster.
func (s *script) write(w io.Writer) error {
	identity := [2]string{}
	for i, id := range []string{s.snapshot.KubeSystem, s.snapshot.ClusterID} {
		if uid.MatchString(id) {
			identity[i] = id
		}
	}
	_, err := fmt.Fprintf(w, "%s\n# The cluster of the snapshot.\nkube_system='%s' cluster_id='%s'\n\nbegin \"$@\"\n%s\nend\n", scriptFunctions, identity[0], identity[1], s.body.Bytes())
	return err
}
