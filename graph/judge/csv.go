package judge

import (
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

func checkDeploymentNames(c *bundleCase) {
	seen := map[string]bool{}
	for i, d := range c.CSV.Spec.Install.Spec.Deployments {
		path := fmt.Sprintf("spec.install.spec.deployments[%d].name", i)
		switch {
		case d.Name == "" && c.CSV.Err != nil:
		case seen[d.Name]:
			c.report(path, "give each a unique name",
				"has several deployments with the name %q: the last one overwrites the others, and OLM v1 rejects the bundle", d.Name).WithCause("several", d.Name).
				Releases.From = validating
		case words.NameFault(d.Name) != "":
			c.report(path, "use a name of lower-case letters, digits and hyphens",
				"has a deployment with the name %q, which %s: the API server rejects it", d.Name, words.NameFault(d.Name)).WithCause(d.Name).
				Gates = GateOLMv0 | GateOLMv1 | GateAPIServer
		}
		seen[d.Name] = true
	}
}

func checkOwnedServices(c *bundleCase) {
	var names []string
	for _, s := range c.CSV.Spec.APIServices.Owned {
		names = append(names, s.Kind+"."+s.Version+"."+s.Group)
	}
	if len(names) > 0 {
		c.report("spec.apiservicedefinitions.owned", "serve the API by a CRD, or document that OLM v1 is not supported",
			"owns the API %s %s, which OLM v1 does not support: it rejects the bundle", words.Plural(len(names), "service", "services"), words.QuoteSome(names))
	}
}

func checkInstallModes(c *bundleCase) {
	if c.CSV.Err != nil {
		return
	}
	listed := c.CSV.Spec.InstallModes
	if len(listed) == 0 {
		c.report("spec", "list the four installModes, each with supported: true or false",
			"has no installModes: it cannot be installed")
		return
	}
	if len(c.CSV.InstallModes()) == 0 {
		c.report("spec.installModes", "set supported: true for at least one",
			"supports none of its installModes: it cannot be installed")
	}
	seen := map[string]bool{}
	for i, m := range listed {
		path := fmt.Sprintf("spec.installModes[%d].type", i)
		if seen[m.Type] {
			c.report(path, "keep one of them", "has the install mode %q twice: OLM v0 fails with InvalidInstallModes",
				m.Type).WithCause("twice", m.Type).Gates = GateOLMv0
		} else if !slices.Contains(csv.KnownInstallModes, m.Type) {
			f := c.report(path, "use one of "+words.QuoteOr(csv.KnownInstallModes), "has the install mode %q, which OLM ignores", m.Type).WithCause(m.Type)
			f.Weight, f.Gates = Endangers, GateOLMv0
			if near, ok := words.Nearest(m.Type, csv.KnownInstallModes); ok {
				f.Weight, f.Fix = Stops, "write "+near
			}
		}
		seen[m.Type] = true
	}
}

func checkAllNamespaces(c *bundleCase) {
	const fix = "support AllNamespaces, if the operator can watch all namespaces"
	switch modes := c.CSV.InstallModes(); {
	case len(modes) == 0 || slices.Contains(modes, csv.AllNamespaces):
	case !slices.Contains(modes, "OwnNamespace") && !slices.Contains(modes, "SingleNamespace"):
		c.report("spec.installModes", fix, "supports only %s: OLM v1 rejects the bundle", words.QuoteSome(modes))
	default:
		c.report("spec.installModes", fix, "supports only %s, not AllNamespaces: OLM v1 installs it only with a namespace to watch in the ClusterExtension", words.QuoteSome(modes)).
			Releases.Unless = []string{FeatureNamespaces}
	}
}

// checkCSVName checks the name of each bundle, even if nothing else is known of it.
func checkCSVName(c *bundleCase) {
	if says, gates := nameProblem(c.Name.Value); says != "" {
		c.reportAt(c.Name.Pos, "rename it", "is not a valid name of a ClusterServiceVersion: it %s", says).Gates = gates
	}
	if c.CSV == nil || c.CSV.Spec.Replaces == "" {
		return
	}
	if says, gates := nameProblem(c.CSV.Spec.Replaces); says != "" {
		c.report("spec.replaces", "write the name of another ClusterServiceVersion, or remove it",
			"replaces %q, which is not a valid name: it %s", c.CSV.Spec.Replaces, says).Gates = gates
	}
}

// nameProblem says why a ClusterServiceVersion cannot have a name, and who rejects it: the API server requires a DNS name, and
// OLM v0 uses it in labels.
func nameProblem(name string) (says string, gates Gates) {
	if says = words.NameFault(name); says != "" {
		return says, GatePipelines | GateOLMv0 | GateAPIServer
	}
	return words.LabelFault(name), GatePipelines | GateOLMv0
}
