package crd

import (
	"github.com/olmgraph/olmgraph/graph/preflight"
	"github.com/olmgraph/olmgraph/graph/preflight/crd"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var invalid = lint.Rule{
	ID: "crd/invalid", Severity: lint.Error, Gates: lint.GateAPIServer,
	Doc: `a CRD that the API server rejects
The API server validates a CustomResourceDefinition when it is created: names, versions, and the schema of each version with its
defaults and rules. A CRD that it rejects cannot be installed, and OLM fails the whole bundle. If schemas exceed the limits of
olmgraph, an info says that they are not checked.
Correct the field in the manifest of the next bundle.`,
	Reference: "k8s.io/apiextensions-apiserver ValidateCustomResourceDefinition",
	Check:     contents.InAllBundles(checkInvalidCRD),
	Asks:      preflight.CheckFaults,
}

// checkInvalidCRD reports why the API server rejects a CRD, and which parts were not checked.
func checkInvalidCRD(c *contents.Contents) {
	pre := c.Pass.Preflight()
	for _, m := range pre.CRDManifests(c.Bundle) {
		own, faults, err := pre.Faults(m)
		for i := range faults {
			reportFault(c, own, &faults[i], "is refused by Kubernetes: "+faults[i].String())
		}
		switch {
		case crd.IsUnchecked(own.Err):
			err = own.Err
		case own.Err != nil:
			reportFault(c, own, &crd.Fault{}, "cannot be used: "+own.Err.Error())
		}
		if err != nil {
			f := c.ReportOn(m, "", "test it on a cluster, or make it smaller", "contains %s, which is not checked: %v", crdName(m), err)
			f.CRD, f.Severity, f.Gates = m.Name, lint.Info, lint.GateAdvice
		}
	}
}

func reportFault(c *contents.Contents, own *preflight.CRD, fault *crd.Fault, says string) {
	m := own.Manifest
	f := c.ReportOn(m, fault.Path, "correct the field in the next bundle", "contains %s, which %s", crdName(m), says)
	f.CRD, f.Cause = m.Name, append(causeOf(own, fault), m.Name)
}
