package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/changes"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/graph/messages"
	"github.com/olmgraph/olmgraph/graph/plan"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// ClusterFormats returns the formats of the operators of a cluster.
func ClusterFormats() []text.Format[*cluster.Report] {
	return answer.Formats(sayCluster, clusterJSON)
}

// sayCluster says the state of the operators, and what has to be done.
func sayCluster(r *cluster.Report) *answer.Answer {
	if len(r.Clusters) > 0 {
		return sayClusters(r)
	}
	a := answer.New(clusterHeading("", r))
	if n := r.Supposed; n != nil {
		a.Say(n.WhatIf)
		for _, l := range n.Breaks {
			a.Item(text.Styled("breaks:", text.Error), " ", l.Operator, ", which requires ", l.Requirement)
		}
	}
	a.List(clusterNotes(r))
	if len(r.Operators) > 0 {
		a.Section()
		a.Table(clusterTable(r))
	}
	if len(r.Extensions) > 0 {
		a.Section()
		a.Table(extensionTable(r))
		a.List(extensionNotes(r))
		sayExtensionSteps(a, r)
	}
	a.List(deprecationNotes(r))
	sayDecisions(a, r)
	saySteps(a, r)
	return a
}

// deprecationNotes says what is deprecated of what is installed.
func deprecationNotes(r *cluster.Report) (all []string) {
	for i := range r.Operators {
		all = append(all, r.Operators[i].Deprecations...)
	}
	return find.Distinct(all)
}

// sayDecisions says what has to be done.
func sayDecisions(a *answer.Answer, r *cluster.Report) {
	all, _ := foldDecisions(r)
	if len(all) > 0 {
		a.Section("to do")
	}
	for i, same := range all {
		d := same[0]
		said := wording.Decision(d)
		action, in, commands := inClusters(same)
		a.NumberedItem(i+1, text.Styled(action, text.Heading), " (", said.Who, "), ", in, decisionPlace(d))
		a.Detail(said.Message)
		details := wording.StoppedDetails(d)
		if approval, is := d.About.(*cluster.Approval); is {
			details = plannedChanges(approval)
		}
		for _, said := range details {
			a.Detail(said)
		}
		sayExplained(a, r, d, len(same) > 1, commands)
		sayCommands(a, commands)
	}
}

// sayExplained says what a message of OLM means that no other sentence tells, and what to do about it if no command does.
func sayExplained(a *answer.Answer, r *cluster.Report, d *cluster.Decision, folded bool, commands []wording.Command) {
	if d.Failure != nil && d.Failure.Remedy != cluster.Correct {
		return
	}
	acts := slices.ContainsFunc(commands, func(c wording.Command) bool { return strings.HasPrefix(c.Purpose, "run") })
	found, names := messages.Find(strings.Join(d.Said, "; ")), map[string]string{}
	if !folded {
		names = decisionNames(r, d)
	}
	for i := range found {
		if d.Failure == nil {
			a.Detail("explained: ", found[i].Cause)
		}
		if acts && d.Failure == nil {
			continue
		}
		for _, s := range found[i].StepsFor(names) {
			if s.Command == "" {
				a.Detail("- ", s.Text)
			} else {
				a.Detail("- ", s.Text, ": ", text.Styled(s.Command, text.Command))
			}
		}
	}
}

// decisionNames returns the names for which words in capitals stand in commands about a decision: of its Subscription if there is one alone, and the
// namespace of the catalog where the decision is about that.
func decisionNames(r *cluster.Report, d *cluster.Decision) map[string]string {
	names := map[string]string{"NAMESPACE": d.Namespace, "SUBSCRIPTION-NAMESPACE": d.Namespace}
	var found []*cluster.Operator
	for i := range r.Operators {
		o := &r.Operators[i]
		if o.Cluster == d.Cluster && o.Namespace == d.Namespace && slices.Contains(d.Operators, o.Package) && o.Subscription != "" {
			found = append(found, o)
		}
	}
	if len(found) == 1 {
		names["PACKAGE"], names["SUBSCRIPTION"] = found[0].Package, found[0].Subscription
	}
	source := resolve.SourceKey{}
	switch is := d.About.(type) {
	case *cluster.Fault:
		source = is.Fault.Operator.Source
	case *cluster.Unpacking:
		source = is.Source
	case *cluster.Reported:
		source = is.Source
	}
	if source.Name != "" {
		names["CATALOGSOURCE"], names["NAMESPACE"], names["SOURCE-NAMESPACE"] = source.Name, source.Namespace, source.Namespace
	}
	return names
}

// saySteps says the steps of each operator that has some.
func saySteps(a *answer.Answer, r *cluster.Report) {
	for i := range r.Operators {
		o := &r.Operators[i]
		if len(o.Steps) > 0 && o.Cluster != "" {
			a.Section("steps of ", o.Name(), ", in ", o.Cluster, ", namespace ", strconv.Quote(o.Namespace))
		} else if len(o.Steps) > 0 {
			a.Section("steps of ", o.Name(), ", namespace ", strconv.Quote(o.Namespace))
		}
		for j := range o.Steps {
			s := &o.Steps[j]
			a.TodoItem(j+1, wording.PlanStep(&s.Step), wording.PlanUpgrades(&s.Step))
			for _, note := range wording.StepNotes(s) {
				a.Detail(text.Styled(note, text.Warning))
			}
			sayCommands(a, stepCommands(s))
		}
	}
}

// stepCommands returns the commands for a step of an operator; none if something has to be done before it.
func stepCommands(s *cluster.Step) []wording.Command {
	if len(s.Waits) > 0 {
		return nil
	}
	return wording.StepCommands(&s.Step).All()
}

// sayCommands says commands below an item.
func sayCommands(a *answer.Answer, all []wording.Command) {
	for _, c := range all {
		a.Detail(c.Purpose, ": ", text.Styled(c.Text, text.Command))
	}
}

const firstChanges = 6 // of an upgrade that is to be approved

// plannedChanges says what an InstallPlan that is to be approved does.
func plannedChanges(d *cluster.Approval) (all []string) {
	var created, updated, deleted []string
	for _, s := range d.Steps {
		if s.Does == "updates" {
			updated = append(updated, s.Kind+" "+s.Name)
		} else {
			created = append(created, s.Kind+" "+s.Name)
		}
	}
	var unknown, look []string
	partly := ""
	for _, r := range d.Changes {
		from, to := r.From.Name.Value, r.To.Name.Value
		if len(r.Unseen) > 0 && len(r.Changes) == 0 {
			unknown = append(unknown, to)
			continue
		} else if len(r.Unseen) > 0 {
			partly = "; --bundles or --pull missing adds changes in the manifests"
		}
		look = []string{r.To.Package.Value, from, to}
		all = append(all, fmt.Sprintf("%s → %s: %s", from, to, countChanges(r)))
		first := r.Changes[:r.First()]
		for _, c := range first[:min(len(first), firstChanges)] {
			all = append(all, "important: "+changeSubjects(c, false)+": "+c.Message)
		}
		deleted = append(deleted, r.Deleted...)
	}
	if len(d.Changes)-len(unknown) > 1 {
		look = []string{"PACKAGE", "FROM", "TO"}
	}
	if len(look) > 0 {
		all = append(all, fmt.Sprintf("olmgraph path CATALOG %s --changes lists them%s", strings.Join(words.Map(look, words.ShellWord), " "), partly))
	}
	if len(unknown) > 0 {
		all = append(all, fmt.Sprintf("the changes of %s are not known: --bundles or --pull missing adds the manifests", words.And(unknown)))
	}
	for _, does := range []struct {
		word string
		what []string
	}{{"creates ", created}, {"updates ", updated}, {"deletes afterwards ", deleted}} {
		if len(does.what) > 0 {
			all = append(all, does.word+joinObjects(does.what))
		}
	}
	return all
}

// clusterHeading counts the operators of a cluster, which has a name if it is one of several.
func clusterHeading(name string, r *cluster.Report) string {
	of := cmp.Or(name, "cluster")
	switch {
	case r.OpenShift != "" && name == "":
		of = "OpenShift " + r.OpenShift
	case r.OpenShift != "":
		of += ", OpenShift " + r.OpenShift
	}
	if r.Kubernetes != "" {
		of += ", Kubernetes " + r.Kubernetes
	}
	counts := map[cluster.State]int{}
	namespaces := map[[2]string]bool{}
	for i := range r.Operators {
		counts[r.Operators[i].State]++
		namespaces[[2]string{r.Operators[i].Cluster, r.Operators[i].Namespace}] = true
	}
	said := of + ": "
	switch {
	case r.Only != "":
		said += fmt.Sprintf("%s in namespace %q", words.Count(len(r.Operators), "operator"), r.Only)
	case len(r.Operators) > 0 || len(r.Extensions) == 0:
		said += fmt.Sprintf("%s in %s", words.Count(len(r.Operators), "operator"), words.Count(len(namespaces), "namespace"))
	}
	for state, word := range []string{"up to date", "upgraded automatically", "to approve", "blocked", "unknown", "without a subscription", "in progress"} {
		if n := counts[cluster.State(state)]; n > 0 {
			said += fmt.Sprintf(", %d %s", n, word)
		}
	}
	if n := len(r.Extensions); n > 0 {
		said += ", " + words.Count(n, "ClusterExtension") + " of OLM v1"
	}
	return strings.Replace(said, ": , ", ": ", 1)
}

// clusterNotes says what is missing, and what is assumed instead.
func clusterNotes(r *cluster.Report) []string {
	var all []string
	assumed := map[string]string{
		"ClusterServiceVersion":    "the installedCSV of each subscription is installed, with its properties in the catalogs",
		"OperatorGroup":            "each namespace has one that every operator supports",
		"InstallPlan":              "those that subscriptions refer to install their currentCSV, and wait for approval where it is Manual",
		"CatalogSource":            "those that subscriptions name exist, with the same priority",
		"OperatorCondition":        "every operator can be upgraded",
		"CustomResourceDefinition": "no CRD is rejected",
	}
	for _, kind := range r.Assumed {
		all = append(all, fmt.Sprintf("the snapshot has no %s; assumed: %s", kind, assumed[kind]))
	}
	for _, key := range r.NotGiven {
		name := key.Name
		if key.Namespace != "" {
			name = key.String()
		}
		all = append(all, fmt.Sprintf("the catalog of %q is not given: its operators are assumed to stay as they are, but for upgrades that have begun", name))
	}
	for _, o := range r.NotUpgradeable {
		said := fmt.Sprintf("ClusterOperator %q has Upgradeable=False: OpenShift is not updated to the next minor version", o.Name)
		if o.Message != "" {
			said += ": " + o.Message
		}
		all = append(all, said)
	}
	for _, w := range r.Unsupported {
		all = append(all, w.Message)
	}
	for _, p := range r.Unreferenced {
		all = append(all, fmt.Sprintf("InstallPlan %q in namespace %q waits for approval, and no subscription refers to it: it installs %s if it is approved", p.Name, p.Namespace, words.And(p.Bundles)))
	}
	if r.Unchecked {
		all = append(all, "CRDs of upgrades were not compared with those of the cluster where a catalog has no manifests: give them with --bundles")
	}
	return append(all, words.Map(r.Limited, wording.Limited)...)
}

// stateText is the state of an operator with the numbers of what blocks it, by the index of the decision.
func stateText(o *cluster.Operator, number []int) string {
	said := o.State.String()
	if len(o.Decisions) > 0 {
		var numbers []string
		for _, at := range o.Decisions {
			numbers = append(numbers, strconv.Itoa(number[at]))
		}
		said += " (" + strings.Join(numbers, ", ") + ")"
	}
	if o.Phase != "" {
		said += ", " + o.Phase
	}
	return said
}

func clusterTable(r *cluster.Report) *answer.Table {
	_, number := foldDecisions(r)
	table := &answer.Table{Columns: []string{"namespace", "package", "installed", "channel", "next", "state", supportedUntil}, Groups: 1}
	support := false
	for i := range r.Operators {
		o := &r.Operators[i]
		role := text.Normal
		switch o.State {
		case cluster.Approve, cluster.Blocked:
			role = text.Warning
		case cluster.Unknown, cluster.Unmanaged:
			role = text.Faint
		}
		table.Add(o.Namespace, o.Name(), text.Dash(o.Installed.String()), text.Dash(o.Channel), nextText(o), text.Styled(stateText(o, number), role), text.Dash(wording.SupportedUntil(o.Lifecycle)))
		support = support || o.Lifecycle != nil
	}
	if !support {
		table.Drop(len(table.Columns) - 1)
	}
	return table
}

// nextText is the next version, and that which it gets to.
func nextText(o *cluster.Operator) string {
	if o.Next == o.Last {
		return text.Dash(o.Next.String())
	}
	return o.Next.String() + " → " + o.Last.String()
}

// decisionPlace names the namespace and the packages of a decision.
func decisionPlace(d *cluster.Decision) string {
	said := fmt.Sprintf("namespace %q", d.Namespace)
	if n := len(d.Also); n > 0 {
		said += fmt.Sprintf(" and %d more", n)
	}
	if len(d.Operators) > 0 {
		said += ": " + words.And(d.Operators)
	}
	return said
}

func extensionTable(r *cluster.Report) *answer.Table {
	table := &answer.Table{Columns: []string{"extension", "package", "installed", "channels", "next"}}
	for i := range r.Extensions {
		e := &r.Extensions[i]
		channels := "all"
		if len(e.Channels) > 0 {
			channels = strings.Join(e.Channels, ", ")
		}
		table.Add(e.Name, e.Package, text.Dash(e.Installed.String()), channels, extensionNext(e))
	}
	return table
}

func extensionNext(e *cluster.Extension) string {
	switch {
	case e.Choice == nil:
		return "unknown"
	case e.Next.Name == "" && e.Choice.Bundle != "" && e.Said == "":
		return "up to date"
	case e.Next.Name == "":
		return "-"
	case e.IsBlocked():
		return e.Next.String() + ", blocked"
	}
	return e.Next.String()
}

// extensionSteps returns what to do about an extension, with its names: the way to the version that it requests, then about what OLM v1 says.
func extensionSteps(e *cluster.Extension) []messages.Step {
	const kind = "clusterextensions.olm.operatorframework.io"
	var all []messages.Step
	if len(e.Through) > 0 {
		all = append(all, messages.Step{Text: fmt.Sprintf("request %s: no upgrade of %s leads to %s directly", strings.Join(e.Through, ", then "), e.Installed.Version, e.Pinned),
			Command: fmt.Sprintf(`kubectl patch %s %s --type merge -p '{"spec":{"source":{"catalog":{"version":"%s"}}}}'`, kind, e.Name, e.Through[0])})
	}
	if found := messages.Find(e.Said); len(found) > 0 {
		all = append(all, found[0].StepsFor(map[string]string{"NAME": e.Name, "PACKAGE": e.Package, "VERSION": e.Installed.Version})...)
	}
	return all
}

func sayExtensionSteps(a *answer.Answer, r *cluster.Report) {
	for i := range r.Extensions {
		e := &r.Extensions[i]
		if steps := extensionSteps(e); len(steps) > 0 {
			a.Section("to do for extension ", e.Name)
			sayMessageSteps(a, steps)
		}
	}
}

func extensionNotes(r *cluster.Report) (all []string) {
	for i := range r.Extensions {
		if said := extensionNote(&r.Extensions[i]); said != "" {
			all = append(all, r.Extensions[i].Name+": "+said)
		}
	}
	return all
}

// extensionNote says why nothing or nothing else is known of an extension, or why OLM does not install what it chooses.
func extensionNote(e *cluster.Extension) string {
	switch {
	case e.Choice != nil && e.Choice.Refusal != nil:
		return fmt.Sprintf("OLM v1 does not install %s, because it has a property %s", e.Choice.Refusal.Bundle, e.Choice.Refusal.Property)
	case e.Said != "":
		said := "OLM v1 says: " + strings.TrimRight(e.Said, ".")
		for _, m := range messages.Find(e.Said) {
			said += ". Explained: " + strings.TrimSuffix(m.Cause, ".")
		}
		return said
	case e.Pinned != "" && e.Choice != nil && e.Choice.Bundle == "":
		return fmt.Sprintf("OLM v1 finds no bundle: no upgrade leads from %s to the requested version %q directly", cmp.Or(e.Installed.Version, "nothing"), e.Pinned)
	case e.Choice != nil && e.Choice.Bundle == "":
		return "OLM v1 finds no bundle: the catalog has neither the installed bundle nor an upgrade of it"
	case e.Choice != nil:
		return ""
	case e.Unknown:
		return "not all catalogs of its ClusterCatalogs are given"
	case e.Pinned != "":
		return fmt.Sprintf("it requests version %q; olmgraph path --olm v1 lists its possible upgrades", e.Pinned)
	case len(e.Catalogs) > 1:
		return "several catalogs have the package: " + words.And(e.Catalogs)
	case len(e.Catalogs) == 0:
		return "no catalog has the package"
	}
	return "it names a channel that does not exist, or selects catalogs"
}

// jsonCluster is the JSON form of the operators of a cluster, or of several that have names.
type jsonCluster struct {
	*cluster.Report
	Operators  []jsonClusterOperator  `json:"operators"`
	Decisions  []jsonClusterDecision  `json:"decisions"`
	Extensions []jsonClusterExtension `json:"extensions"`
	Namespace  *cluster.Supposition   `json:"namespace"` // of --what-if or --remove
	// Clusters and Packages are of several clusters. What is assumed, not given, and so on, is then said of each.
	Clusters []cluster.Named   `json:"clusters"`
	Packages []cluster.Package `json:"packages"`
}

type jsonClusterOperator struct {
	cluster.Operator
	// Steps are those of --details, if there are any.
	Steps []jsonOperatorStep `json:"steps,omitempty"`
}

// jsonOperatorStep is what OLM does with an operator, and with the dependencies that it installs because of it.
type jsonOperatorStep struct {
	Message  string            `json:"message"`
	Notes    []string          `json:"notes"`
	Upgrades []plan.Upgrade    `json:"upgrades"`
	Commands []wording.Command `json:"commands"` // in the order in which they are run
}

func operatorStepJSON(s cluster.Step) jsonOperatorStep {
	return jsonOperatorStep{wording.PlanStep(&s.Step), wording.StepNotes(&s), s.Upgrades, stepCommands(&s)}
}

type jsonClusterDecision struct {
	Kind      string   `json:"kind" enum:"approval,fault,conflict,waiting,rejected,no-path,no-install-plan,stored-version,invalid-crd,unpacking,loop,limit,not-given,immutable-field,unhealthy,outdated-plan,failing-plan,reported,generated-by,deletion,custom-resources,remove,leftovers,upgrade-fails,failed-plan"`
	Cluster   string   `json:"cluster"` // one of several, or empty
	Namespace string   `json:"namespace"`
	Also      []string `json:"alsoNamespaces"` // of a CatalogSource that OLM cannot read
	wording.ClusterDecision
	Causes    []string `json:"causes"` // of what has failed, as far as they are known
	Operators []string `json:"operators"`
	Freezes   []string `json:"freezes"` // the other packages of the namespace that are not upgraded because of it
	// Steps are those of the InstallPlan that is to be approved, as far as the snapshot has them, and Changes what its upgrades change, as far as
	// the catalogs have both bundles.
	Steps   []cluster.PlanStep `json:"steps"`
	Changes []*changes.Report  `json:"changes"`
	// Commands are in the order in which they are run.
	Commands []wording.Command `json:"commands"`
}

type jsonClusterExtension struct {
	cluster.Extension
	Known   bool            `json:"known"`
	Blocked bool            `json:"blocked"`
	Message string          `json:"message"`
	Steps   []messages.Step `json:"steps"` // what to do, the least harmful first
}

func clusterJSON(r *cluster.Report) jsonCluster {
	out := jsonCluster{Report: r, Namespace: r.Supposed, Clusters: r.Clusters, Packages: r.Packages}
	out.Extensions = words.Map(r.Extensions, func(e cluster.Extension) jsonClusterExtension {
		return jsonClusterExtension{e, e.Choice != nil, e.IsBlocked(), extensionNote(&e), extensionSteps(&e)}
	})
	out.Operators = words.Map(r.Operators, func(o cluster.Operator) jsonClusterOperator {
		return jsonClusterOperator{o, words.Map(o.Steps, operatorStepJSON)}
	})
	for i := range r.Decisions {
		out.Decisions = append(out.Decisions, clusterDecisionJSON(&r.Decisions[i]))
	}
	return out
}

func clusterDecisionJSON(d *cluster.Decision) jsonClusterDecision {
	said := wording.Decision(d)
	out := jsonClusterDecision{Kind: d.Kind(), Cluster: d.Cluster, Namespace: d.Namespace, Also: d.Also, ClusterDecision: said,
		Causes: wording.Causes(d.Failure), Operators: d.Operators, Freezes: d.Freezes, Commands: said.Commands}
	if a, is := d.About.(*cluster.Approval); is {
		out.Steps, out.Changes = a.Steps, a.Changes
	}
	return out
}
