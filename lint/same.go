package lint

import (
	"fmt"
	"slices"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
)

// samePackages has what rules found in packages that several catalogs have alike, as those of a repository for its OpenShift versions. A
// rule runs again only if it asks what differs between such catalogs: the OpenShift version, or the other packages.
type samePackages struct {
	mutex sync.Mutex
	known map[samePackage]*sameFindings
}

// samePackage tells a package from others: they are alike if these are.
type samePackage struct {
	name        string
	sum, base   uint64 // of the files, see catalogs.Catalog.Sum; base is 0 if it lacks the package
	config      *Config
	generations string // of OLM that have users, on which the checks of CRDs depend
}

// sameFindings are those of a package, by rule. The mutex is locked while rules run on one of the packages that are alike.
type sameFindings struct {
	mutex  sync.Mutex
	byRule map[string][]Finding
}

// find returns what is known of the package of a unit. It is empty, and nobody else's, if no package of another catalog is like it.
func (s *samePackages) find(u unit, config *Config) *sameFindings {
	fresh := &sameFindings{byRule: map[string][]Finding{}}
	key, shared := u.samePackage(config)
	if !shared {
		return fresh
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.known == nil {
		s.known = map[samePackage]*sameFindings{}
	}
	if s.known[key] == nil {
		s.known[key] = fresh
	}
	return s.known[key]
}

// samePackage returns what tells the package of a unit from others. It is false for the unit of a catalog as a whole, and where no other
// catalog can have the package.
func (u *unit) samePackage(config *Config) (samePackage, bool) {
	if u.pkg == nil {
		return samePackage{}, false
	}
	key := samePackage{name: u.pkg.Name.Value, sum: u.catalog.Sum(u.pkg), config: config,
		generations: fmt.Sprint(config.generations(config.openShift(u.catalog)))}
	if u.basePkg != nil {
		key.base = u.base.Sum(u.basePkg)
	}
	return key, key.sum != 0 && (u.basePkg == nil || key.base != 0)
}

// ruleFindings returns what a rule finds in a unit, by calling its Check unless it is known.
func (s *sameFindings) ruleFindings(pass *Pass) []Finding {
	if known, ok := s.byRule[pass.Rule.ID]; ok {
		return inCatalog(known, pass.Catalog)
	}
	pass.check()
	if !pass.asksOthers {
		s.byRule[pass.Rule.ID] = slices.Clone(pass.findings)
	}
	return pass.findings
}

// inCatalog returns findings as those of another catalog.
func inCatalog(findings []Finding, c *catalogs.Catalog) []Finding {
	all := slices.Clone(findings)
	for i := range all {
		f := &all[i]
		f.Also = slices.Clone(f.Also)
		for j := range f.Also {
			if f.Also[j].Catalog == f.Catalog {
				f.Also[j].Catalog = c.Name
			}
		}
		f.Catalog = c.Name
	}
	return all
}
