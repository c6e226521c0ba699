package csv

import (
	"fmt"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
	"github.com/olmgraph/olmgraph/lint/rules/internal/words"
)

var resourceRequests = lint.Rule{
	ID: "csv/resource-requests", Severity: lint.Info, Gates: lint.GateAdvice,
	Doc: `a container has no requests for cpu and memory
A namespace with a quota rejects pods without requests, and a node under pressure evicts them first.
Set resources.requests.cpu and resources.requests.memory.`,
	Reference: "operator-framework/api good_practices.go validateResourceRequests",
	Check:     contents.InHeads(contents.WithReadableCSV(checkRequests)),
}

func checkRequests(c *contents.Contents) {
	var lacking []string
	seen := map[string]bool{}
	path := ""
	for i, d := range c.CSV.Spec.Install.Spec.Deployments {
		for j, one := range d.Spec.Template.Spec.Containers {
			requests := one.Resources.Requests
			if requests["cpu"] != nil && requests["memory"] != nil {
				continue
			}
			if path == "" {
				path = fmt.Sprintf("spec.install.spec.deployments[%d].spec.template.spec.containers[%d]", i, j)
			}
			if !seen[one.Name] {
				seen[one.Name] = true
				lacking = append(lacking, one.Name)
			}
		}
	}
	if len(lacking) > 0 {
		c.Report(path, "set resources.requests.cpu and resources.requests.memory",
			"has %s without requests for cpu and memory, %s: a quota can prevent the pod from starting",
			words.Plural(len(lacking), "a container", "containers"), words.AllOf(lacking)).Faults = lacking
	}
}
