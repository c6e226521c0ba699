package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// checkIsCatalog returns an error if there is no package in any of the catalogs of a reference, so that they answer no question.
// It warns of what may be missing in an answer about a package, or about all of them if pkg is "".
func (p *program) checkIsCatalog(ref string, cats []*catalogs.Catalog, pkg string) error {
	if found, none := firstForeign(cats); none {
		return notCatalog(ref, found)
	}
	for _, c := range cats {
		p.warnOfProblems(c, pkg)
	}
	return nil
}

// firstForeign reports whether no catalog has a package, and what the first is instead.
func firstForeign(cats []*catalogs.Catalog) (first catalogs.Foreign, none bool) {
	for i, c := range cats {
		found, unchecked := c.NoPackage()
		if !unchecked {
			return first, false
		}
		if i == 0 {
			first = found
		}
	}
	return first, len(cats) > 0
}

// notCatalog says what a reference is instead of a catalog, and what to do.
func notCatalog(ref string, found catalogs.Foreign) error {
	what := found.Message()
	if found.Unread {
		what = found.What
	}
	return errors.New(cmp.Or(found.Pos.String(), ref) + ": " + what + suffix("; ", found.Fix))
}

// noPackage says that no catalog has a package: misuse, unless it may be in what could not be read.
func (p *program) noPackage(name, ref string, cats []*catalogs.Catalog) error {
	err := misusef("no package %q in %s%s (olmgraph list %s shows all)", name, ref, didYouMean(name, packageNames(cats)), ref)
	if p.incomplete {
		return errors.New(err.Error())
	}
	return err
}

// maxWarnings bounds the problems of a catalog of which a command warns before its answer.
const maxWarnings = 10

// warnOfProblems says what of a catalog could not be read and may be missing in an answer, and which files are no part of it.
func (p *program) warnOfProblems(c *catalogs.Catalog, pkg string) {
	n := 0
	for i := range c.Problems {
		problem := &c.Problems[i]
		if !problem.LosesData() || pkg != "" && problem.Package != "" && problem.Package != pkg {
			continue
		}
		if n++; n <= maxWarnings {
			p.say("%s: %s%s", cmp.Or(problem.Pos.String(), c.Name), problem.Message, suffix("; ", problem.Fix))
		}
	}
	if n > maxWarnings {
		p.say("and %d more", n-maxWarnings)
	}
	p.noteFormLimitation(c)
	found, unchecked := c.NoPackage()
	if unchecked && n == 0 && !found.Unread { // else it is another package's
		n++
		p.say("%s", notCatalog(c.Name, found))
	}
	if n > 0 {
		p.incomplete = true
		p.say("parts that could not be read may be missing in the answer; see olmgraph lint")
	}
	if !unchecked {
		p.noteForeignFiles(c)
	}
}

// noteFormLimitation says what the form of a catalog leaves out.
func (p *program) noteFormLimitation(c *catalogs.Catalog) {
	if pos, silent := c.FormLimitation(); silent != "" {
		p.say("%s: %s", pos, silent)
	}
}

// requireEdges returns an error if a catalog does not tell which version upgrades to which.
func requireEdges(ref string, cats ...*catalogs.Catalog) error {
	if slices.ContainsFunc(cats, (*catalogs.Catalog).Edgeless) {
		return fmt.Errorf("%s: the package manifests of a cluster have no edges, so this cannot be answered", ref)
	}
	return nil
}

// noteForeignFiles says what among the files of a catalog is no part of it.
func (p *program) noteForeignFiles(c *catalogs.Catalog) {
	n := 0
	for i := range c.Foreign {
		if f := &c.Foreign[i]; !f.Config() {
			if n++; n <= maxWarnings {
				p.say("%s: %s, which is not part of the catalog", f.Pos, f.What)
			}
		}
	}
	if n > maxWarnings {
		p.say("and %d more such files", n-maxWarnings)
	}
}

// suffix returns a text with what separates it from the text before, or "" if it is empty.
func suffix(separator, text string) string {
	if text == "" {
		return ""
	}
	return separator + text
}
