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

// foldDecisions returns the decisions, with those of several clusters that are the same together, and the number of each by its index. Actions
// and commands may differ, since they may have names that a cluster generates, as of an InstallPlan.
func foldDecisions(r *cluster.Report) (all [][]*cluster.Decision, number []int) {
	known := map[string]int{}
	for i := range r.Decisions {
		d := &r.Decisions[i]
		key := ""
		if d.Cluster != "" {
			same := clusterDecisionJSON(d)
			same.Cluster, same.Action, same.Commands = "", "", nil
			text, _ := json.Marshal(same) // strings and numbers, which can be written
			key = string(text)
		}
		at, ok := known[key]
		if !ok || all[at][0].Cluster == d.Cluster {
			at, all = len(all), append(all, nil)
			known[key] = at
		}
		all[at] = append(all[at], d)
		number = append(number, at+1)
	}
	return all, number
}

// inClusters returns the action and the commands of a decision, and the clusters that it is of; each with its cluster where they differ.
func inClusters(same []*cluster.Decision) (action, in string, commands []wording.Command) {
	action, commands = wording.Decision(same[0]).Action, wording.DecisionCommands(same[0]).All()
	if same[0].Cluster == "" {
		return action, "", commands
	}
	var actions []string
	var each []wording.Command
	differ := false
	for _, d := range same {
		its := wording.DecisionCommands(d).All()
		differ = differ || wording.Decision(d).Action != action || !slices.Equal(its, commands)
		actions = append(actions, wording.Decision(d).Action+" in "+d.Cluster)
		for _, c := range its {
			c.Purpose += ", in " + d.Cluster
			each = append(each, c)
		}
	}
	if differ {
		return phrase.And(actions), "", each
	}
	return action, "in " + phrase.List(phrase.Of(same, func(d *cluster.Decision) string { return d.Cluster }), "and") + ", ", commands
}

// sayClusters says how the operators of several clusters differ, and what has to be done.
func sayClusters(r *cluster.Report) *answer.Answer {
	tables := clusterTables(r)
	a := answer.New(clusterHeading(phrase.Count(len(r.Clusters), "cluster"), r), fmt.Sprintf("; %d of %s in several versions", tables[0].Rows(), phrase.Count(len(r.Packages), "package")))
	for _, c := range r.Clusters {
		said := clusterHeading(c.Name, c.Report)
		var behind []string
		for _, p := range r.Packages {
			if slices.Contains(p.Behind, c.Name) {
				behind = append(behind, p.Name)
			}
		}
		if len(behind) > 0 {
			said += "; behind another cluster in " + phrase.And(behind)
		}
		a.Item(said)
		for _, note := range append(clusterNotes(c.Report), extensionNotes(c.Report)...) {
			a.Detail(note)
		}
	}
	for _, table := range tables {
		if table.Rows() > 0 {
			a.Section()
			a.Table(table)
		}
	}
	a.List(deprecationNotes(r))
	sayDecisions(a, r)
	return a
}

// clusterTables returns the packages by cluster, those in several versions and the others: what is installed, what it is upgraded to, and its state.
func clusterTables(r *cluster.Report) []*answer.Table {
	type place struct{ pkg, cluster string }
	cells, warn := map[place][]string{}, map[place]bool{}
	_, number := foldDecisions(r)
	for _, o := range r.Rows() {
		said := text.Dash(o.Installed.String())
		if o.Next.Name != "" {
			said += " → " + nextText(&o)
		}
		if o.State != cluster.UpToDate && o.State != cluster.Upgrades || o.Phase != "" {
			said += ", " + stateText(&o, number)
		}
		at := place{o.Name(), o.Cluster}
		if warn[at] = warn[at] || o.State == cluster.Blocked; !slices.Contains(cells[at], said) {
			cells[at] = append(cells[at], said)
		}
	}
	names := phrase.Of(r.Clusters, func(c cluster.Named) string { return c.Name })
	tables := []*answer.Table{{Columns: append([]string{"several versions"}, names...)}, {Columns: append([]string{"one version"}, names...)}}
	for _, p := range r.Packages {
		row := []any{p.Name}
		for _, name := range names {
			at, role := place{p.Name, name}, text.Normal
			if warn[at] || slices.Contains(p.Behind, name) {
				role = text.Warning
			}
			row = append(row, text.Styled(text.Dash(strings.Join(cells[at], "; ")), role))
		}
		table := tables[1]
		if len(p.Versions) > 1 {
			table = tables[0]
		}
		table.Add(row...)
	}
	return tables
}
