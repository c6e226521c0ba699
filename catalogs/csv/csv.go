// Package csv decodes the parts of ClusterServiceVersions that rules and upgrade checks need.
package csv

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/schema"
)

// Kind is the kind of ClusterServiceVersions.
const Kind = "ClusterServiceVersion"

// AllNamespaces is the install mode of an operator that can watch all namespaces (OLM: OperatorGroup).
const AllNamespaces = "AllNamespaces"

// KnownInstallModes are the install modes of an operator (OLM: OperatorGroup).
var KnownInstallModes = []string{"OwnNamespace", "SingleNamespace", "MultiNamespace", AllNamespaces}

// ConversionWebhook is the Type of a webhook that converts between the versions of CRDs.
const ConversionWebhook = "ConversionWebhook"

// The annotations that can have the examples: see Document.ExampleAnnotation.
const (
	AnnotationExamples    = "alm-examples"
	AnnotationOldExamples = "olm.examples"
)

// CSV is the ClusterServiceVersion of a bundle.
type CSV struct {
	*Document
	Manifest *bundled.Manifest
}

// Document is a decoded ClusterServiceVersion (operator-framework/api: pkg/operators/v1alpha1). Bundles with the same text can share it.
type Document struct {
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Metadata   ObjectMeta `json:"metadata"`
	Spec       Spec       `json:"spec"`

	// Err says why a part could not be decoded; all other parts are. If a value has the wrong type it is the
	// *json.UnmarshalTypeError of the first one.
	Err error `json:"-"`

	examples func() []Example
	faults   func() []schema.Fault
}

// Decode decodes a ClusterServiceVersion. It never returns nil: see Document.Err.
func Decode(o *bundled.Object) *Document {
	d := &Document{}
	d.Err = json.Unmarshal(o.JSON(), d)
	d.examples = sync.OnceValue(d.decodeExamples)
	d.faults = sync.OnceValue(func() []schema.Fault { return schema.CSVFaults(o.JSON()) })
	return d
}

// Faults returns where the ClusterServiceVersion, which must not be partial, does not match its CRD.
func (d *Document) Faults() []schema.Fault { return d.faults() }

// InstallModes returns the install modes that are supported, each once, in the order of the text.
func (d *Document) InstallModes() []string {
	var all []string
	seen := map[string]bool{}
	for _, m := range d.Spec.InstallModes {
		if m.Supported && !seen[m.Type] {
			all = append(all, m.Type)
			seen[m.Type] = true
		}
	}
	return all
}

// IsInternal reports whether users do not write the objects of a CRD, so that the console hides them (OLM's documentation of internal objects).
func (d *Document) IsInternal(crd string) bool {
	var names []string
	return json.Unmarshal([]byte(d.Metadata.Annotations["operators.operatorframework.io/internal-objects"]), &names) == nil && slices.Contains(names, crd)
}

// OwnedAPIs returns the APIs of the owned CRDs and API services.
func (d *Document) OwnedAPIs() []catalogs.API {
	var all []catalogs.API
	for _, crd := range d.Spec.CRDs.Owned {
		_, group, _ := strings.Cut(crd.Name, ".")
		all = append(all, catalogs.API{Group: group, Version: crd.Version, Kind: crd.Kind})
	}
	for _, s := range d.Spec.APIServices.Owned {
		all = append(all, catalogs.API{Group: s.Group, Version: s.Version, Kind: s.Kind})
	}
	return all
}

// ExampleAnnotation returns the key of the annotation that has the examples, "" if there is none: alm-examples comes before
// olm.examples (operator-framework/api: csv.go validateExamplesAnnotations).
func (d *Document) ExampleAnnotation() string {
	for _, key := range []string{AnnotationExamples, AnnotationOldExamples} {
		if _, ok := d.Metadata.Annotations[key]; ok {
			return key
		}
	}
	return ""
}

// Example is a custom resource in the annotation with examples.
type Example struct {
	API  catalogs.API
	JSON []byte
}

// Examples returns the custom resources in the annotation, which is decoded once; nil if it is not a JSON list.
func (d *Document) Examples() []Example { return d.examples() }

func (d *Document) decodeExamples() []Example {
	var texts []json.RawMessage
	if json.Unmarshal([]byte(d.Metadata.Annotations[d.ExampleAnnotation()]), &texts) != nil {
		return nil
	}
	all := []Example{} // none is not the same as no JSON list
	for _, text := range texts {
		all = append(all, Example{API: ParseAPI(text), JSON: text})
	}
	return all
}

// ExampleAPIs returns the APIs of the examples, each once.
func (d *Document) ExampleAPIs() []catalogs.API {
	var all []catalogs.API
	seen := map[catalogs.API]bool{}
	for _, e := range d.Examples() {
		if !seen[e.API] {
			all = append(all, e.API)
			seen[e.API] = true
		}
	}
	return all
}

// ParseAPI returns the API of a custom resource in JSON; none if it is not an object with an apiVersion and a kind that are strings.
func ParseAPI(object []byte) catalogs.API {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if json.Unmarshal(object, &head) != nil {
		return catalogs.API{}
	}
	group, version, ok := strings.Cut(head.APIVersion, "/")
	if !ok {
		group, version = "", group
	}
	return catalogs.API{Group: group, Version: version, Kind: head.Kind}
}
