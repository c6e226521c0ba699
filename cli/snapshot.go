package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/resolve"
	"github.com/olmgraph/olmgraph/graph/snapshot"
	"github.com/olmgraph/olmgraph/render/wording"
)

// snapshotHelp says how FILE is made.
const snapshotHelp = `FILE is the output of kubectl, as YAML or JSON, compressed with gzip or not. kubectl prints only an error if the cluster lacks
one of the types, so each kind of cluster has its own command. Give --snapshot once for each file:

  ` + wording.KubectlGet + ` > cluster.yaml   (OLM v0)
  ` + wording.KubectlGetOpenShift + ` > openshift.yaml   (OpenShift, as well)
  ` + wording.KubectlGetV1 + ` > v1.yaml   (OLM v1)`

// snapshotFlag is the flag for files with objects of a cluster, which may be repeated.
func snapshotFlag(usage string) cli.Flag {
	return &cli.GenericFlag{Name: "snapshot", Value: &repeatedFlag{}, Usage: usage + ", or - for standard input; may be repeated"}
}

func globalNamespaceFlag() cli.Flag {
	return &cli.StringFlag{Name: "global-namespace", Usage: "the `NAME` of the namespace of global CatalogSources (default: olm, or openshift-marketplace if FILE is of OpenShift)"}
}

// snapshotFiles returns the values of snapshotFlag.
func snapshotFiles(c *cli.Context) []string {
	given, ok := c.Generic("snapshot").(*repeatedFlag)
	if !ok {
		return nil
	}
	return *given
}

// needsSnapshot is the error where the flag is missing.
func needsSnapshot(c *cli.Context, given []string) error {
	cmd := findCommand(c.Command.Name)
	line := cmd.arrangeOrHelp(c.Context, given)
	if !slices.Contains(line, "cluster.yaml") || disk.Exists("cluster.yaml") {
		return suggestCommand(misusef("%s takes the objects of the cluster with --snapshot", cmd.name), line...)
	}
	return suggestCommand(misuse{words.Advice{Err: fmt.Errorf("%s needs the objects of the cluster in --snapshot FILE", cmd.name), Command: wording.KubectlGet + " > cluster.yaml"}}, line...)
}

// readSnapshot reads the objects of a cluster from files of the flag.
func readSnapshot(o *opener, c *cli.Context, files []string) (*snapshot.Snapshot, error) {
	refs := slices.Clone(files)
	for _, arg := range c.Args().Slice() {
		_, ref := cutName(arg)
		refs = append(refs, ref)
	}
	if readsStdinTwice(refs...) {
		return nil, errStdinTwice
	}
	s := &snapshot.Snapshot{}
	for _, name := range files {
		if err := o.readFile(name, s.Read); err != nil {
			err = fmt.Errorf("--snapshot %w", err)
			if near, ok := similarFile(name); ok && errors.Is(err, os.ErrNotExist) {
				return nil, suggestInstead(fmt.Errorf("%w; did you mean %s?", err, near), name, near)
			}
			return nil, err
		}
	}
	for _, note := range s.Notes {
		o.logf("--snapshot: %s", note)
	}
	return s, nil
}

// readFile opens a file, or standard input if it is "-".
func (s streams) readFile(name string, read func(name string, from io.Reader) error) error {
	if name == "-" {
		return read(name, s.stdin)
	}
	f, err := disk.Stream(name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, disk.Cause(err))
	}
	defer f.Close()
	return read(name, f)
}

// snapshotError is an error of what files of the flag have: misuse if it is of the namespace that was asked for.
func snapshotError(files []string, err error) error {
	named := fmt.Errorf("--snapshot %s: %w", strings.Join(files, ", "), err)
	if wrong := (resolve.NamespaceError{}); errors.As(err, &wrong) {
		return misuse{named}
	}
	return named
}
