package catalogs

// Supply gives the bundles of a catalog the manifests that other catalogs have, bundle folders above all, matched by package
// and name, and reports what is wrong with those manifests as problems of this catalog. It returns the bundles that got none.
func (c *Catalog) Supply(from []*Catalog) (without []*Bundle) {
	for _, p := range c.Packages {
		for _, b := range p.Bundles {
			if b.manifests == nil {
				b.manifests = manifestsOf(from, p.Name.Value, b.Name.Value)
			}
			if b.manifests == nil {
				without = append(without, b)
			} else {
				c.Supplied++
			}
		}
	}
	for _, other := range from {
		for _, problem := range other.Problems {
			if p := c.Package(problem.Package); p != nil && problem.Bundle != "" && p.Bundle(problem.Bundle) != nil {
				c.Problems = append(c.Problems, problem)
			}
		}
	}
	return without
}

func manifestsOf(from []*Catalog, pkg, bundle string) *operator {
	for _, other := range from {
		if p := other.Package(pkg); p != nil {
			if b := p.Bundle(bundle); b != nil && b.manifests != nil {
				return b.manifests
			}
		}
	}
	return nil
}
