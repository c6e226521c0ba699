package cli

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/lifecycle"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/readiness"
	"github.com/olmgraph/olmgraph/render"
)

const listHelp = `examples:
  olmgraph list catalog/                       the packages, with their default channels and heads
  olmgraph list catalog/ channels              the channels of all packages
  olmgraph list catalog/ prometheus            the channels of a package
  olmgraph list catalog/ bundles prometheus    the bundles of a package, and their automatic upgrades
  olmgraph list catalogs/                      the heads of packages at each OpenShift version
  olmgraph list catalogs/ prometheus           the heads of its channels at each OpenShift version

CATALOG is a folder, a file, or - for standard input. STUCK counts entries that OLM v0 never upgrades; UPGRADES TO is the
next automatic upgrade of OLM v0, and HOPS the number of automatic upgrades up to the last one. OLM V1 says whether its newest release
installs the package: see olmgraph readiness. SUPPORTED UNTIL is there if the catalog has lifecycle metadata. JSON has more fields.

In a folder with a catalog for each OpenShift version, each package and channel has its head at each version; that of a
package is the head of its default channel. --ocp selects one version, or a range. The JSON has the list of each catalog too.

exit status: 0; 2 misuse; 3 the catalog could not be opened
or read completely, or is not a catalog.`

const listName = "list"

const noteSays = "the column NOTE of the bundles and of the channels says it"

const (
	inCatalog = "lifecycle metadata is a part of the catalog: put the file into its folder"
	andListed = inCatalog + ", and list has it in the column SUPPORTED UNTIL"
)

func listCommand() command {
	return command{
		name:     listName,
		usage:    "list the packages, channels or bundles of a catalog",
		args:     "[flags] CATALOG [packages|channels|bundles] [PACKAGE]",
		help:     listHelp,
		flags:    []cli.Flag{colorFlag()},
		synonyms: map[string]string{"deprecate": "bundles", "deprecations": "bundles", "matrix": "", "which": "", "lifecycle": "bundles", "mirror list": "", "heads": "channels", "head": "channels", "latest": "channels", "versions": "bundles", "ls": "", "get": "", "packages": "packages", "channels": "channels", "bundles": "bundles", "operators": "packages"},
		needless: map[string]string{"lifecycle": inCatalog, "lifecycles": inCatalog, "deprecated": noteSays, "deprecations": noteSays},
		takes:    takes{catalog: true, ranges: true, arguments: []argumentKind{listArgument, packageArgument}},
		formats:  answerFormats(render.ListFormats()),
		answer:   runList,
	}
}

// otherList returns the error of a list that another command has, or of several catalogs; nil if none is meant.
func otherList(c *cli.Context, o *opener) error {
	ref := c.Args().First()
	if line := ofAllVersions(o.given); line != nil {
		return suggestCommand(misusef("list takes one catalog, or the folder of several"), line...)
	}
	if other, synonym, n := findSynonym([]string{ref}); n > 0 && other.name == rulesName { // as list rules
		return suggestCommand(misusef("list has no %s; did you mean this?", ref), rulesName)
	} else if n > 0 && other.name != o.command.name && c.NArg() > 1 && !disk.Exists(ref) { // as list images
		reason := cmp.Or(words.Prefix(": ", other.why(synonym)), "; did you mean this?")
		return suggestCommand(misusef("list has no %s%s", ref, reason), other.arrange(c.Context, ofOneVersion(synonym, append(strings.Fields(other.synonyms[synonym]), c.Args().Tail()...)))...)
	}
	return nil
}

func runList(c *cli.Context, o *opener, to outputs) error {
	ref, what, pkg := c.Args().Get(0), c.Args().Get(1), c.Args().Get(2)
	if err := otherList(c, o); err != nil {
		return err
	}
	switch {
	case c.NArg() > 3:
		return suggestCommand(misusef("list takes a catalog, what to list, and one package: olmgraph list CATALOG bundles PACKAGE"), o.command.arrange(c.Context, o.given[:len(o.given)-1])...)
	case c.NArg() == 1 && len(o.templateSources) > 0 && isListKind(ref): // a folder of this name is not meant
		return suggestCommand(misusef("the catalog comes first: --catalog is for templates"), o.command.arrange(c.Context, o.given)...)
	case c.NArg() == 1:
		what = render.ListKinds()[0]
	case slices.Contains(render.ListKinds(), pkg) && !slices.Contains(render.ListKinds(), what):
		what, pkg = pkg, what
	case c.NArg() == 2 && !slices.Contains(render.ListKinds(), what):
		what, pkg = "channels", what
	case !slices.Contains(render.ListKinds(), what) && isReference(what) && !disk.Exists(ref):
		return suggestCommand(misusef("the catalog comes first"), o.command.arrange(c.Context, o.given)...)
	case !slices.Contains(render.ListKinds(), what) && c.NArg() == 3 && (len(foldersOf(what)) > 0 || disk.IsFolder(filepath.Join(ref, what))): // and a channel
		return suggestCommand(misusef("list takes one package, and no %s", pkg), listName, ref, "bundles", what)
	case !slices.Contains(render.ListKinds(), what):
		return suggestName(misusef("cannot list %q%s", what, didYouMean(what, render.ListKinds())), what, render.ListKinds())
	}
	cats, err := o.openMerged(c.Context, ref, pkg, false)
	switch {
	case err != nil:
		return err
	case pkg != "" && len(withPackage(cats, pkg)) == 0:
		if near, ok := words.Nearest(pkg, render.ListKinds()); ok && c.NArg() == 2 {
			return suggestInstead(misusef("cannot list %q; did you mean %s?", pkg, near), pkg, near)
		}
		meant, version, ok := o.likelyPackage(pkg, cats, false)
		switch {
		case !ok:
			return o.noPackage(pkg, ref, cats)
		case strings.Contains(pkg, "/"):
			return suggestCommand(misusef("list takes no channel: the column CHANNEL has it"), listName, ref, "bundles", meant)
		case version != "":
			return suggestCommand(misusef("list takes no version"), listName, ref, "bundles", meant)
		}
		pkg = meant
	}
	json := to.has("json")
	out, err := buildListing(cats, what, pkg, json)
	if err != nil {
		return err
	}
	for _, cat := range cats {
		for _, p := range cat.Packages {
			if dir := operatorFolder(ref, p); dir != "" && (pkg == "" || pkg == p.Name.Value) {
				o.logf("the channels of package %q are in its templates: olmgraph list %s", p.Name.Value, words.ShellWord(dir))
			}
		}
	}
	return write(to, render.ListFormats(), out)
}

func isListKind(word string) bool {
	_, ok := listKind(word)
	return ok
}

// buildListing returns a list of packages with what OLM v1 installs of them, or of another kind. Of catalogs for several OpenShift versions, the JSON alone
// has what OLM v1 installs.
func buildListing(cats []*catalogs.Catalog, what, pkg string, json bool) (render.Listing, error) {
	out := render.Listing{Catalogs: cats, Kind: what, Package: pkg, Lifecycles: map[string]lifecycle.Lifecycles{}}
	if versions, ok := versionedCatalogs(cats, pkg); ok && len(versions) == len(cats) {
		out.Versions = versions
	}
	for _, c := range cats {
		all, err := lifecycle.Read(c)
		if err != nil {
			return out, err
		}
		if len(all) > 0 {
			out.Lifecycles[c.Name] = all
		}
	}
	if what != render.ListKinds()[0] || out.Versions != nil && !json {
		return out, nil
	}
	var err error
	out.Readiness, err = verdicts(cats, pkg)
	return out, err
}

// verdicts returns whether the newest release of OLM v1 installs the packages of catalogs; nothing for a catalog without the edges of its
// channels.
func verdicts(cats []*catalogs.Catalog, pkg string) (map[*catalogs.Package]readiness.Verdict, error) {
	found := map[*catalogs.Package]readiness.Verdict{}
	for _, c := range cats {
		if c.Edgeless() {
			continue
		}
		var names []string
		if pkg != "" {
			names = []string{pkg}
		}
		all, err := readiness.NewestRelease().Packages([]readiness.Source{{Catalog: c}}, names...)
		if err != nil {
			return nil, err
		}
		for _, one := range all {
			found[one.Package] = one.Verdict()
		}
	}
	return found, nil
}
