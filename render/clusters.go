package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/render/answer"
	"github.com/olmgraph/olmgraph/render/text"
	"github.com/olmgraph/olmgraph/render/wording"
)

// ClustersFormats returns the formats of the operators of several clusters.
func ClustersFormats() []text.Format[*cluster.Comparison] {
	return answer.Formats(sayClusters, clustersJSON)
}

// sharedDecision is a decision that has to be made in some clusters: the same but for its action and its commands, which may have names that
// the cluster generates, as of an InstallPlan.
type sharedDecision struct {
	*cluster.Decision // in the first of the clusters
	in                []decisionOf
}

// decisionOf is what a decision is in a cluster.
type decisionOf struct {
	name, action string
	commands     []wording.Command
}

// shareDecisions returns the decisions of all clusters, and the operators of each, whose decisions are indices of them.
func shareDecisions(c *cluster.Comparison) (all []*sharedDecision, operators [][]cluster.Operator) {
	known := map[string]int{}
	for _, of := range c.Clusters {
		at := make([]int, len(of.Decisions))
		for i := range of.Decisions {
			d := &of.Decisions[i]
			same := clusterDecisionJSON(d)
			one := decisionOf{of.Name, same.Action, wording.DecisionCommands(d)}
			same.Action, same.Commands = "", nil
			key, _ := json.Marshal(same) // all its types can be written
			if _, ok := known[string(key)]; !ok {
				known[string(key)] = len(all)
				all = append(all, &sharedDecision{Decision: d})
			}
			at[i] = known[string(key)]
			all[at[i]].in = append(all[at[i]].in, one)
		}
		its := slices.Clone(of.Operators)
		for i := range its {
			its[i].Decisions = nil
			for _, d := range of.Operators[i].Decisions {
				its[i].Decisions = append(its[i].Decisions, at[d])
			}
		}
		operators = append(operators, its)
	}
	return all, operators
}

// sayClusters says how the operators of clusters differ, and what has to be done.
func sayClusters(c *cluster.Comparison) *answer.Answer {
	decisions, operators := shareDecisions(c)
	a := answer.New(clustersHeading(c))
	for i, of := range c.Clusters {
		said := clusterHeading(of.Name, of.Report)
		if behind := packagesBehind(c, i); len(behind) > 0 {
			said += "; behind another cluster in " + phrase.And(behind)
		}
		a.Item(said)
	}
	a.List(sharedNotes(c))
	for _, several := range []bool{true, false} {
		table := &answer.Table{Columns: []string{"package"}, Groups: 1}
		for _, of := range c.Clusters {
			table.Columns = append(table.Columns, of.Name)
		}
		for i := range c.Packages {
			if p := &c.Packages[i]; len(p.Versions) > 1 == several {
				table.Add(clusterCells(c, p, operators)...)
			}
		}
		if table.Rows() > 0 {
			a.Section(map[bool]string{true: "several versions", false: "one version"}[several])
			a.Table(table)
		}
	}
	if len(decisions) > 0 {
		a.Section("to do")
	}
	for i, d := range decisions {
		d.say(a, i+1)
	}
	return a
}

// clustersHeading counts clusters and packages.
func clustersHeading(c *cluster.Comparison) string {
	several, approve, blocked := 0, 0, 0
	for i := range c.Packages {
		p := &c.Packages[i]
		states := map[cluster.State]bool{}
		for at, of := range c.Clusters {
			for _, o := range p.Operators[at] {
				states[of.Operators[o].State] = true
			}
			for _, e := range p.Extensions[at] {
				states[cluster.Blocked] = states[cluster.Blocked] || of.Extensions[e].Blocked()
			}
		}
		for n, is := range map[*int]bool{&several: len(p.Versions) > 1, &approve: states[cluster.Approve], &blocked: states[cluster.Blocked]} {
			if is {
				*n++
			}
		}
	}
	said := fmt.Sprintf("%s: %s", phrase.Count(len(c.Clusters), "cluster"), phrase.Count(len(c.Packages), "package"))
	for _, count := range []struct {
		n    int
		word string
	}{{several, "in several versions"}, {approve, "to approve"}, {blocked, "blocked"}} {
		if count.n > 0 {
			said += fmt.Sprintf(", %d %s", count.n, count.word)
		}
	}
	return said
}

// packagesBehind returns the packages in which a cluster is behind another one.
func packagesBehind(c *cluster.Comparison, at int) (all []string) {
	for i := range c.Packages {
		if slices.Contains(c.Packages[i].Behind, at) {
			all = append(all, c.Packages[i].Name)
		}
	}
	return all
}

// sharedNotes says once what is missing in several clusters, and what their ClusterExtensions wait for.
func sharedNotes(c *cluster.Comparison) (all []string) {
	of := map[string][]string{}
	for _, n := range c.Clusters {
		notes := clusterNotes(n.Report)
		for i := range n.Extensions {
			if e := &n.Extensions[i]; extensionNote(e) != "" {
				notes = append(notes, e.Name+": "+extensionNote(e))
			}
		}
		for _, note := range notes {
			if of[note] == nil {
				all = append(all, note)
			}
			of[note] = append(of[note], n.Name)
		}
	}
	for i, note := range all {
		all[i] = phrase.List(of[note], "and") + ": " + note
	}
	return all
}

// clusterCells returns the row of a package: in each cluster what is installed, what it is upgraded to, and its state.
func clusterCells(c *cluster.Comparison, p *cluster.Package, operators [][]cluster.Operator) []any {
	row := []any{p.Name}
	for at, of := range c.Clusters {
		var said []string
		role := text.Normal
		say := func(installed, next, state string) {
			if next != "-" {
				installed += " → " + next
			}
			if state != "" {
				installed += ", " + state
			}
			if !slices.Contains(said, installed) {
				said = append(said, installed)
			}
		}
		for _, i := range p.Operators[at] {
			o := &operators[at][i]
			state := stateText(o)
			if state == stateWords()[cluster.UpToDate] || state == stateWords()[cluster.Upgrades] {
				state = ""
			}
			if o.State == cluster.Blocked {
				role = text.Warning
			}
			say(text.Dash(o.Installed.String()), nextText(o), state)
		}
		for _, i := range p.Extensions[at] {
			e := &of.Extensions[i]
			switch next := extensionNext(e); {
			case e.Blocked():
				role = text.Warning
				say(text.Dash(e.Installed.String()), next, "blocked")
			case next == "unknown":
				say(text.Dash(e.Installed.String()), "-", next)
			default:
				say(text.Dash(e.Installed.String()), next, "")
			}
		}
		if slices.Contains(p.Behind, at) {
			role = text.Warning
		}
		row = append(row, text.Styled(text.Dash(strings.Join(said, "; ")), role))
	}
	return row
}

// say says a decision, and its commands once if they are the same in all clusters.
func (d *sharedDecision) say(a *answer.Answer, number int) {
	action, in := d.in[0].action, "in "+phrase.List(phrase.Of(d.in, func(of decisionOf) string { return of.name }), "and")+", "
	if slices.ContainsFunc(d.in, func(of decisionOf) bool { return of.action != action }) {
		action, in = phrase.And(phrase.Of(d.in, func(of decisionOf) string { return of.action + " in " + of.name })), ""
	}
	a.Numbered(number, text.Styled(action, text.Heading), " (", wording.Decision(d.Decision).Who, "), ", in, decisionPlace(d.Decision))
	sayReasons(a, d.Decision)
	if !slices.ContainsFunc(d.in, func(of decisionOf) bool { return !slices.Equal(of.commands, d.in[0].commands) }) {
		sayCommands(a, d.in[0].commands)
		return
	}
	for _, of := range d.in {
		for _, command := range of.commands {
			command.Purpose += ", in " + of.name
			sayCommands(a, []wording.Command{command})
		}
	}
}

// jsonNamedCluster is one of several clusters.
type jsonNamedCluster struct {
	Name string `json:"name"`
	jsonClusterState
	Behind []string `json:"behind"` // the packages in which another cluster has a newer version
}

// jsonPackageOf is a package of several clusters.
type jsonPackageOf struct {
	Package  string                 `json:"package"`  // the name of what is installed, if it has none
	Versions []jsonInstalledVersion `json:"versions"` // the newest first
	Behind   []string               `json:"behind"`   // clusters
}

// jsonInstalledVersion is a version that is installed in some clusters, or the name of a bundle that has none.
type jsonInstalledVersion struct {
	Version  string   `json:"version"`
	Clusters []string `json:"clusters"`
}

// jsonDecisionOf is what a decision is in one of several clusters.
type jsonDecisionOf struct {
	Name     string        `json:"name"`
	Action   string        `json:"action"`
	Commands []jsonCommand `json:"commands"`
}

func clustersJSON(c *cluster.Comparison) jsonCluster {
	out := jsonCluster{Document: text.NewDocument(), jsonClusterState: jsonClusterState{Blocked: c.Blocked()}}
	decisions, operators := shareDecisions(c)
	for i, of := range c.Clusters {
		out.Clusters = append(out.Clusters, jsonNamedCluster{of.Name, clusterStateJSON(of.Report), packagesBehind(c, i)})
		out.add(of.Name, operators[i], of.Extensions)
	}
	names := func(clusters []int) []string {
		return phrase.Of(clusters, func(i int) string { return c.Clusters[i].Name })
	}
	for _, p := range c.Packages {
		one := jsonPackageOf{Package: p.Name, Behind: names(p.Behind)}
		for _, v := range p.Versions {
			one.Versions = append(one.Versions, jsonInstalledVersion{v.Version, names(v.Clusters)})
		}
		out.Packages = append(out.Packages, one)
	}
	for _, d := range decisions {
		one := clusterDecisionJSON(d.Decision)
		for _, of := range d.in {
			one.Clusters = append(one.Clusters, jsonDecisionOf{of.name, of.action, commandsJSON(of.commands)})
		}
		out.Decisions = append(out.Decisions, one)
	}
	return out
}
