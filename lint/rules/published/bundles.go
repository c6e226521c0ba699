package published

import (
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/memo"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/edges"
)

// checkBundleChanged reports once per package changed images and once changed versions: a rebuilt catalog changes all of its
// images. Heads that were built again are an info: most are not released yet.
func checkBundleChanged(p *lint.Pass) {
	var image, rebuilt, version changedObjects
	example := map[*changedObjects]string{}
	for _, b := range p.Package.Bundles {
		was := p.BasePackage.Bundle(b.Name.Value)
		if was == nil || p.Package.Bundle(b.Name.Value) != b {
			continue
		}
		to := &image
		if isRebuilt(b.Image.Value, was.Image.Value) && contents.HeadSet(p)[b] {
			to = &rebuilt
		}
		for _, one := range []struct {
			to      *changedObjects
			is, was catalogs.Text
		}{{to, b.Image, was.Image}, {&version, b.Version, was.Version}} {
			if one.is.Value != one.was.Value && !isSameImage(one.is.Value, one.was.Value) && one.is.Value != "" && one.was.Value != "" { // not known of bundle folders and templates
				one.to.add(b.Name.Value, b.Name.Value, catalogs.KnownPos(one.is.Pos, b.Pos), catalogs.KnownPos(one.was.Pos, was.Pos))
				if example[one.to] == "" {
					example[one.to] = fmt.Sprintf("%q, was %q", one.is.Value, one.was.Value)
				}
			}
		}
	}
	for _, one := range []struct {
		*changedObjects
		what     string
		severity lint.Severity
	}{{&image, "image", lint.Warning}, {&rebuilt, "image", lint.Info}, {&version, "version", lint.Warning}} {
		if len(one.names) > 0 {
			f := bundleChanged(one.changedObjects, one.what, example[one.changedObjects])
			f.Severity = one.severity
			for _, name := range one.names {
				f.Changes = append(f.Changes, one.what+"/"+name)
			}
			p.Report(f)
		}
	}
}

// isRebuilt reports whether two pull specs differ in their digests alone.
func isRebuilt(is, was string) bool {
	a, _, byDigest := strings.Cut(is, "@")
	b, _, wasByDigest := strings.Cut(was, "@")
	return a == b && byDigest && wasByDigest
}

// isSameImage reports whether two pull specs have the same digest: a mirror of the image.
func isSameImage(is, was string) bool {
	_, a, byDigest := strings.Cut(is, "@")
	_, b, _ := strings.Cut(was, "@")
	return byDigest && a == b
}

func bundleChanged(c *changedObjects, what, example string) lint.Finding {
	n := len(c.names)
	return lint.Finding{
		Subject: lint.Subject{Bundle: c.names[0]},
		Cause:   []string{what},
		Faults:  c.each,
		Pos:     c.now[0],
		Message: fmt.Sprintf("%s %s a different %s than was published under %s (%s): clusters that have %s installed keep the old content",
			words.QuoteSome(c.names), words.Plural(n, "has", "have"), what, words.Plural(n, "that name", "these names"), example, words.Plural(n, "it", "them")),
		Fix:     fmt.Sprintf("restore the %s, and publish the new content as a bundle of a new version", what),
		Details: c.details(),
		Related: []lint.Related{{Pos: c.was[0], Message: "as it was published"}},
	}
}

// removedEntries are entries that were removed from a channel, and that the same entry could upgrade.
type removedEntries struct {
	change   *graph.Change
	fixEntry int
	lost     []int
}

// checkBundleRemoved reports removed entries that are not upgraded any more, those that are removed from several channels together once. Heads
// are left to published/head-back. A bundle alone, which takes the place of the one before in the repository of its operator, removes none from a
// catalog: it may forget one, unless it has no edges, as where the catalog orders versions.
func checkBundleRemoved(p *lint.Pass) {
	var all memo.Groups[string, removedEntries]
	eachChanged(func(_ *lint.Pass, c *graph.Change) {
		for fix, lost := range removedFrom(c).All() {
			slices.Sort(lost)
			all.Add(strings.Join(append(c.Base.Names(lost), c.Now.Name(fix)), "\x00"), removedEntries{c, fix, lost})
		}
	})(p)
	for _, same := range all.All() {
		var changes []*graph.Change
		for _, r := range same {
			changes = append(changes, r.change)
		}
		f := same[0].finding(changedChannels(changes))
		if p.Catalog.Form == catalogs.BundleFolder {
			e := &same[0].change.Now.Channel.Entries[same[0].fixEntry]
			if e.Replaces.Value == "" && len(e.Skips) == 0 && e.SkipRange.Value == "" {
				continue
			}
			f.Severity, f.Gates = lint.Warning, lint.GateAdvice
		}
		listAgain(p, &f, f.Faults)
		p.Report(f)
	}
}

// removedFrom returns the removed entries of a channel, by the entry that could upgrade them.
func removedFrom(c *graph.Change) *memo.Groups[int, int] {
	var all memo.Groups[int, int]
	head, back := headMovedBack(c)
	for _, loss := range c.Strandings() {
		if !loss.Removed || back && loss.At == c.Base.Name(head) {
			continue
		}
		for _, lost := range loss.Stranded {
			all.Add(loss.FixEntry, lost)
		}
	}
	return &all
}

// finding returns the finding about the entries.
func (r *removedEntries) finding(channels []string) lint.Finding {
	c, n := r.change, len(r.lost)
	names := c.Base.Names(r.lost)
	f := edges.AtEntry(c.Now, r.fixEntry)
	f.Bundle = names[0]
	f.Cause, f.Faults = []string{c.Now.Name(r.fixEntry)}, names
	if len(channels) > 1 {
		f.Channel = ""
	}
	f.Gates = strandedGates(c, r.lost)
	f.Message = fmt.Sprintf("%s %s removed from %s, and nothing upgrades %s: users on %s are never upgraded",
		words.QuoteSome(names), words.Plural(n, "is", "are"), channelNames(channels), words.Plural(n, "it", "them"), words.Plural(n, "it", "one of them"))
	if e, ok := c.Base.Next(r.lost[n-1]); ok {
		f.Message += fmt.Sprintf("; %q was upgraded to %q", names[n-1], c.Base.Name(e.To))
	}
	takeOver(&f, c, r.fixEntry, names)
	for _, name := range names {
		f.Changes = append(f.Changes, "entry/"+name)
	}
	f.Related = edges.RelatedEntries(c.Base, r.lost[:1], "%q was here")
	f.Details = edges.RelatedEntries(c.Base, r.lost, "%q is removed")
	return f
}
