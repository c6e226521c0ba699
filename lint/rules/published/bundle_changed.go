package published

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

// checkBundleChanged reports once per package changed images and once changed versions: a rebuilt catalog changes all of its
// images.
func checkBundleChanged(p *lint.Pass) {
	var image, version changedObjects
	example := map[*changedObjects]string{}
	for _, b := range p.Package.Bundles {
		was := p.BasePackage.Bundle(b.Name.Value)
		if was == nil || p.Package.Bundle(b.Name.Value) != b {
			continue
		}
		for _, one := range []struct {
			to      *changedObjects
			is, was catalogs.Text
		}{{&image, b.Image, was.Image}, {&version, b.Version, was.Version}} {
			if one.is.Value != one.was.Value && one.is.Value != "" && one.was.Value != "" { // not known of bundle folders and templates
				one.to.add(b.Name.Value, b.Name.Value, catalogs.KnownPos(one.is.Pos, b.Pos), catalogs.KnownPos(one.was.Pos, was.Pos))
				if example[one.to] == "" {
					example[one.to] = fmt.Sprintf("%q, was %q", one.is.Value, one.was.Value)
				}
			}
		}
	}
	for _, one := range []struct {
		*changedObjects
		what string
	}{{&image, "image"}, {&version, "version"}} {
		if len(one.names) > 0 {
			f := bundleChanged(one.changedObjects, one.what, example[one.changedObjects])
			for _, name := range one.names {
				f.Changes = append(f.Changes, one.what+"/"+name)
			}
			p.Report(f)
		}
	}
}

func bundleChanged(c *changedObjects, what, example string) lint.Finding {
	n := len(c.names)
	return lint.Finding{
		Subject: lint.Subject{Bundle: c.names[0]},
		Cause:   []string{what},
		Faults:  c.each,
		Pos:     c.now[0],
		Message: fmt.Sprintf("%s %s another %s than was published under %s (%s): clusters that have %s installed keep the old content",
			words.AllOf(c.names), phrase.Plural(n, "has", "have"), what, phrase.Plural(n, "that name", "these names"), example, phrase.Plural(n, "it", "them")),
		Fix:     fmt.Sprintf("restore the %s, and publish the new content as a bundle of a new version", what),
		Details: c.details(),
		Related: []lint.Related{{Pos: c.was[0], Message: "as it was published"}},
	}
}
