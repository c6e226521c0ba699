// Package crd validates CustomResourceDefinitions with the code that runs on a cluster: as the API server does when one is created,
// and as the API server, OLM v0 and OLM v1 do when one is updated.
//
// No other package imports the Kubernetes API machinery or crdify. This one reads no files and no catalogs, and assigns no
// severities. A Definition is immutable and safe for concurrent use. An error means that something could not be checked; a Fault or
// a Change is the result of a check.
package crd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	apischema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Kind is the kind of CustomResourceDefinitions.
const Kind = "CustomResourceDefinition"

// The two forms in which a CustomResourceDefinition is written.
const (
	V1      = "apiextensions.k8s.io/v1"
	V1beta1 = "apiextensions.k8s.io/v1beta1"
)

// Outline is a CustomResourceDefinition without its schemas, which are nearly all of its text.
type Outline struct {
	Name, Group, Kind     string
	Scope                 string // Namespaced or Cluster
	APIVersion            string // V1 or V1beta1: the apiVersion of the text
	Conversion            string // None or Webhook
	PreserveUnknownFields bool
	Versions              []Version // in the order of the text

	emptySchemas *v1.CustomResourceDefinition // with empty schemas
	beta         bool                         // APIVersion is V1beta1
}

// Definition is a CustomResourceDefinition as an API server sees it: decoded, with defaults.
type Definition struct {
	*Outline

	crd        *v1.CustomResourceDefinition      // the form that OLM v1 and crdify compare
	old        *v1beta1.CustomResourceDefinition // as written, if it is in v1beta1
	size       int                               // bytes as text without descriptions
	schemasErr error                             // why the schemas were not read and are empty; nil if they were

	measured   map[string]func() measures // of each version that has a schema
	compiled   map[string]func() (validation.SchemaValidator, error)
	structured map[string]func() (*apischema.Structural, error)
}

// Version is one version of a CRD.
type Version struct {
	Name       string `json:"name"`
	Served     bool   `json:"served"`
	Storage    bool   `json:"storage"`
	Deprecated bool   `json:"deprecated"`
}

// IsAlpha reports whether an API version is alpha, and so without guarantees (Kubernetes: API versioning).
func IsAlpha(version string) bool { return strings.Contains(version, "alpha") }

// Parse reads a CustomResourceDefinition from JSON, in v1 or v1beta1, as an API server does: names of fields are case-sensitive,
// unknown fields are dropped, absent ones get defaults. The error, of one line, is of what no API server accepts. If the schemas
// exceed the limits everything else is read, and methods that need them return Unchecked.
func Parse(text []byte) (d *Definition, err error) {
	defer recoverTo("reading the CustomResourceDefinition", &err)
	size := measure(text)
	beyond := withinLimits(size)
	if errors.As(beyond, new(uncheckedError)) {
		text = textWithoutSchemas(text)
		err = withinLimits(measure(text))
	} else {
		err, beyond = beyond, nil
	}
	if err != nil {
		return nil, err
	}
	text = undescribed(text)
	if d, err = decode(text); err != nil {
		return nil, err
	}
	d.size, d.schemasErr = len(text), beyond
	if err := define(d); err != nil {
		return nil, err
	}
	return d, nil
}

// decode decodes a text of either form. Most are in v1, whose form is known only after it is decoded.
func decode(text []byte) (*Definition, error) {
	if !bytes.Contains(text, []byte(V1beta1)) {
		if d, err := parseV1(text); err == nil && d.crd.Kind == Kind && d.crd.APIVersion == V1 {
			return d, nil
		}
	}
	var head metav1.TypeMeta
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, decodeError(text, &head, err)
	}
	switch {
	case head.Kind != Kind:
		return nil, fmt.Errorf("kind is %s, but must be %s", quote(head.Kind), Kind)
	case head.APIVersion == V1:
		return parseV1(text)
	case head.APIVersion == V1beta1:
		return parseV1beta1(text)
	}
	return nil, fmt.Errorf("apiVersion is %s, but must be %s or %s", quote(head.APIVersion), V1, V1beta1)
}

func parseV1(text []byte) (*Definition, error) {
	crd := &v1.CustomResourceDefinition{}
	if err := json.Unmarshal(text, crd); err != nil {
		return nil, decodeError(text, crd, err)
	}
	v1.SetObjectDefaults_CustomResourceDefinition(crd)
	return &Definition{crd: crd}, nil
}

func parseV1beta1(text []byte) (*Definition, error) {
	d := &Definition{crd: &v1.CustomResourceDefinition{}, old: &v1beta1.CustomResourceDefinition{}}
	if err := json.Unmarshal(text, d.old); err != nil {
		return nil, decodeError(text, d.old, err)
	}
	v1beta1.SetObjectDefaults_CustomResourceDefinition(d.old)
	internal, err := d.internal()
	if err != nil {
		return nil, err
	}
	if err := v1.Convert_apiextensions_CustomResourceDefinition_To_v1_CustomResourceDefinition(internal, d.crd, nil); err != nil {
		return nil, fmt.Errorf("reading the CustomResourceDefinition: %w", err)
	}
	return d, nil
}

// internal returns the form that the API server validates. Of a v1 definition it has at spec what all versions have in common.
func (d *Definition) internal() (*apiextensions.CustomResourceDefinition, error) {
	if d.old == nil {
		return toInternal(d.crd)
	}
	internal := &apiextensions.CustomResourceDefinition{}
	err := v1beta1.Convert_v1beta1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(d.old, internal, nil)
	if err != nil {
		return nil, fmt.Errorf("reading the CustomResourceDefinition: %w", err)
	}
	return internal, nil
}

func toInternal(crd *v1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	internal := &apiextensions.CustomResourceDefinition{}
	if err := v1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, internal, nil); err != nil {
		return nil, fmt.Errorf("reading the CustomResourceDefinition: %w", err)
	}
	return internal, nil
}

// define sets the Outline of d.
func define(d *Definition) error {
	d.crd.Status = v1.CustomResourceDefinitionStatus{} // a manifest's status is ignored by an API server
	spec := &d.crd.Spec
	d.Outline = &Outline{APIVersion: V1, beta: d.old != nil, emptySchemas: withEmptySchemas(d.crd)}
	if d.beta {
		d.APIVersion = V1beta1
	}
	d.Name, d.Group, d.Scope = d.crd.Name, spec.Group, string(spec.Scope)
	d.Kind, d.Conversion, d.PreserveUnknownFields = spec.Names.Kind, string(spec.Conversion.Strategy), spec.PreserveUnknownFields
	if n := len(spec.Versions); n > maxVersions {
		return uncheckedf("has %d versions; a CRD with more than %d is not checked", n, maxVersions)
	}
	d.prepare()
	for i := range spec.Versions {
		v := &spec.Versions[i]
		d.Versions = append(d.Versions, Version{v.Name, v.Served, v.Storage, v.Deprecated})
	}
	return nil
}

func versionSchema(v *v1.CustomResourceDefinitionVersion) *v1.JSONSchemaProps {
	if v == nil || v.Schema == nil {
		return nil
	}
	return v.Schema.OpenAPIV3Schema
}

// version returns the first version of that name, or nil.
func (d *Definition) version(name string) *v1.CustomResourceDefinitionVersion {
	if i := d.VersionIndex(name); i >= 0 {
		return &d.crd.Spec.Versions[i]
	}
	return nil
}

// withEmptySchemas returns a definition in which each schema is empty.
func withEmptySchemas(of *v1.CustomResourceDefinition) *v1.CustomResourceDefinition {
	crd := *of
	crd.Spec.Versions = slices.Clone(crd.Spec.Versions)
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		v.SelectableFields = nil
		if versionSchema(v) != nil {
			v.Schema = &v1.CustomResourceValidation{OpenAPIV3Schema: &v1.JSONSchemaProps{Type: "object"}}
		}
	}
	return &crd
}

// StorageVersion returns the version in which objects are stored, "" if none is marked.
func (d *Outline) StorageVersion() string {
	for _, v := range d.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

// VersionIndex returns the index of a version in Versions, or -1.
func (d *Outline) VersionIndex(version string) int {
	return slices.IndexFunc(d.Versions, func(v Version) bool { return v.Name == version })
}

// Has reports whether the version exists, served or not: objects can be stored in either.
func (d *Outline) Has(version string) bool { return d.VersionIndex(version) >= 0 }

// Serves reports whether the version exists and is served.
func (d *Outline) Serves(version string) bool {
	i := d.VersionIndex(version)
	return i >= 0 && d.Versions[i].Served
}

// WithWebhookConversion returns d with a conversion webhook, as far as Changes compares it: as OLM v1 renders it from a ClusterServiceVersion with a
// ConversionWebhook for it (operator-controller: generators BundleCRDGenerator). d is not changed.
func (d *Definition) WithWebhookConversion() *Definition {
	with, crd := *d, *d.crd
	with.crd, with.old = &crd, nil
	crd.Spec.Conversion = &v1.CustomResourceConversion{Strategy: v1.WebhookConverter}
	return &with
}

// Webhook is the Conversion of definitions that a webhook converts.
const Webhook = "Webhook"

// ServedVersions returns the names of the versions that are served.
func (d *Outline) ServedVersions() (all []string) {
	for _, v := range d.Versions {
		if v.Served {
			all = append(all, v.Name)
		}
	}
	return all
}

// ConversionService returns the name of the Service that converts objects; "" if none is named.
func (d *Definition) ConversionService() string {
	c := d.crd.Spec.Conversion
	if c == nil || c.Webhook == nil || c.Webhook.ClientConfig == nil || c.Webhook.ClientConfig.Service == nil {
		return ""
	}
	return c.Webhook.ClientConfig.Service.Name
}
