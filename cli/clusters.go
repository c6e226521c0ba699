package cli

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/graph/cluster"
	"github.com/olmgraph/olmgraph/render"
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
		return nil, misusef("--snapshot %s has no name, but %s=%s has: give each file as NAME=FILE for several clusters, or none for one. A file that is called %[2]s=%[3]s is ./%[2]s=%[3]s",
			all[i].files[0], other.name, other.files[0])
	}
	return all, nil
}

// ofCluster returns a context with the same arguments, in which --snapshot has other files.
func ofCluster(c *cli.Context, files []string) (*cli.Context, error) {
	set := flag.NewFlagSet(c.Command.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	value := repeatedFlag(files)
	set.Var(&value, "snapshot", "")
	err := set.Parse(append([]string{"--"}, c.Args().Slice()...))
	return cli.NewContext(c.App, set, c), err
}

// clusters answers for several clusters, of which each has a name.
func (p *program) clusters(c *cli.Context, o *opener, all []clusterFiles) error {
	to, err := formatsOf(render.ClustersFormats()).outputs(c)
	if err != nil {
		return err
	}
	contexts, inputs, reports := make([]*cli.Context, len(all)), make([]*clusterInput, len(all)), make([]cluster.Named, len(all))
	for i, of := range all {
		if contexts[i], err = ofCluster(c, of.files); err != nil {
			return err
		}
		if inputs[i], err = o.clusterInput(contexts[i]); err != nil {
			return fmt.Errorf("cluster %q: %w", of.name, err)
		}
		inputs[i].cluster = fmt.Sprintf(" in cluster %q", of.name)
		inputs[i].elsewhere = func(name string) bool {
			return slices.ContainsFunc(inputs, func(in *clusterInput) bool { return len(named(name, in.sources(false))) > 0 })
		}
	}
	for i, of := range all {
		reports[i].Name = of.name
		if err := inputs[i].bind(contexts[i]); err != nil {
			return fmt.Errorf("cluster %q: %w", of.name, err)
		}
		if reports[i].Report, err = inputs[i].find(c.Context); err != nil {
			return fmt.Errorf("cluster %q: %w", of.name, err)
		}
	}
	answer := cluster.Compare(reports)
	return clusterStatus(write(p, c, to, render.ClustersFormats(), answer), answer)
}
