package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/words"
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
	first := wording.Decision(same[0])
	action, commands = first.Action, first.Commands
	if same[0].Cluster == "" {
		return action, "", commands
	}
	var actions []string
	var each []wording.Command
	differ := false
	for _, d := range same {
		said := wording.Decision(d)
		differ = differ || said.Action != action || !slices.Equal(said.Commands, commands)
		actions = append(actions, said.Action+" in "+d.Cluster)
		for _, c := range said.Commands {
			c.Purpose += ", in " + d.Cluster
			each = append(each, c)
		}
	}
	if differ {
		return words.And(actions), "", each
	}
	return action, "in " + words.List(words.Map(same, func(d *cluster.Decision) string { return d.Cluster }), "and") + ", ", commands
}

// sayClusters says how the operators of several clusters differ, and what has to be done.
func sayClusters(r *cluster.Report) *answer.Answer {
	several := len(slices.DeleteFunc(slices.Clone(r.Packages), func(p cluster.Package) bool { return len(p.Versions) < 2 }))
	a := answer.New(clusterHeading(words.Count(len(r.Clusters), "cluster"), r), fmt.Sprintf("; %d of %s in several versions", several, words.Count(len(r.Packages), "package")))
	for _, c := range r.Clusters {
		said := clusterHeading(c.Name, c.Report)
		var behind []string
		for _, p := range r.Packages {
			if slices.Contains(p.Behind, c.Name) {
				behind = append(behind, p.Name)
			}
		}
		if len(behind) > 0 {
			said += "; behind another cluster in " + words.And(behind)
		}
		a.Item(said)
		for _, note := range append(clusterNotes(c.Report), extensionNotes(c.Report)...) {
			a.Detail(note)
		}
	}
	for _, table := range clusterTables(r) {
		if table.Rows() > 0 {
			a.Section()
			a.Table(table)
		}
	}
	a.List(deprecationNotes(r))
	sayDecisions(a, r)
	saySteps(a, r)
	return a
}

// clusterTables returns the packages, those in several versions and the others: what is installed, what it is upgraded to, its state, and in which
// clusters that is so. A column for each cluster would be too wide.
func clusterTables(r *cluster.Report) []*answer.Table {
	type place struct{ pkg, said string }
	_, number := foldDecisions(r)
	said, in, warn, newest := map[string][]string{}, map[place][]string{}, map[place]bool{}, map[string]string{}
	for _, p := range r.Packages {
		newest[p.Name] = p.Versions[0]
	}
	for _, o := range r.Rows() {
		row := text.Dash(o.Installed.String())
		if o.Next.Name != "" {
			row += " → " + nextText(&o)
		}
		if o.State != cluster.UpToDate && o.State != cluster.Upgrades || o.Phase != "" {
			row += ", " + stateText(&o, number)
		}
		name, at := o.Name(), place{o.Name(), row}
		if len(in[at]) == 0 {
			said[name] = append(said[name], row)
		}
		if !slices.Contains(in[at], o.Cluster) {
			in[at] = append(in[at], o.Cluster)
		}
		warn[at] = warn[at] || o.State == cluster.Blocked || o.Installed.String() != newest[name]
	}
	tables := []*answer.Table{{Columns: []string{"several versions", "installed, next", "clusters"}, Groups: 1}, {Columns: []string{"one version", "installed, next", "clusters"}, Groups: 1}}
	for _, p := range r.Packages {
		table := tables[1]
		if len(p.Versions) > 1 {
			table = tables[0]
		}
		for _, row := range said[p.Name] {
			at, role, clusters := place{p.Name, row}, text.Normal, "all"
			if warn[at] {
				role = text.Warning
			}
			if len(in[at]) < len(r.Clusters) {
				clusters = strings.Join(in[at], ", ")
			}
			table.Add(p.Name, text.Styled(row, role), clusters)
		}
	}
	return tables
}
