package published

import (
	"fmt"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/compare"
	"github.com/olmgraph/olmgraph/lint"
)

// checkPackageRemoved reports removed packages at the position of the catalog. Nobody is subscribed to one without channels, as that of
// bundle folders whose channels are in a template.
func checkPackageRemoved(p *lint.Pass) {
	if t := p.Catalog.Template; t != nil && (t.Rejected || t.Generated() && len(t.Unknown) > 0) {
		return // what it makes is not known
	}
	for _, was := range p.BaseCatalog.Packages {
		if !was.Defined() || len(was.Channels) == 0 || p.Catalog.Package(was.Name.Value) != nil || p.Catalog.MayBeUnread(was.Name.Value) {
			continue
		}
		f := lint.Finding{
			Subject: lint.Subject{Package: was.Name.Value},
			Pos:     p.Catalog.Pos(),
			Message: fmt.Sprintf("package %q was removed: users on it never get another version, and OLM v0 resolves nothing "+
				"in a namespace subscribed to it", was.Name.Value),
			Fix:     "restore the package and deprecate it, until no cluster can have it",
			Related: []lint.Related{{Pos: was.Pos, Message: "where it was"}},
		}
		if compare.LacksFolder(p.BaseCatalog, was, p.Catalog) {
			f.Severity = lint.Warning
			if later := goesOnIn(p, was); later != "" {
				f.Severity = lint.Info
				f.Message += fmt.Sprintf("; the package goes on in %s, for clusters that are upgraded", later)
				f.Fix = "leave the package as it was published, unless no cluster of this OpenShift version has it"
			}
		}
		if successor := successorOf(p, was); successor != nil {
			f.Message += fmt.Sprintf("; the new package %q has its bundles, but a Subscription does not follow a new name", successor.Name.Value)
			f.Severity = lint.Error
			f.Fix = "keep the old name; installed packages cannot be renamed"
			f.Pos = catalogs.KnownPos(successor.Name.Pos, successor.Pos)
		}
		p.Report(f)
	}
}

// goesOnIn returns the name of the catalog for the lowest later OpenShift version that keeps a removed package; "" if there is none, or if one
// for an earlier version keeps it: then the later versions are not all that have it.
func goesOnIn(p *lint.Pass, was *catalogs.Package) string {
	least := ""
	for _, c := range p.Catalogs() {
		if c.Form != p.Catalog.Form || c.OpenShift == "" || p.Catalog.OpenShift == "" || compare.LacksFolder(p.BaseCatalog, was, c) {
			continue
		}
		if catalogs.CompareVersionNames(c.OpenShift, p.Catalog.OpenShift) < 0 {
			return ""
		}
		if least == "" || catalogs.CompareVersionNames(c.Name, least) < 0 {
			least = c.Name
		}
	}
	return least
}

// successorOf returns a new package with at least half of the images of a removed one, which was probably renamed; or nil.
func successorOf(p *lint.Pass, was *catalogs.Package) *catalogs.Package {
	images := map[string]bool{}
	for _, b := range was.Bundles {
		images[b.Image.Value] = true
	}
	delete(images, "")
	for _, now := range p.Catalog.Packages {
		if p.BaseCatalog.Package(now.Name.Value) != nil {
			continue
		}
		same := 0
		for _, b := range now.Bundles {
			if images[b.Image.Value] {
				same++
			}
		}
		if same > 0 && 2*same >= len(images) {
			return now
		}
	}
	return nil
}
