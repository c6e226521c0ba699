package bundle

import (
	"encoding/json"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var propertiesAnnotation = lint.Rule{
	ID: "bundle/properties-annotation", Severity: lint.Warning, Gates: lint.GateAdvice, OtherGates: lint.GateOLMv0 | lint.GateCommunity,
	Doc: `properties in an annotation cannot be read
The annotation olm.properties can hold properties such as olm.maxOpenShiftVersion, as a JSON list. opm silently drops a malformed
one: the cluster can then upgrade to an OpenShift version on which the operator does not run. Malformed
operatorframework.io/properties, which OLM v0 writes itself, stop its resolver, and are an error. The pipeline of the community catalog
warns of each olm.properties.
Correct the JSON, or write the properties to metadata/properties.yaml.`,
	Reference: "operator-registry pkg/registry parse.go derivedProperties; OLM resolver/projection properties.go",
	Check:     contents.InHeads(contents.WithCSV(checkProperties)),
}

// checkProperties checks the annotations that contain properties. opm drops properties that it cannot parse; OLM v0 fails.
func checkProperties(c *contents.Contents) {
	const authored, written = "olm.properties", "operatorframework.io/properties"
	annotations := c.CSV.Metadata.Annotations
	if text, ok := annotations[authored]; ok {
		var list []struct {
			Type  string
			Value json.RawMessage
		}
		if err := json.Unmarshal([]byte(text), &list); err != nil {
			c.Report(contents.AnnotationPath(authored), `write a JSON list, for example [{"type": "olm.maxOpenShiftVersion", "value": "4.18"}]`,
				"has an annotation %s that is not a JSON list of properties: opm silently drops all of them", authored)
		}
		if f := c.Folder; f != nil && f.AnnotationsPos.Known() {
			f := c.Report(contents.AnnotationPath(authored), "move them to metadata/properties.yaml",
				"has its properties in the annotation %s and not in metadata/properties.yaml: the community pipeline warns of it", authored)
			f.Gates = lint.GateCommunity
		}
		for _, p := range list {
			if p.Type == "" || len(p.Value) == 0 {
				c.Report(contents.AnnotationPath(authored), "give each property a type and a value",
					"has in the annotation %s a property %q without a type or a value", authored, p.Type).WithCause(p.Type)
			}
		}
	}
	if text, ok := annotations[written]; ok {
		var object struct{ Properties []json.RawMessage }
		if json.Unmarshal([]byte(text), &object) != nil {
			f := c.Report(contents.AnnotationPath(written), "remove it: OLM v0 writes it itself",
				"has an annotation %s that is not a JSON object: OLM v0 resolves nothing in its namespace", written)
			f.Severity, f.Gates = lint.Error, lint.GateOLMv0
		}
	}
}
