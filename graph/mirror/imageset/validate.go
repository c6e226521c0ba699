package imageset

import (
	"fmt"
	"regexp"

	"github.com/Masterminds/semver/v3"

	"github.com/olmgraph/olmgraph/catalogs"
)

// validate reports what oc-mirror rejects of the operators (oc-mirror: config validateOperatorOptions; catalog-filter: FilterConfiguration.Validate).
func (c *Config) validate() {
	targets := map[string]bool{}
	for i := range c.Operators {
		o := &c.Operators[i]
		target, err := o.target()
		switch {
		case err != nil:
			c.fault(o.Catalog.Pos, "", "", "catalog %q: %v", o.Catalog.Value, err)
		case targets[target]:
			c.fault(o.Catalog.Pos, "", "", "catalog %q is listed twice: list its packages once, under one catalog", o.Catalog.Value)
		}
		targets[target] = true
		packages := map[string]bool{}
		for j := range o.Packages {
			p := &o.Packages[j]
			switch {
			case p.Name.Value == "":
				c.fault(p.Pos, "", "", "a package without a name")
			case packages[p.Name.Value]:
				c.fault(p.Name.Pos, p.Name.Value, "", "package %q is listed twice", p.Name.Value)
			}
			packages[p.Name.Value] = true
			c.validateVersions(p)
			c.validateChannels(p)
		}
	}
}

func (c *Config) validateChannels(p *Package) {
	channels := map[string]bool{}
	for i := range p.Channels {
		ch := &p.Channels[i]
		switch {
		case ch.Name.Value == "":
			c.fault(ch.Pos, p.Name.Value, "", "a channel of package %q without a name", p.Name.Value)
		case channels[ch.Name.Value]:
			c.fault(ch.Name.Pos, p.Name.Value, ch.Name.Value, "channel %q of package %q is listed twice", ch.Name.Value, p.Name.Value)
		}
		channels[ch.Name.Value] = true
		c.validateVersion(ch.Min, "minVersion", p.Name.Value, ch.Name.Value)
		c.validateVersion(ch.Max, "maxVersion", p.Name.Value, ch.Name.Value)
		if ch.Set() && p.Set() {
			c.fault(ch.Bounds.Pos(), p.Name.Value, ch.Name.Value, "package %q and its channel %q both have versions, and oc-mirror allows one of them only", p.Name.Value, ch.Name.Value)
		}
	}
}

func (c *Config) validateVersions(p *Package) {
	c.validateVersion(p.Min, "minVersion", p.Name.Value, "")
	c.validateVersion(p.Max, "maxVersion", p.Name.Value, "")
}

// validateVersion reports a bound that is no version, or that makes no range.
func (c *Config) validateVersion(v catalogs.Text, field, pkg, channel string) {
	if v.Value == "" {
		return
	}
	if _, err := semver.NewVersion(v.Value); err != nil {
		c.fault(v.Pos, pkg, channel, "%s %q of package %q is not a version", field, v.Value, pkg)
	} else if _, err := semver.NewConstraint("<=" + v.Value); err != nil {
		c.fault(v.Pos, pkg, channel, "%s %q of package %q is not a range of versions", field, v.Value, pkg)
	}
}

func (c *Config) fault(at catalogs.Pos, pkg, channel, format string, args ...any) {
	c.Faults = append(c.Faults, Fault{Pos: at, Package: pkg, Channel: channel, Message: fmt.Sprintf(format, args...)})
}

// pathComponents is a valid targetCatalog (oc-mirror: api/v2alpha1 IsValidPathComponent).
var pathComponents = regexp.MustCompile(`^([a-z0-9]+((?:[._]|__|[-]*)[a-z0-9]+)*)(/([a-z0-9]+((?:[._]|__|[-]*)[a-z0-9]+)*))*$`)
