package catalogs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/registryadd"
)

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
	first := p.origin[c.Pruned[0].By].csv.name
	do, them := "do", fmt.Sprintf("%d bundles", len(lost))
	if len(by) == 1 {
		do = "does"
	}
	if len(lost) == 1 {
		them = "a bundle"
	}
	last := p.catalog.addProblem(RegistryPruned, first.Pos, p.pkg.Name.Value, first.Value,
		"opm registry add removes %s from channel %q, which %s %s not lead to: %s", them, c.Name, quoted(by), do, quoted(lost))
	last.Cause = append([]string{c.Name}, lost...)
}

// quoted lists names, the first few of many.
func quoted(names []string) string {
	shown := names
	if len(names) > 4 {
		shown = names[:3]
	}
	all := make([]string, 0, len(shown))
	for _, name := range shown {
		all = append(all, fmt.Sprintf("%q", name))
	}
	switch n := len(all); {
	case n < len(names):
		return fmt.Sprintf("%s and %d more", strings.Join(all, ", "), len(names)-n)
	case n > 1:
		return strings.Join(all[:n-1], ", ") + " and " + all[n-1]
	}
	return strings.Join(all, "")
}

// reportRefused reports the bundles that opm registry add refuses. Those that it refuses because they replace a refused one are named
// with that.
func (p *bundlePackageBuilder) reportRefused(published *registryadd.Package) {
	byName := map[string]*registryadd.Refusal{}
	for i := range published.Refused {
		r := &published.Refused[i]
		if name := p.added[r.Bundle].Name; byName[name] == nil {
			byName[name] = r
		}
	}
	followers := map[*registryadd.Refusal][]string{}
	for i := range published.Refused {
		if r := &published.Refused[i]; firstRefused(byName, r) != r {
			followers[firstRefused(byName, r)] = append(followers[firstRefused(byName, r)], p.added[r.Bundle].Name)
		}
	}
	for i := range published.Refused {
		if r := &published.Refused[i]; firstRefused(byName, r) == r {
			p.reportRefusal(r, followers[r])
		}
	}
}

// firstRefused follows refusals to the bundle because of which the others are refused.
func firstRefused(byName map[string]*registryadd.Refusal, r *registryadd.Refusal) *registryadd.Refusal {
	met := map[*registryadd.Refusal]bool{}
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

func (p *bundlePackageBuilder) reportRefusal(r *registryadd.Refusal, followers []string) {
	from, added := &p.origin[r.Bundle], &p.added[r.Bundle]
	if r.Reason == registryadd.NoDefault {
		p.reportNoDefault(r.Bundle)
		return
	}
	pos, why, fix := from.refusal(r)
	message := fmt.Sprintf("opm registry add refuses %q: %s", added.Name, why)
	if len(followers) > 0 {
		message += fmt.Sprintf("; so it also refuses %s", quoted(followers))
	}
	last := p.catalog.addProblem(RegistryRefused, pos, p.pkg.Name.Value, added.Name, "%s", message)
	last.Cause, last.Fix = []string{fmt.Sprint(int(r.Reason)), r.Name, r.Channel}, fix
}

func (p *bundlePackageBuilder) reportNoDefault(bundle int) {
	last := p.catalog.addProblem(ManifestAnnotations, p.origin[bundle].channels.Pos, p.pkg.Name.Value, p.added[bundle].Name,
		"the bundle is in %d channels, and neither it nor a lower version names a default one: opm registry add refuses it", len(p.added[bundle].Channels))
	last.Cause, last.Fix = []string{annotationDefault}, "name one of them in the annotation "+annotationDefault
}

// refusal returns where the reason is that a bundle is refused, the reason, and what to do.
func (o *bundleOrigin) refusal(r *registryadd.Refusal) (pos Pos, why, fix string) {
	name := o.csv.name.Pos
	switch r.Reason {
	case registryadd.NameTaken:
		return name, "another bundle of the package has that name", "keep one of them; a rebuilt bundle needs a new version and a new name"
	case registryadd.VersionSyntax:
		return knownPos(o.csv.version.Pos, name), "its version is not a semantic version", "set spec.version to a semantic version"
	case registryadd.SameVersion:
		return knownPos(o.csv.version.Pos, name), fmt.Sprintf("%q has the same version", r.Name), "give one of them another version"
	case registryadd.RepeatedChannel:
		return o.channels.Pos, fmt.Sprintf("its annotation names channel %q twice", r.Channel), "name each channel once"
	case registryadd.DefaultMissing:
		return knownPos(o.defaultChannel.Pos, o.annotations), fmt.Sprintf("its default channel %q does not exist when it is added", r.Channel),
			"name a channel of the package in the annotation " + annotationDefault
	case registryadd.ReplacesMissing:
		return knownPos(o.csv.replaces.Pos, name), fmt.Sprintf("it replaces %q, which is not in the catalog", r.Name), "replace a version that is in the catalog"
	case registryadd.Cycle:
		return knownPos(o.csv.replaces.Pos, name), fmt.Sprintf("it leads to %q again", r.Name), "replace a lower version"
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

// knownPos returns the first position if it is known, else the second.
func knownPos(a, b Pos) Pos {
	if a.Known() {
		return a
	}
	return b
}
