package manifests

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/form"
	"github.com/olmgraph/olmgraph/catalogs/pipelineconfig"
	"github.com/olmgraph/olmgraph/catalogs/registryadd"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// addBundles adds the bundles that belong to a catalog, and the channels that their annotations name. published are those that its base
// has, by BundleKey; nil without a base.
func addBundles(c *catalogs.Catalog, found []*bundleFolder, from *DeferredFolders, published map[string]bool) {
	packages := map[string]*bundlePackageBuilder{}
	excluded, beside, elsewhere := map[string]bool{}, map[string]catalogs.Text{}, map[string][]*catalogs.Bundle{}
	for _, b := range found {
		beside[path.Join(path.Dir(b.Dir), b.firstCSV())] = b.pkg
		if !from.belongs(b, c) {
			for i := range b.Csvs {
				excluded[BundleKey(b.pkg.Value, b.Csvs[i].Name.Value)] = true
			}
			if len(b.Csvs) > 0 {
				elsewhere[b.pkg.Value] = append(elsewhere[b.pkg.Value], b.inOtherVersions())
			}
			continue
		}
		c.Problems = append(c.Problems, b.Problems...)
		if from.countsIn(b, c) {
			form.Count(c, &b.FileReader)
		}
		if b.pkg.Value == "" && b.Lost.Has(catalogs.AnnotationPackage) {
			continue
		}
		if b.pkg.Value == "" {
			c.AddProblem(catalogs.ManifestAnnotations, b.annotationsPos, "", "", "the bundle does not name its package: annotation %s", catalogs.AnnotationPackage).Cause = []string{catalogs.AnnotationPackage}
			continue
		}
		mode := from.UpdateMode(path.Dir(b.Dir))
		b.FileBased = mode == pipelineconfig.TemplateMode
		p := packages[b.pkg.Value]
		if p == nil {
			p = &bundlePackageBuilder{packageBuilder: &packageBuilder{Catalog: c, Pkg: &catalogs.Package{Name: b.pkg, Pos: b.pkg.Pos}, ByName: map[string]*csvObject{}},
				mode: mode, publishedIn: from.publishedMode(path.Dir(b.Dir)), alone: c.Form == catalogs.BundleFolder, published: published, excluded: excluded, beside: beside}
			if c.OtherVersions {
				p.mode = pipelineconfig.TemplateMode
			}
			packages[b.pkg.Value] = p
			c.Packages = append(c.Packages, p.Pkg)
		}
		p.add(b)
	}
	for name, p := range packages {
		p.Pkg.Elsewhere = elsewhere[name]
		p.channels()
	}
	filter := form.PackageFilter(from.Options.Package)
	c.Packages = slices.DeleteFunc(c.Packages, func(p *catalogs.Package) bool { return !filter.Matches(p.Name.Value) })
	form.Finish(c, filter)
}

// bundlePackageBuilder builds a package of bundles that name its channels.
type bundlePackageBuilder struct {
	*packageBuilder
	mode string
	// publishedIn is the mode in which the base's bundles were published.
	publishedIn string
	alone       bool                     // the bundle is not in a repository with those that it upgrades
	published   map[string]bool          // that the base has, by BundleKey; nil without a base
	excluded    map[string]bool          // that do not support the OpenShift version of the catalog, by BundleKey
	beside      map[string]catalogs.Text // the packages of bundles, by the folder of the operator and name
	added       []registryadd.Bundle
	origin      []bundleOrigin // of those added
}

// bundleOrigin is where a bundle comes from that is added.
type bundleOrigin struct {
	csv                           *csvObject
	pkg, channels, defaultChannel catalogs.Text
	annotations                   catalogs.Pos
	operator                      string // its folder
}

func (p *bundlePackageBuilder) add(b *bundleFolder) {
	p.packageBuilder.add(b.manifestFolder)
	if len(b.Csvs) == 0 {
		return
	}
	c := &b.Csvs[0]
	add := registryadd.Bundle{Name: c.Name.Value, Version: c.version.Value, Replaces: c.replaces.Value, DefaultChannel: b.defaultChannel.Value,
		Published: p.published[BundleKey(b.pkg.Value, c.Name.Value)]}
	for _, skip := range c.skips {
		add.Skips = append(add.Skips, skip.Value)
	}
	for name := range strings.SplitSeq(b.channels.Value, ",") {
		if name != "" {
			add.Channels = append(add.Channels, name)
		}
	}
	if len(add.Channels) == 0 && !b.Lost.Has(catalogs.AnnotationChannels) {
		p.Catalog.AddProblem(catalogs.ManifestAnnotations, b.annotationsPos, b.pkg.Value, c.Name.Value, "the bundle names no channel: annotation %s", catalogs.AnnotationChannels).Cause = []string{catalogs.AnnotationChannels}
	}
	p.added = append(p.added, add)
	p.origin = append(p.origin, bundleOrigin{csv: c, pkg: b.pkg, channels: b.channels, defaultChannel: b.defaultChannel, annotations: b.annotationsPos, operator: path.Dir(b.Dir)})
}

// channels builds the channels as opm registry add publishes them, sorted by name. A bundle alone has those that it names.
func (p *bundlePackageBuilder) channels() {
	switch {
	case p.mode == pipelineconfig.TemplateMode:
		return
	case p.alone:
		p.channelsOfOne()
		return
	}
	for i := range p.added {
		b := &p.added[i]
		b.Ends = (p.published == nil || b.Published) && p.excludes(b.Replaces)
	}
	published := registryadd.Publish(registryAddModes[p.publishedIn], registryAddModes[p.mode], p.added)
	for i := range published.Channels {
		p.channel(&published.Channels[i], published.Order)
	}
	p.setDefault(published.DefaultChannel, published.Order)
	p.reportRejected(published)
}

// excludes reports whether a bundle is in the package, and does not support the OpenShift version of the catalog.
func (p *bundlePackageBuilder) excludes(name string) bool {
	return p.excluded[BundleKey(p.Pkg.Name.Value, name)]
}

// registryAddModes are the modes of opm registry add by those of a ci.yaml.
var registryAddModes = map[string]registryadd.Mode{pipelineconfig.SemverMode: registryadd.SemVer, pipelineconfig.SkipPatchMode: registryadd.SkipPatch}

// channelsOfOne builds the channels of a single bundle, of which the catalog is not known.
func (p *bundlePackageBuilder) channelsOfOne() {
	for i, b := range p.added {
		from := &p.origin[i]
		p.Pkg.DefaultChannel = from.defaultChannel
		for _, name := range slices.Compact(slices.Sorted(slices.Values(b.Channels))) {
			p.Pkg.Channels = append(p.Pkg.Channels, &catalogs.Channel{Name: catalogs.Text{Value: name, Pos: from.channels.Pos}, Package: p.Pkg.Name,
				Pos: from.channels.Pos, Entries: []catalogs.Entry{from.csv.entry()}})
		}
		switch {
		case from.defaultChannel.Value != "":
		case len(p.Pkg.Channels) == 1:
			p.Pkg.DefaultChannel = p.Pkg.Channels[0].Name
		case len(p.Pkg.Channels) > 1:
			p.reportNoDefault(i)
		}
	}
}

// channel adds a published channel. It is where the highest of the added versions names it.
func (p *bundlePackageBuilder) channel(c *registryadd.Channel, added []int) {
	ch := &catalogs.Channel{Name: catalogs.Text{Value: c.Name}, Package: p.Pkg.Name}
	for _, b := range added {
		if slices.Contains(p.added[b].Channels, c.Name) && (b == c.Head || !ch.Name.Pos.IsKnown()) {
			ch.Name.Pos = p.origin[b].channels.Pos
		}
	}
	ch.Pos = ch.Name.Pos
	for _, e := range c.Entries {
		ch.Entries = append(ch.Entries, p.origin[e.Bundle].csv.publishedEntry(e))
	}
	p.Pkg.Channels = append(p.Pkg.Channels, ch)
	p.reportPruned(c)
}

// publishedEntry returns the entry of a CSV with the edges that it was published with, which are where the CSV has them or else at its name.
func (c *csvObject) publishedEntry(e registryadd.Entry) catalogs.Entry {
	at := func(name string) catalogs.Text { return catalogs.Text{Value: name, Pos: c.Name.Pos} }
	entry := catalogs.Entry{Name: c.Name, SkipRange: c.skipRange, Pos: c.Name.Pos}
	switch {
	case e.Replaces == c.replaces.Value:
		entry.Replaces = c.replaces
	case e.Replaces != "":
		entry.Replaces = at(e.Replaces)
	}
	for _, name := range e.Skips {
		if i := slices.IndexFunc(c.skips, func(t catalogs.Text) bool { return t.Value == name }); i >= 0 {
			entry.Skips = append(entry.Skips, c.skips[i])
		} else {
			entry.Skips = append(entry.Skips, at(name))
		}
	}
	return entry
}

// setDefault sets the default channel, which is where the highest version names it.
func (p *bundlePackageBuilder) setDefault(name string, added []int) {
	p.Pkg.DefaultChannel = catalogs.Text{Value: name}
	var from *catalogs.Bundle
	for _, b := range added {
		bundle := p.Pkg.Bundles[b]
		if p.added[b].DefaultChannel == name && (from == nil || compareBundles(bundle, from) > 0) {
			from, p.Pkg.DefaultChannel = bundle, p.origin[b].defaultChannel
		}
	}
	if ch := p.Pkg.Channel(name); from == nil && ch != nil {
		p.Pkg.DefaultChannel = ch.Name
	}
}

// compareBundles orders by version, those without one first, then by name.
func compareBundles(a, b *catalogs.Bundle) int {
	switch v, w := a.Semver(), b.Semver(); {
	case v != nil && w != nil:
		return cmp.Or(v.Compare(*w), strings.Compare(a.Name.Value, b.Name.Value))
	case v != nil:
		return 1
	case w != nil:
		return -1
	}
	return strings.Compare(a.Name.Value, b.Name.Value)
}

// reportPruned reports the bundles that were in a channel, and that a higher version removed from it.
func (p *bundlePackageBuilder) reportPruned(c *registryadd.Channel) {
	if len(c.Pruned) == 0 {
		return
	}
	var lost, by []string
	for _, pruned := range c.Pruned {
		lost = append(lost, p.added[pruned.Bundle].Name)
		if name := p.added[pruned.By].Name; !slices.Contains(by, name) {
			by = append(by, name)
		}
	}
	first := p.origin[c.Pruned[0].By].csv.Name
	do, them := "do", fmt.Sprintf("%d bundles", len(lost))
	if len(by) == 1 {
		do = "does"
	}
	if len(lost) == 1 {
		them = "a bundle"
	}
	last := p.Catalog.AddProblem(catalogs.RegistryPruned, first.Pos, p.Pkg.Name.Value, first.Value,
		"opm registry add removes %s from channel %q, which %s %s not lead to: %s", them, c.Name, words.QuoteSome(by), do, words.QuoteSome(lost))
	last.Cause = append([]string{c.Name}, lost...)
	head := p.origin[c.Head].csv
	last.ByRange = c.Pruned[0].By == c.Head && !p.added[c.Head].Published && head.skipRange.Value != "" && head.replaces.Value == ""
}

// reportRejected reports the bundles that opm registry add rejects. Those that it rejects because they replace a rejected one are named
// with that.
func (p *bundlePackageBuilder) reportRejected(published *registryadd.Package) {
	byName := map[string]*registryadd.Rejection{}
	for i := range published.Rejected {
		r := &published.Rejected[i]
		if name := p.added[r.Bundle].Name; byName[name] == nil {
			byName[name] = r
		}
	}
	followers := map[*registryadd.Rejection][]string{}
	for i := range published.Rejected {
		if r := &published.Rejected[i]; firstRejected(byName, r) != r {
			followers[firstRejected(byName, r)] = append(followers[firstRejected(byName, r)], p.added[r.Bundle].Name)
		}
	}
	for i := range published.Rejected {
		if r := &published.Rejected[i]; firstRejected(byName, r) == r {
			p.reportRejection(r, followers[r])
		}
	}
}

// firstRejected follows rejections to the bundle because of which the others are rejected.
func firstRejected(byName map[string]*registryadd.Rejection, r *registryadd.Rejection) *registryadd.Rejection {
	met := map[*registryadd.Rejection]bool{}
	for at := r; ; {
		next := byName[at.Name]
		if met[at] = true; at.Reason != registryadd.ReplacesMissing || next == nil {
			return at
		}
		if met[next] { // they replace each other
			return r
		}
		at = next
	}
}

func (p *bundlePackageBuilder) reportRejection(r *registryadd.Rejection, followers []string) {
	from, added := &p.origin[r.Bundle], &p.added[r.Bundle]
	switch r.Reason {
	case registryadd.NoDefault:
		if len(added.Channels) > 0 { // else that is reported
			p.reportNoDefault(r.Bundle)
		}
		return
	case registryadd.VersionSyntax:
		return // the rule on versions says so
	case registryadd.DefaultMissing:
		if len(added.Channels) == 0 {
			return // it names no channel: that is reported
		}
	}
	pos, why, fix := from.rejection(r)
	if r.Reason == registryadd.ReplacesMissing && p.excludes(r.Name) {
		why = fmt.Sprintf("it replaces %q, which does not support OpenShift %s", r.Name, p.Catalog.OpenShift)
		fix = "let it support no OpenShift version that the replaced bundle does not: annotation " + catalogs.OpenShiftAnnotation
	} else if other := p.beside[path.Join(from.operator, r.Name)]; r.Reason == registryadd.ReplacesMissing && other.Value != "" && other.Value != from.pkg.Value {
		pos, fix = from.pkg.Pos, "write "+other.Value+", or replace a bundle of its own package"
		why = fmt.Sprintf("it is of the package %q, but %q, which it replaces, is of the package %q", from.pkg.Value, r.Name, other.Value)
	} else if r.Reason == registryadd.ReplacesMissing {
		fix = cmp.Or(p.replacesFix(r), fix)
	}
	if near, ok := words.NearestVersioned(r.Channel, added.Channels); ok && r.Reason == registryadd.DefaultMissing {
		if fix = "write " + near; slices.Contains(usualChannels, r.Channel) && !slices.Contains(usualChannels, near) {
			pos, fix = from.channels.Pos, "write "+r.Channel
		}
	}
	message := fmt.Sprintf("opm registry add rejects %q: %s", added.Name, why)
	if len(followers) > 0 {
		message += fmt.Sprintf("; so it also rejects %s", words.QuoteSome(followers))
	}
	last := p.Catalog.AddProblem(catalogs.RegistryRejected, pos, p.Pkg.Name.Value, added.Name, "%s", message)
	last.Cause, last.Fix = []string{r.Reason.String(), r.Name, r.Channel}, fix
}

// usualChannels are names of channels that are not misspelt.
var usualChannels = []string{"alpha", "beta", "candidate", "fast", "preview", "stable"}

// replacesFix names the bundle that a missing one probably means, or else the next lower version in one of the channels; "" if there is none.
func (p *bundlePackageBuilder) replacesFix(r *registryadd.Rejection) string {
	var names []string
	lower, channels := "", p.added[r.Bundle].Channels
	for i, b := range p.added {
		if i == r.Bundle {
			continue
		}
		names = append(names, b.Name)
		if CompareFolderVersions(b.Version, p.added[r.Bundle].Version) < 0 && slices.ContainsFunc(b.Channels, func(c string) bool { return slices.Contains(channels, c) }) &&
			(lower == "" || CompareFolderVersions(b.Version, lower) > 0) {
			lower = b.Version
		}
	}
	if near, ok := words.NearestVersioned(r.Name, names); ok {
		return "write " + near
	}
	if i := slices.IndexFunc(p.added, func(b registryadd.Bundle) bool { return lower != "" && b.Version == lower }); i >= 0 {
		return fmt.Sprintf("replace a version that is in the catalog, as %s, the next lower one", p.added[i].Name)
	}
	if lower == "" {
		return fmt.Sprintf("remove replaces: %s, since no lower version is in its channel, or restore that bundle", r.Name)
	}
	return ""
}

func (p *bundlePackageBuilder) reportNoDefault(bundle int) {
	last := p.Catalog.AddProblem(catalogs.ManifestAnnotations, p.origin[bundle].channels.Pos, p.Pkg.Name.Value, p.added[bundle].Name,
		"the bundle is in %d channels, and neither it nor a lower version names a default one: opm registry add rejects it", len(p.added[bundle].Channels))
	last.Cause, last.Fix = []string{catalogs.AnnotationDefault}, "name one of them in the annotation "+catalogs.AnnotationDefault
}

// rejection returns where the reason is that a bundle is rejected, the reason, and what to do.
func (o *bundleOrigin) rejection(r *registryadd.Rejection) (pos catalogs.Pos, why, fix string) {
	name := o.csv.Name.Pos
	switch r.Reason {
	case registryadd.NameTaken:
		return name, "another bundle of the package has that name", "keep one of them; a rebuilt bundle needs a new version and a new name"
	case registryadd.SameVersion:
		return catalogs.KnownPos(o.csv.version.Pos, name), fmt.Sprintf("%q has the same version", r.Name), "give one of them another version"
	case registryadd.RepeatedChannel:
		return o.channels.Pos, fmt.Sprintf("its annotation names channel %q twice", r.Channel), "name each channel once"
	case registryadd.DefaultMissing:
		return catalogs.KnownPos(o.defaultChannel.Pos, o.annotations), fmt.Sprintf("its default channel %q does not exist when it is added", r.Channel),
			"name a channel of the package in the annotation " + catalogs.AnnotationDefault
	case registryadd.ReplacesMissing:
		return catalogs.KnownPos(o.csv.replaces.Pos, name), fmt.Sprintf("it replaces %q, which is not in the catalog", r.Name), "replace a version that is in the catalog"
	case registryadd.Cycle:
		return catalogs.KnownPos(o.csv.replaces.Pos, name), fmt.Sprintf("it leads to %q again", r.Name), "replace a lower version"
	case registryadd.SkippedBefore:
		return name, "a lower version replaces or skips it", "let no lower version name it"
	case registryadd.HeadSkipped:
		return name, fmt.Sprintf("%q, the head of channel %q, is skipped by a version in it", r.Name, r.Channel), "remove it from skips"
	case registryadd.InvalidGraph:
		return name, fmt.Sprintf("the patches that it skips are the only link to the lower versions of channel %q", r.Channel),
			"use updateGraph: semver-mode in ci.yaml"
	}
	return name, fmt.Sprintf("%q, the head of channel %q, does not lead to it", r.Name, r.Channel), "let the head skip it, or leave that channel out"
}
