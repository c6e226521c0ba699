package cli

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/graph/judge"
	"github.com/olmgraph/olmgraph/render"
)

const crdsName = "crds"

const crdsHelp = `examples:
  olmgraph crds catalog/ prometheus                   the CRDs of each bundle, and their changes
  olmgraph crds catalog/ prometheus --bundles operators/

PACKAGE can be left out if the catalog has only one.

MAY BE STORED are the versions that status.storedVersions can have on a cluster: all that were stored on some path to the bundle, since neither
Kubernetes nor OLM removes one. An upgrade to a CRD that lacks one of them is rejected. olmgraph path --snapshot says whether a cluster has one.

exit status: 0; 2 misuse; 3 the catalog could not be opened or read completely,
is not a catalog, or has no manifests of the bundles of the channel.`

func crdsCommand() command {
	return command{
		name:  crdsName,
		usage: "show how upgrades change CRDs",
		args:  "[flags] CATALOG [PACKAGE]",
		help:  crdsHelp,
		flags: []cli.Flag{
			&cli.StringFlag{Name: "channel", Usage: "this `CHANNEL` (default: the default channel)"},
			&cli.BoolFlag{Name: "all", Usage: "a line for every bundle, even if its CRD does not change"},
			configFlag(),
			colorFlag(),
		},
		synonyms: map[string]string{"crd": ""},
		takes:    takes{catalog: true, ranges: true, channel: "--channel", arguments: []argumentKind{packageArgument}},
		formats:  answerFormats(render.CRDFormats()),
		answer:   runCrds,
	}
}

// crdChanges returns what was typed for crds with the flags by which path shows how CRDs change.
func crdChanges(typed []string) []string {
	line := append(slices.Clone(typed), "--changes")
	if i := slices.IndexFunc(typed, func(w string) bool { return len(glob(w, "*/manifests")) > 0 }); i >= 0 {
		line = append(line, "--bundles", typed[i])
	}
	return line
}

func runCrds(c *cli.Context, o *opener, to outputs) error {
	if c.NArg() > 2 {
		line := pathCommand().arrange(c.Context, crdChanges(c.Args().Slice()))
		return suggestCommand(misusef("crds takes a catalog and a package, not %s: path --changes compares two versions", c.Args().Get(2)), line...)
	}
	ref := c.Args().First()
	cats, name, _, err := o.openPackages(c.Context, ref, c.Args().Tail(), false, false)
	if err != nil {
		return err
	}
	cat, pkg, err := o.onlyWithPackage(cats, ref, name)
	if err != nil {
		return err
	}
	if err := requireEdges(ref, cat); err != nil {
		return err
	}
	s := selector{graph.NewPackageGraph(pkg)}
	named, err := s.channels(slices.DeleteFunc([]string{c.String("channel")}, func(name string) bool { return name == "" }))
	if err != nil {
		return err
	}
	channel := cmp.Or(s.defaultChannel(), s.Graphs[0])
	if len(named) > 0 {
		channel = named[0]
	}
	config, err := readConfig(c.String("config"), ref)
	if err != nil {
		return err
	}
	histories := judge.New(pkg, judge.Options{MigratesSince: config.MigratesSince(pkg)}).Histories(channel.Channel)
	out := render.CRDs{Catalog: cat, Package: pkg, Channel: channel.Channel, Unseen: channel.Channel.Unseen(), Histories: histories, All: c.Bool("all")}
	for at := filepath.Clean(ref); at != filepath.Dir(at); at = filepath.Dir(at) { // a template is in or below the folder of its operator
		if filepath.Base(at) == pkg.Name.Value && len(glob(at, "*/manifests")) > 0 {
			out.Folders = at
		}
	}
	unknown := out.Unseen > 0 && out.Unseen == len(channel.Channel.Entries)
	if unknown && out.Folders != "" {
		o.logf("with the manifests of the bundles: %s", repeatCommand(c, "--bundles", out.Folders))
	}
	return answerStatus(write(to, render.CRDFormats(), out), unknown, false)
}
