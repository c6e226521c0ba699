package crd

import (
	"context"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

// UpdateFaults is why an API server refuses new in place of old on a cluster on which old is established and objects were stored
// in the versions stored. Only what the update brings: what new has against it by itself is in its own Faults.
func UpdateFaults(old, new *Outline, stored []string) (refusals []Fault, err error) {
	defer recovered("validating the update of the CustomResourceDefinition", &err)
	before, err := old.withoutSchemas()
	if err != nil {
		return nil, err
	}
	after, err := new.withoutSchemas()
	if err != nil {
		return nil, err
	}
	asCreated(after)
	alone := faultsOf(validation.ValidateCustomResourceDefinition(context.Background(), after), new.writtenPath)
	asUpdated(before, after, stored)
	all := faultsOf(validation.ValidateCustomResourceDefinitionUpdate(context.Background(), after, before), new.writtenPath)
	return slices.DeleteFunc(all, func(f Fault) bool { return slices.Contains(alone, f) }), nil
}

// asUpdated sets of both what an API server sets before it validates an update (strategy PrepareForUpdate).
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

// withoutSchemas is the internal form of d with an empty schema in place of each one. An update is never refused for a schema
// that could be created: of schemas the API server asks the same in it as on create, or less. So it need not compile all CEL
// rules again to say nothing.
func (d *Outline) withoutSchemas() (*apiextensions.CustomResourceDefinition, error) {
	return toInternal(d.emptySchemas)
}
