package cli

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/graph/cluster"
)

// clusterFiles are the files of a cluster, whose name is "" if files have no names.
type clusterFiles struct {
	name  string
	files []string
}

// nameOfCluster matches a value of --snapshot with a name: the path of a file whose name has a = begins with ./ or another folder.
var nameOfCluster = regexp.MustCompile(`^([A-Za-z0-9][-\w.]*)=(.*)$`)

// filesOfClusters returns the files of each cluster that --snapshot names, in the order of their first; or all as those of one cluster.
func filesOfClusters(c *cli.Context) ([]clusterFiles, error) {
	var all []clusterFiles
	var files []string
	for _, value := range snapshotFiles(c) {
		name, file := "", value
		if m := nameOfCluster.FindStringSubmatch(value); m != nil {
			name, file = m[1], m[2]
		}
		i := slices.IndexFunc(all, func(of clusterFiles) bool { return of.name == name })
		if i < 0 {
			i, all = len(all), append(all, clusterFiles{name: name})
		}
		if file == "" {
			return nil, misusef("--snapshot %s has no file after the =", value)
		}
		all[i].files = append(all[i].files, file)
		files = append(files, file)
	}
	if readsStdinTwice(files...) {
		return nil, errStdinTwice
	}
	if i := slices.IndexFunc(all, func(of clusterFiles) bool { return of.name == "" }); i >= 0 && len(all) > 1 {
		other := all[1-min(i, 1)]
		return nil, misusef("--snapshot %s has no name, but %s=%s has: give each file as NAME=FILE for several clusters, or none for one. Give a file with that name as ./%[2]s=%[3]s",
			all[i].files[0], other.name, other.files[0])
	}
	return all, nil
}

// error returns an error of one of several clusters with its name.
func (of clusterFiles) error(err error) error {
	if err == nil || of.name == "" {
		return err
	}
	return fmt.Errorf("cluster %q: %w", of.name, err)
}

// clusterReport finds what OLM does with the operators of a cluster, of one namespace of it, or of several clusters that have names.
func (o *opener) clusterReport(c *cli.Context, all []clusterFiles) (*cluster.Report, error) {
	var inputs []*clusterInput
	elsewhere := func(name string) bool {
		return slices.ContainsFunc(inputs, func(in *clusterInput) bool { return len(matchSources(name, in.sources(false))) > 0 })
	}
	reports := make([]cluster.Named, len(all))
	for _, of := range all {
		in, err := o.clusterInput(c, of.files)
		if err != nil {
			return nil, of.error(err)
		}
		if in.namespace, err = in.oneNamespace(c); err != nil {
			return nil, err
		}
		if in.elsewhere = elsewhere; of.name != "" {
			in.cluster = fmt.Sprintf(" in cluster %q", of.name)
		}
		inputs = append(inputs, in)
	}
	for i, of := range all {
		if err := inputs[i].bind(c); err != nil {
			return nil, of.error(err)
		}
		question, err := inputs[i].question(c.Context)
		if err != nil {
			return nil, of.error(err)
		}
		reports[i].Name = of.name
		question.Suppose, question.Details = supposition(c), c.Bool("details")
		reports[i].Report, err = cluster.Find(c.Context, question)
		if err != nil {
			return nil, of.error(err)
		}
	}
	if all[0].name == "" {
		return reports[0].Report, nil
	}
	return cluster.Combine(reports), nil
}
