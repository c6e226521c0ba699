package template

import (
	"fmt"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs/tree"
)

// Substitution puts the bundle of an image in the place of the bundle with the name Base.
type Substitution struct {
	Name Text // the image
	Base Text
}

func (r *reader) substitution(n *tree.Node, path string) Substitution {
	s := Substitution{Name: Text{Place: n.Place}, Base: Text{Place: n.Place}}
	r.object(n, path, []string{"name", "base"}, func(key string, f *tree.Field) {
		if key == "name" {
			r.text(&s.Name, &f.Value, join(path, key))
		} else {
			r.text(&s.Base, &f.Value, join(path, key))
		}
	})
	return s
}

// substitutions adds the faults of substitutions that lack something or use a name or base of one before (opm: substitutes.go Render
// since v1.66, validateSubstitution).
func (r *reader) substitutions(all []Substitution) {
	bases, names := map[string]Text{}, map[string]Text{}
	for i, s := range all {
		path := fmt.Sprintf("substitutions[%d]", i)
		base, baseUsed := bases[s.Base.Value]
		name, nameUsed := names[s.Name.Value]
		switch {
		case s.Base.Value == "":
			r.add(fault(path+".base", incomplete), s.Base.Place, "name the bundle to substitute", "%s.base is missing: opm rejects the template", path)
		case s.Name.Value == "":
			r.add(fault(path+".name", incomplete), s.Name.Place, "give the image of the substitute", "%s.name is missing: opm rejects the template", path)
		case s.Name.Value == s.Base.Value:
			r.add(fault(path+".name", sameName, s.Name.Value), s.Name.Place, "give the image of the substitute", "name and base of %s are the same, %q: opm rejects the template", path, s.Name.Value)
		case baseUsed:
			r.add(fault(path+".base", repeatedBase, s.Base.Value), s.Base.Place, "remove one of them", "the base %q is substituted twice, first in line %d: opm v1.66 and later reject the template", s.Base.Value, base.Place.Line)
		case nameUsed:
			r.add(fault(path+".name", repeatedName, s.Name.Value), s.Name.Place, "remove one of them", "the image %q substitutes two bundles, the first in line %d: opm v1.66 and later reject the template", s.Name.Value, name.Place.Line)
		}
		bases[s.Base.Value], names[s.Name.Value] = s.Base, s.Name
	}
}

// CheckSubstitutions returns why opm rejects substitutions, given the bundles of their images and those in the entries of the template, by
// name (opm: validateSubstitution). A bundle that is not given is not checked. What Read found is not repeated.
func CheckSubstitutions(all []Substitution, byImage, byName map[string]Bundle) []Fault {
	r, added := &reader{}, map[string]Bundle{}
	for _, s := range all {
		substitute, known := byImage[s.Name.Value]
		base, ok := byName[s.Base.Value]
		if !ok {
			base, ok = added[s.Base.Value]
		}
		switch {
		case s.Base.Value == "" || s.Name.Value == "":
		case !ok:
			r.add(fault("substitutions.base", unknownBase, s.Base.Value), s.Base.Place, "name a bundle of the entries", "no bundle has the name %q: opm rejects the template", s.Base.Value)
		case known && !isHigher(substitute, base):
			r.add(fault("substitutions.name", notHigher, substitute.Name, base.Name), s.Name.Place, "substitute a bundle with a higher version", "the version of %s, %q, is not higher than that of %s, %q: opm rejects the template",
				substitute.Name, substitute.Version, base.Name, base.Version)
		}
		if _, there := added[substitute.Name]; known && !there {
			added[substitute.Name] = substitute
		}
	}
	return r.faults
}

// isHigher reports whether the version of a bundle is higher than that of another; of equal ones, the release (opm: VersionRelease.Compare).
func isHigher(a, b Bundle) bool {
	v, err := semver.Parse(a.Version)
	w, err2 := semver.Parse(b.Version)
	if err != nil || err2 != nil {
		return false
	}
	if v.NE(w) {
		return v.GT(w)
	}
	if a.Release == "" || b.Release == "" {
		return a.Release != "" && b.Release == ""
	}
	v, err = semver.Parse("0.0.0-" + a.Release)
	w, err2 = semver.Parse("0.0.0-" + b.Release)
	return err == nil && err2 == nil && v.GT(w)
}
