package crd

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

// UpdateFaults returns why an API server rejects the update of old to new on a cluster on which old is established and objects were
// stored in the versions stored. Faults that new has without the update are left out: see Definition.Faults.
func UpdateFaults(old, new *Outline, stored []string) (faults []Fault, err error) {
	defer recoverTo("validating the update of the CustomResourceDefinition", &err)
	before, err := old.withoutSchemas()
	if err != nil {
		return nil, err
	}
	after, err := new.withoutSchemas()
	if err != nil {
		return nil, err
	}
	asUpdated(before, after, stored)
	all := convertFaults(validation.ValidateCustomResourceDefinitionUpdate(context.Background(), after, before), new.writtenPath)
	if len(all) == 0 {
		return nil, nil
	}
	asCreated(after)
	alone := convertFaults(validation.ValidateCustomResourceDefinition(context.Background(), after), new.writtenPath)
	return slices.DeleteFunc(all, func(f Fault) bool { return slices.Contains(alone, f) }), nil
}

// NewFaults returns why an API server rejects the update of old to new, schemas included: what old has already is tolerated.
func NewFaults(old, new *Definition, stored []string) (faults []Fault, err error) {
	defer recoverTo("validating the update of the CustomResourceDefinition", &err)
	before, err := old.internal()
	if err != nil {
		return nil, err
	}
	after, err := new.internal()
	if err != nil {
		return nil, err
	}
	asUpdated(before, after, stored)
	all := convertFaults(validation.ValidateCustomResourceDefinitionUpdate(context.Background(), after, before), new.writtenPath)
	return slices.DeleteFunc(all, func(f Fault) bool { return strings.HasPrefix(f.Path, "status.") }), nil
}

// asUpdated sets what an API server sets in both before it validates an update (strategy PrepareForUpdate).
func asUpdated(before, after *apiextensions.CustomResourceDefinition, stored []string) {
	established := []apiextensions.CustomResourceDefinitionCondition{
		{Type: apiextensions.Established, Status: apiextensions.ConditionTrue},
		{Type: apiextensions.NamesAccepted, Status: apiextensions.ConditionTrue},
	}
	for _, crd := range []*apiextensions.CustomResourceDefinition{before, after} {
		crd.ObjectMeta = ownMeta(crd)
		crd.ResourceVersion = "1"
		crd.Status = apiextensions.CustomResourceDefinitionStatus{Conditions: established, StoredVersions: slices.Clone(stored)}
	}
	addStored(after)
}

// withoutSchemas returns the internal form of d with empty schemas. An update is never rejected for a schema that can be created,
// since the API server applies the same checks to schemas or fewer. So the CEL rules need not be compiled again.
func (d *Outline) withoutSchemas() (*apiextensions.CustomResourceDefinition, error) {
	return toInternal(d.emptySchemas)
}
