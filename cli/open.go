package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/gittree"
	"github.com/olmgraph/olmgraph/catalogs/image"
	"github.com/olmgraph/olmgraph/catalogs/manifests"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/repo"
	"github.com/olmgraph/olmgraph/catalogs/source"
	"github.com/olmgraph/olmgraph/catalogs/template"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/plan"
)

// opener opens catalogs as the flags of a command say.
type opener struct {
	*session
	command         *command
	options         open.Options
	bundles         []string                           // references of --bundles, with manifests that catalogs lack
	templateSources []string                           // references of --catalog, with the bundles of templates
	hasTemplate     bool                               // whether something that was opened is made from a template
	supplies        []catalogs.Supply                  // of bundles
	missing         *missingImages                     // nil: none is pulled
	baseDone        chan struct{}                      // closed when the base is open; nil: there is none
	notedLinks      map[string]bool                    // references for which noteLinkedFolder has run
	args            []string                           // of the command
	notedSelected   string                             // what noteSelected last reported
	versions        versionRange                       // of --ocp
	clusterCatalogs map[string][]*catalogs.Catalog     // catalogs of clusters, which may have the same, by reference
	planCatalogs    map[*catalogs.Catalog]plan.Catalog // of once
}

// commonFlags returns the flags that most commands have.
func commonFlags() []cli.Flag {
	return append(append(catalogFlags(), pullFlags()...), timeoutFlag(), colorFlag())
}

// catalogFlags returns the flags of commands that read catalogs.
func catalogFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "ocp", Usage: "for a catalog repository: only bundles for this OpenShift `VERSION`, as 4.16; or all, for a catalog for each version (the default of lint and diff if there is a folder catalogs, or an organization in config.yaml); for a folder of catalogs for several versions: one of them, or those of a range, as 4.14..4.18; for a template: the bundles as in the catalog for this version"},
		&cli.StringFlag{Name: "platform", Usage: "for an image: this `OS/ARCH` (default: linux/amd64, or the only one)"},
		&cli.StringFlag{Name: "max-size", Value: "2GiB", Usage: "reject a catalog in an image, a database or a git tree that is larger than this `SIZE`"},
		&cli.BoolFlag{Name: "insecure", Usage: "allow a registry without TLS, or with an untrusted certificate"},
		&cli.StringSliceFlag{Name: "bundles", Usage: "add the manifests that a file-based catalog lacks, and to a template the bundles of its images, from this `CATALOG`: a folder of bundles, a repository, another catalog that has them, a tar, git:REVISION:PATH, or what olmgraph pull wrote (default: bundles in .olmgraph.yaml, or operators/ of the repository)"},
		&cli.StringSliceFlag{Name: "catalog", Usage: "for a template: take the bundles of its images from this `CATALOG` (default: from catalogs/ of its repository)"},
		&cli.StringFlag{Name: "opm", Usage: "for a template of schema olm.semver: make the channels that this `VERSION` of opm makes, as v1.46 (default: that of the pipelines, v1.71.0)"},
	}
}

// newOpener returns what opens catalogs as the flags of a command say.
func newOpener(c *cli.Context, s *session, cmd *command) (*opener, error) {
	versions, err := parseVersions(c.String("ocp"))
	if err != nil {
		return nil, err
	}
	if versions.isRange() && !cmd.takes.ranges {
		return nil, misusef("--ocp %s: %s takes a version as 4.16, or all", c.String("ocp"), c.Command.Name)
	}
	size, err := parseSize(c.String("max-size"))
	if err != nil {
		return nil, err
	}
	s.progress = newProgress(c.Context, s.stderr)
	var opm template.OPM
	if text := c.String("opm"); text != "" {
		if opm, err = template.ParseOPM(text); err != nil {
			return nil, misusef("--opm %q: want a version of opm, as v1.46 or v1.61.0", text)
		}
	}
	o := &opener{session: s, command: cmd, bundles: c.StringSlice("bundles"), templateSources: c.StringSlice("catalog"), notedLinks: map[string]bool{},
		clusterCatalogs: map[string][]*catalogs.Catalog{}, planCatalogs: map[*catalogs.Catalog]plan.Catalog{}, args: c.Args().Slice(), versions: versions}
	o.options = open.Options{Stdin: s.stdin, OpenShift: versions.bundleVersion(), Platform: c.String("platform"), MaxSize: size,
		Insecure: c.Bool("insecure"), Progress: o.progress.add, OPM: opm, Git: &gittree.Shared{}}
	if o.missing, err = newMissingImages(c, o); err != nil {
		return nil, err
	}
	o.options.ImageBundle = func(ref string) *catalogs.Bundle { return o.imageBundle(ref, false) }
	return o, o.openBundleSources(c.Context)
}

// imageBundle returns the bundle of an image that a template lists, if a store has it or it can be pulled: of a change, from where the base has images.
func (o *opener) imageBundle(ref string, ofBase bool) *catalogs.Bundle {
	if ofBase && o.missing != nil {
		o.missing.listed.Store(image.ParseRegistry(ref))
	} else if !ofBase && o.baseDone != nil {
		<-o.baseDone
	}
	for _, s := range o.supplies {
		if store, ok := s.(*open.ImageStore); ok && store.ImageBundle(ref) != nil {
			return store.ImageBundle(ref)
		}
	}
	if o.missing == nil {
		return nil
	}
	return o.missing.supply.ImageBundle(ref)
}

var sizeText = regexp.MustCompile(`^(\d{1,9})([KMGT]i?B?)?$`)

// parseSize parses a number of bytes such as 500000, 512MiB or 2G. All units are powers of 1024.
func parseSize(text string) (int64, error) {
	m := sizeText.FindStringSubmatch(text)
	if m == nil {
		return 0, misusef("--max-size %q: want a size as 512MiB or 2GiB", text)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil || n == 0 {
		return 0, misusef("--max-size %q: want more than 0", text)
	}
	if m[2] != "" {
		n <<= 10 * (1 + strings.IndexByte("KMGT", m[2][0]))
	}
	return n, nil
}

// open opens the catalogs of a reference, and attaches the manifests of --bundles to their bundles.
func (o *opener) open(ctx context.Context, ref string, options open.Options) ([]*repo.Opened, error) {
	o.progress.startReading(ctx, ref)
	if err := o.rejectOther(ctx, ref); err != nil {
		return nil, err
	}
	options.Stdin = o.stdin
	cats, err := open.Catalogs(ctx, ref, options)
	return o.finishOpen(ctx, ref, cats, err)
}

// rejectOther returns an error for a file that belongs to a catalog and is none: a patch, or what its image is made of.
func (o *opener) rejectOther(ctx context.Context, ref string) error {
	switch {
	case ref == "-" && o.stdinIsPatch(), ref != "-" && isPatch(ref):
		return noPatch(ref, diffCommand().arrange(ctx, nil))
	case dockerfileName.MatchString(filepath.Base(ref)) && disk.IsFile(ref) && fromImage.Match(head(ref, headSize)):
		err := misusef("%s makes the image of a catalog: give the folder that it adds", ref)
		if folders := addedFolders(ref); len(folders) > 0 {
			return suggestInstead(err, ref, folders...)
		}
		return err
	}
	return nil
}

var (
	dockerfileName = regexp.MustCompile(`(?i)^(dockerfile|containerfile)|\.(dockerfile|containerfile)$`)
	fromImage      = regexp.MustCompile(`(?mi)^FROM +\S`)
	addedPath      = regexp.MustCompile(`(?mi)^(?:ADD|COPY) +([^ "\[-][^ ]*) +/configs`)
)

// addedFolders returns the folders that a Dockerfile adds to its image: of its own folder, or of the working directory.
func addedFolders(file string) (all []string) {
	for _, m := range addedPath.FindAllStringSubmatch(string(head(file, headSize)), -1) {
		folders := []string{filepath.Join(filepath.Dir(file), m[1]), filepath.Clean(m[1])}
		if at := slices.IndexFunc(folders, disk.IsFolder); at >= 0 {
			all = append(all, folders[at])
		} else {
			all = append(all, folders[0]+"/") // it is made before the image is
		}
	}
	return all
}

// finishOpen completes open: it reports what there is to report, and attaches manifests.
func (o *opener) finishOpen(ctx context.Context, ref string, cats []*repo.Opened, err error) ([]*repo.Opened, error) {
	o.progress.set("computing", "", 0, 0)
	o.noteLinkedFolder(ref, repo.Catalogs(cats))
	o.noteSelected(ref, cats)
	if err != nil {
		return cats, o.noSuchCatalog(ctx, ref, err)
	}
	for _, c := range cats {
		o.hasTemplate = o.hasTemplate || c.Template != nil || c.Templates != nil
		for _, s := range o.supplies {
			c.SetSupply(s)
		}
		if o.missing != nil {
			c.ReplaceSupply(o.missing.supply.WithFirst(c.Supply))
		}
	}
	return cats, nil
}

// openBundleSources opens the references of --bundles and --catalog.
func (o *opener) openBundleSources(ctx context.Context) error {
	open := func(flag string, refs []string) (all []*catalogs.Catalog, err error) {
		for _, ref := range refs {
			o.progress.startReading(ctx, ref)
			options := open.Options{Progress: o.options.Progress, Platform: o.options.Platform, MaxSize: o.options.MaxSize, Insecure: o.options.Insecure}
			if images, err := open.Store(ctx, ref, options); images != nil && err == nil && flag == "--bundles" {
				o.supplies = append(o.supplies, images)
				continue
			}
			more, err := open.Open(ctx, ref, options)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", flag, err)
			}
			o.noteLinkedFolder(ref, more)
			if found, none := firstForeign(more); none {
				return nil, fmt.Errorf("%s: %w", flag, notCatalog(ref, found))
			}
			all = append(all, more...)
		}
		return all, nil
	}
	given, err := open("--bundles", o.bundles)
	if err != nil {
		return err
	}
	published, err := open("--catalog", o.templateSources)
	if len(given) > 0 {
		o.supplies = append(o.supplies, manifests.CatalogSupply(given))
	}
	o.options.Sources = slices.Concat(published, given)
	return err
}

// noteSelected reports, once, which catalogs in a folder are read that is none itself, and which are not.
func (o *opener) noteSelected(ref string, cats []*repo.Opened) {
	if len(cats) == 0 || cats[0].Selected+fmt.Sprint(cats[0].PassedOver) == o.notedSelected {
		return
	}
	c := cats[0].Catalog
	o.notedSelected = c.Selected + fmt.Sprint(c.PassedOver)
	if c.Selected != "" {
		o.logf("%s is not the folder of a catalog: only the catalogs in it are read: %s", ref, c.Selected)
	}
	if len(c.PassedOver) > 0 {
		o.logf("not read: %s; olmgraph lint %s reads the first", words.JoinSome(words.Map(c.PassedOver, catalogs.PassedOver.String), 3), subReference(ref, c.PassedOver[0].Path))
	}
}

// noteLinkedFolder reports, once for each reference, that the text of files behind a link in it is not shown.
func (o *opener) noteLinkedFolder(ref string, cats []*catalogs.Catalog) {
	if len(cats) == 0 || o.notedLinks[ref] {
		return
	}
	o.notedLinks[ref] = true
	if target := cats[0].Source.LinkedTo(ref); target != "" {
		o.logf("%[1]s is a link to %[2]s: text of files behind such a link is not shown; give %[2]s", ref, target)
	}
}

// openEach opens the references one after the other. With several references the names of catalogs begin with their reference.
func (o *opener) openEach(ctx context.Context, refs []string, options open.Options) iter.Seq2[[]*repo.Opened, error] {
	return func(yield func([]*repo.Opened, error) bool) {
		for _, ref := range refs {
			cats, err := o.openVersions(ctx, ref, options)
			for _, c := range cats {
				if len(refs) > 1 {
					c.Name = subReference(ref, c.Name)
				}
			}
			if !yield(cats, err) {
				return
			}
		}
	}
}

// openVersions opens the catalogs of a reference for the OpenShift versions of --ocp.
func (o *opener) openVersions(ctx context.Context, ref string, options open.Options) ([]*repo.Opened, error) {
	cats, err := o.open(ctx, ref, options)
	if err != nil {
		return cats, err
	}
	return o.selectVersions(ref, cats)
}

// selectVersions returns those of the catalogs of a reference that are for the OpenShift versions of --ocp.
func (o *opener) selectVersions(ref string, cats []*repo.Opened) ([]*repo.Opened, error) {
	wanted, err := o.versions.selectCatalogs(ref, repo.Catalogs(cats))
	return slices.DeleteFunc(cats, func(c *repo.Opened) bool { return !slices.Contains(wanted, c.Catalog) }), err
}

// openAll opens all references that can be opened; unopened is the error of the others.
func (o *opener) openAll(ctx context.Context, refs []string, options open.Options) (all []*repo.Opened, unopened error) {
	for cats, err := range o.openEach(ctx, refs, options) {
		all, unopened = append(all, cats...), errors.Join(unopened, err)
	}
	return all, unopened
}

// openFor opens the catalogs of a reference, reading only package pkg unless whole is set, pkg is "", or none of them has it.
// It warns of what may be missing from the answer, and returns an error if there is no catalog.
func (o *opener) openFor(ctx context.Context, ref, pkg string, whole bool) ([]*catalogs.Catalog, error) {
	options := o.options
	if !whole && ref != "-" { // standard input cannot be read again
		options.Package = pkg
	}
	share := func(options open.Options) ([]*repo.Opened, error) {
		cats, err := o.open(ctx, ref, options)
		if err != nil {
			return cats, err
		}
		if o.command.name != overviewName { // which counts what lint finds
			manifests.ShareManifests(repo.Catalogs(cats))
		}
		return o.selectVersions(ref, cats)
	}
	opened, err := share(options)
	if options.Package != "" && (errors.Is(err, open.ErrNoCatalog) || err == nil && len(withPackage(repo.Catalogs(opened), pkg)) == 0) {
		opened, err = share(o.options)
	}
	if err != nil {
		return nil, err
	}
	cats := repo.Catalogs(opened)
	return cats, o.checkIsCatalog(ref, cats, pkg)
}

// withPackage returns the catalogs that have the package pkg.
func withPackage(cats []*catalogs.Catalog, pkg string) []*catalogs.Catalog {
	var found []*catalogs.Catalog
	for _, c := range cats {
		if c.Package(pkg) != nil {
			found = append(found, c)
		}
	}
	return found
}

// preferWithChannels returns the catalogs that have the package pkg. Beside templates, bundle folders say nothing of upgrades.
func preferWithChannels(cats []*catalogs.Catalog, pkg string) []*catalogs.Catalog {
	found := withPackage(cats, pkg)
	if slices.ContainsFunc(found, func(c *catalogs.Catalog) bool { return c.Template != nil && len(c.Package(pkg).Channels) > 0 }) {
		found = slices.DeleteFunc(found, func(c *catalogs.Catalog) bool { return len(c.Package(pkg).Channels) == 0 })
	}
	return found
}

// openMerged is openFor without the packages of bundle folders of which templates beside them make the channels: an operator is one package.
func (o *opener) openMerged(ctx context.Context, ref, pkg string, whole bool) (all []*catalogs.Catalog, err error) {
	cats, err := o.openFor(ctx, ref, pkg, whole)
	for _, c := range cats {
		kept := slices.DeleteFunc(slices.Clone(c.Packages), func(p *catalogs.Package) bool { return !slices.Contains(preferWithChannels(cats, p.Name.Value), c) })
		switch {
		case len(kept) == len(c.Packages):
			all = append(all, c)
		case len(kept) > 0:
			one := *c
			one.Packages = kept
			one.Stats.Packages = len(kept)
			all = append(all, &one)
		}
	}
	return all, err
}

// onlyWithPackage returns the catalog that has the package pkg, which is an error if several have it.
func (o *opener) onlyWithPackage(cats []*catalogs.Catalog, ref, pkg string) (*catalogs.Catalog, *catalogs.Package, error) {
	found := preferWithChannels(cats, pkg)
	if len(found) > 1 {
		return nil, nil, o.severalCatalogs(fmt.Sprintf("package %q is in", pkg), ref, found, pkg)
	}
	return found[0], found[0].Package(pkg), o.inTemplates(ref, found[0].Package(pkg))
}

// openPackages opens the catalogs of a reference, of which at least one has a package. The package is the first of the arguments after the
// catalog, and can be left out if there is only one. It returns the name of the package and the arguments after it: with one that is neither a
// package nor like one, the package is left out only if further arguments are allowed.
func (o *opener) openPackages(ctx context.Context, ref string, args []string, further, whole bool) (cats []*catalogs.Catalog, name string, rest []string, err error) {
	if len(args) > 0 {
		name = args[0]
	}
	if cats, err = o.openFor(ctx, ref, name, whole); err != nil {
		return nil, "", nil, err
	}
	if len(args) > 0 && len(withPackage(cats, name)) > 0 {
		return cats, name, args[1:], nil
	}
	names := packageNames(cats)
	if pkg, channel, ok := strings.Cut(name, "/"); ok && o.command.takes.channel == "--channel" && slices.Contains(withChannel(channel, cats), pkg) {
		return nil, "", nil, suggestInstead(misusef("a channel is given by --channel"), name, pkg, "--channel", channel)
	}
	if one, others, several := strings.Cut(name, ","); several && slices.Contains(names, one) {
		return nil, "", nil, suggestInstead(misusef("%s takes one package, not also %s", o.command.name, others), name, one)
	}
	if len(names) != 1 && !o.command.takes.writes {
		if pkg, version, ok := o.likelyPackage(name, cats, further); ok && version != "" && further {
			return cats, pkg, append([]string{version}, args[1:]...), nil
		} else if ok && version == "" {
			return cats, pkg, args[1:], nil
		}
	}
	_, misspelt := words.Nearest(name, names)
	// If something could not be read, it may be the package.
	leftOut := name == "" || further && !misspelt && !o.incomplete
	switch {
	case len(names) == 1 && leftOut:
		return cats, names[0], args, nil
	case name == "":
		err := misusef("%s has several packages: name one of them", ref)
		for _, word := range o.given { // a bundle, as in --from, names its package
			_, bundle, _ := strings.Cut("="+word, "=")
			if pkg, _, ok := strings.Cut(bundle, ".v"); ok && slices.Contains(names, pkg) {
				return nil, "", nil, suggestInstead(err, ref, ref, pkg)
			}
		}
		return nil, "", nil, suggestCommand(err, listName, ref)
	}
	return nil, "", nil, o.noPackage(name, ref, cats)
}

// findBase returns the base ref of the catalogs of some references, and reports which commit that is.
func (o *opener) findBase(ctx context.Context, ref string, refs []string) (*openingBase, error) {
	b := &openingBase{opener: o, ref: ref}
	b.found, b.findErr = compare.FindBase(ctx, ref, refs, o.options)
	return b, b.report()
}

// report reports which commit a base is.
func (b *openingBase) report() error {
	if b.findErr == nil && b.found.Note != "" {
		b.opener.logf("base: %s", b.found.Note)
		b.description = b.found.Note
	}
	return baseError(b.findErr)
}

// baseError is the error of a base that was looked for.
func baseError(err error) error {
	if errors.Is(err, compare.ErrSeveralBases) {
		return misuse{err}
	}
	return err
}

// openingBase is a base that is being opened.
type openingBase struct {
	opener   *opener
	ref      string // as the user gave it
	found    compare.Base
	findErr  error
	catalogs []*repo.Opened
	folder   form.Folder // what it is, if it is a folder
	err      error
	done     chan struct{} // closed when the fields above are known
	cancel   context.CancelFunc

	description string            // of it, in reports
	removed     []compare.Removed // its catalogs without a counterpart
}

// beginBase begins to open the base ref of the catalogs of some references. Without references the base is exactly ref.
func (o *opener) beginBase(ctx context.Context, ref string, refs []string, options open.Options) *openingBase {
	ctx, cancel := context.WithCancel(ctx)
	b := &openingBase{opener: o, ref: ref, done: make(chan struct{}), cancel: cancel}
	options.ImageBundle, o.baseDone = func(ref string) *catalogs.Bundle { return o.imageBundle(ref, true) }, b.done
	options.Recognised, options.Templates = &b.folder, false
	go func() {
		defer close(b.done)
		if b.found, b.findErr = compare.FindBase(ctx, ref, refs, options); b.findErr == nil {
			b.catalogs, b.err = open.Catalogs(ctx, b.found.Ref, options)
			o.missing.allow(b.catalogs)
		}
	}()
	return b
}

// asFolder returns the folder that the base is, once it is open. A file-based catalog that is none is one without other forms, as is standard input,
// which may never end.
func (b *openingBase) asFolder() form.Folder {
	if b.ref == "-" {
		return form.Folder{Form: form.AnyFolder}
	}
	<-b.done
	if b.folder.Form == "" && slices.ContainsFunc(b.catalogs, func(c *repo.Opened) bool { return c.Form == catalogs.FileBased }) {
		return form.Folder{Form: form.AnyFolder}
	}
	return b.folder
}

// matchesRefs reports whether each reference is what a folder of the base is now.
func (b *openingBase) matchesRefs(refs []string) bool {
	return b.folder.Source != nil && !slices.ContainsFunc(refs, func(ref string) bool {
		place, part := b.found.Locate(ref)
		return place == compare.Elsewhere || place == compare.Part && !source.IsDir(b.folder.Source.Fsys, part)
	})
}

// end ends the opening, if nobody has waited for it. What is open stays so.
func (b *openingBase) end() {
	select {
	case <-b.done:
	default:
		b.cancel()
		if b.ref != "-" { // a read of standard input cannot be cancelled
			<-b.done
		}
	}
}

// isNew reports whether the base could not be opened since it does not have its path yet, and notes it.
func (b *openingBase) isNew(ctx context.Context, err error) bool {
	if err == nil || !b.found.IsNew(ctx, err) {
		return false
	}
	b.opener.logf("base: %s has no catalog yet: every package is new", b.found.Ref)
	return true
}

// openPairs pairs catalogs with those of their base, and reads the packages that differ.
func (b *openingBase) openPairs(ctx context.Context, refs []string, cats []*repo.Opened) ([]compare.Pair, error) {
	<-b.done
	o := b.opener
	if err := b.report(); err != nil {
		return nil, fmt.Errorf("base: %w", err)
	}
	base, err := o.finishOpen(ctx, b.found.Ref, b.catalogs, b.err)
	isNew := b.isNew(ctx, err)
	if err == nil {
		err = requireEdges(b.ref, repo.Catalogs(base)...)
	}
	if err != nil && !isNew {
		return nil, fmt.Errorf("base: %w", err)
	}
	templates, err := open.BaseTemplates(ctx, b.folder, cats, o.options)
	if err != nil {
		return nil, fmt.Errorf("base: %w", err)
	}
	pairs, alone := compare.Pairs(ctx, cats, append(base, templates...), b.matchesRefs(refs))
	if err := b.setUnpaired(ctx, refs, pairs, alone, isNew); err != nil {
		return nil, err
	}
	for i := range pairs {
		if err := pairs[i].Read(ctx); err != nil {
			return nil, err
		}
	}
	_, noneNow := firstForeign(repo.Catalogs(cats))
	if found, none := firstForeign(repo.Catalogs(base)); none && !noneNow {
		return nil, fmt.Errorf("base: %w", notCatalog(b.ref, found))
	}
	if err := readElsewhere(ctx, pairs, b.found.Ref, o.options); err != nil {
		return nil, err
	}
	return pairs, nil
}

// setUnpaired sets the catalogs of the base that have no counterpart, and notes what is not compared: what is new, and what was not asked for. If the
// base is new, that of each catalog is empty.
func (b *openingBase) setUnpaired(ctx context.Context, refs []string, pairs []compare.Pair, alone []*repo.Opened, isNew bool) error {
	var fresh, notAsked []string
	for i := range pairs {
		if isNew {
			pairs[i].Base = &catalogs.Catalog{}
		}
		if pairs[i].Base == nil {
			b.opener.logf("the base has no catalog to compare catalog %q with", pairs[i].Now.Name)
			fresh = append(fresh, strconv.Quote(cmp.Or(pairs[i].Now.Name, pairs[i].Now.Pos().File)))
		}
	}
	for _, c := range alone {
		has, err := c.HasPackage(ctx, nil)
		switch {
		case err != nil:
			return err
		case !b.isSelected(refs, c):
			notAsked = append(notAsked, strconv.Quote(cmp.Or(c.Name, c.Pos().File)))
		case has:
			pos := catalogs.Pos{File: strings.TrimPrefix(subReference(refs[0], c.Name), "./")}
			b.removed = append(b.removed, compare.Removed{Base: c.Catalog, Pos: pos, WithPackages: compare.AreRemoved(ctx, c, pairs)})
		}
	}
	b.noteCompared("all is new in %s, which it does not have", fresh)
	b.noteCompared("not compared with %s of it, for which nobody asked", notAsked)
	return nil
}

// noteRemoved reports the catalogs of the base without a counterpart.
func (b *openingBase) noteRemoved() {
	for _, r := range b.removed {
		b.opener.logf("catalog %q of the base has no counterpart: it is not compared", r.Base.Name)
	}
}

// isSelected reports whether a catalog of the base is one of those that were asked for, by --ocp and the references.
func (b *openingBase) isSelected(refs []string, c *repo.Opened) bool {
	at := c.Name
	if s := b.folder.Source; s != nil && c.Source != nil && c.Source.Prefix != s.Prefix {
		at = s.Path(c.Source.Prefix)
	}
	return b.opener.versions.covers(c.OpenShift) && slices.ContainsFunc(refs, func(ref string) bool { return b.found.Covers(ref, at) })
}

// noteCompared adds to what is said of the base.
func (b *openingBase) noteCompared(format string, names []string) {
	if len(names) > 0 {
		b.description = cmp.Or(b.description, b.found.Ref) + "; " + fmt.Sprintf(format, words.Plural(len(names), "catalog ", "catalogs ")+words.And(names))
	}
}

// references returns a reference for each of several catalogs that ref contains.
func references(ref string, cats []*catalogs.Catalog) []string {
	return words.Map(cats, func(c *catalogs.Catalog) string { return subReference(ref, c.Name) })
}

// readsStdinTwice reports whether more than one reference is standard input.
func readsStdinTwice(refs ...string) bool {
	n := 0
	for _, ref := range refs {
		if ref == "-" {
			n++
		}
	}
	return n > 1
}

var errStdinTwice = misusef("standard input can be read once: give - only once")

// readElsewhere reads packages that the base publishes elsewhere than in the catalogs of the pairs: for other OpenShift versions, or by
// bundle folders.
func readElsewhere(ctx context.Context, pairs []compare.Pair, base string, options open.Options) error {
	var repository []*repo.Opened
	opened := false
	for i := range pairs {
		p := &pairs[i]
		if err := p.ReadElsewhere(ctx); err != nil {
			return err
		}
		folders := besideCatalogs.ReplaceAllString(base, "${1}operators")
		if !p.OnlyInFolders() || !p.HasFolders() && folders == base {
			continue
		}
		if !opened && !p.HasFolders() {
			options.Deferred, opened = true, true
			repository, _ = open.Catalogs(ctx, folders, options) // without it, all of the package is new
		}
		if err := p.ReadFolders(ctx, repository); err != nil {
			return err
		}
	}
	return nil
}

// besideCatalogs matches the folder of the catalogs in a catalog repository, or one of them.
var besideCatalogs = regexp.MustCompile(`^(|.*[:/])catalogs(/[^/:]+)?/?$`)
