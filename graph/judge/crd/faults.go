package crd

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Fault is one reason why an API server rejects a definition or an object.
type Fault struct {
	Path    string // as Kubernetes writes paths: spec.versions[0].schema.openAPIV3Schema.properties[spec].type
	Message string // one line
	Type    string // the type of the error in Kubernetes, as FieldValueRequired; "" if it has none
	Value   string // the value there, if it is a scalar
}

// String returns path and message.
func (f Fault) String() string {
	if f.Path == "" {
		return f.Message
	}
	return f.Path + ": " + f.Message
}

// Summary returns the first fault and how many more there are; "" if there are none.
func Summary(faults []Fault) string {
	switch more := len(faults) - 1; more {
	case -1:
		return ""
	case 0:
		return faults[0].String()
	case 1:
		return faults[0].String() + " (and one more fault)"
	default:
		return fmt.Sprintf("%s (and %d more faults)", faults[0], more)
	}
}

// Faults returns why an API server does not create d: schemas, defaults and CEL rules included. The status is set as an API
// server sets it on create.
//
// A definition in v1beta1, which no API server accepts from Kubernetes 1.22 on, is validated by the rules of v1beta1: schemas need
// not exist or be structural. If the error is Unchecked, the faults are those of all but the schemas.
func (d *Definition) Faults() (faults []Fault, err error) {
	defer recoverTo("validating the CustomResourceDefinition", &err)
	crd, err := d.internal()
	if err != nil {
		return nil, err
	}
	unchecked := cmp.Or(d.schemasErr, rulesWithinLimits(&crd.Spec))
	if unchecked != nil {
		if crd, err = d.withoutSchemas(); err != nil {
			return nil, err
		}
	}
	asCreated(crd)
	faults = convertFaults(validation.ValidateCustomResourceDefinition(context.Background(), crd), d.writtenPath)
	// The status is derived from the versions, whose faults are reported already.
	faults = slices.DeleteFunc(faults, func(f Fault) bool { return strings.HasPrefix(f.Path, "status.") })
	if d.APIVersion != V1beta1 || len(faults) == 0 {
		return faults, unchecked
	}
	crd.ResourceVersion = "1"
	lenient := convertFaults(validation.ValidateCustomResourceDefinitionUpdate(context.Background(), crd, crd), d.writtenPath)
	return slices.DeleteFunc(faults, func(f Fault) bool {
		return !strings.HasPrefix(f.Path, "metadata.name") && !slices.Contains(lenient, f)
	}), unchecked
}

// asCreated sets what an API server sets in crd before it validates (customresourcedefinition strategy PrepareForCreate, and
// rest.BeforeCreate).
func asCreated(crd *apiextensions.CustomResourceDefinition) {
	crd.ObjectMeta = ownMeta(crd)
	crd.Status = apiextensions.CustomResourceDefinitionStatus{}
	addStored(crd)
}

// ownMeta returns the metadata that a manifest can set; the API server sets the rest.
func ownMeta(crd *apiextensions.CustomResourceDefinition) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: crd.Name, GenerateName: crd.GenerateName,
		Labels: crd.Labels, Annotations: crd.Annotations, Finalizers: crd.Finalizers, OwnerReferences: crd.OwnerReferences,
	}
}

// addStored adds the storage version to the stored versions, as an API server does on create and update.
func addStored(crd *apiextensions.CustomResourceDefinition) {
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			if !apiextensions.IsStoredVersion(crd, v.Name) {
				crd.Status.StoredVersions = append(crd.Status.StoredVersions, v.Name)
			}
			return
		}
	}
}

// convertFaults converts errors of the libraries to faults, sorted by path, without duplicates.
func convertFaults(errs field.ErrorList, path func(string) string) []Fault {
	var faults []Fault
	for _, err := range errs {
		value, _ := formatScalar(err.BadValue)
		faults = append(faults, Fault{Path: path(err.Field), Message: message(err), Type: string(err.Type), Value: value})
	}
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(faults)
}

// writtenPath converts a path in the form that the API server validates to the form in which d is written: fields that all versions
// of a v1 definition share are in spec in the internal form.
func (d *Outline) writtenPath(path string) string {
	if d.beta {
		return path
	}
	for _, moved := range []struct{ from, to string }{
		{"spec.validation", "spec.versions[0].schema"},
		{"spec.subresources", "spec.versions[0].subresources"},
		{"spec.additionalPrinterColumns", "spec.versions[0].additionalPrinterColumns"},
		{"spec.selectableFields", "spec.versions[0].selectableFields"},
		{"spec.version", "spec.versions[0].name"},
		{"spec.conversion.webhookClientConfig", "spec.conversion.webhook.clientConfig"},
		{"spec.conversion.conversionReviewVersions", "spec.conversion.webhook.conversionReviewVersions"},
	} {
		if rest, ok := strings.CutPrefix(path, moved.from); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return moved.to + rest
		}
	}
	return path
}

// message returns the text of one error of the libraries. It never contains a whole object.
func message(err *field.Error) string {
	detail := plainDetail(err.Detail)
	value, shown := formatScalar(err.BadValue)
	if err.Type == field.ErrorTypeTypeInvalid && shown { // the value is the type that was found
		return strings.TrimSuffix(detail, ": "+value) + ", is " + strings.Trim(value, `"`)
	}
	said := map[field.ErrorType]string{
		field.ErrorTypeRequired:     "is required",
		field.ErrorTypeForbidden:    "must not be set",
		field.ErrorTypeDuplicate:    "is a duplicate",
		field.ErrorTypeNotSupported: "is not one of the allowed values",
		field.ErrorTypeInternal:     "could not be checked",
	}[err.Type]
	if shown && err.Type != field.ErrorTypeRequired && err.Type != field.ErrorTypeForbidden {
		said = value + " " + cmp.Or(said, "is not valid")
	}
	switch {
	case said == "":
		return cmp.Or(detail, "is not valid")
	case detail == "":
		return said
	}
	return said + ": " + detail
}

// plainDetail returns the detail of an error without what makes sense only in its context: the name of a body, the caret below the
// position in a CEL rule.
func plainDetail(detail string) string {
	detail = oneLine(carets.ReplaceAllString(detail, ""), maxMessage)
	if _, rest, ok := strings.Cut(detail, "in body "); ok {
		detail = rest
	}
	return strings.ReplaceAll(detail, "ERROR: <input>:", "at ")
}

var carets = regexp.MustCompile(`\n \| [.]*\^[.^]*`)
