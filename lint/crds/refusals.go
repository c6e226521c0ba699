package crds

import (
	"context"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
)

// Refusals is why an API server refuses new in place of old on a cluster on which old is established and objects were stored
// in the versions stored. Only what the update brings: what new has against it by itself is in its own Faults.
func Refusals(old, new *Definition, stored []string) (refusals []Fault, err error) {
	defer recovered("validating the update of the CustomResourceDefinition", &err)
	before, err := old.internal()
	if err != nil {
		return nil, err
	}
	after, err := new.internal()
	if err != nil {
		return nil, err
	}
	withoutSchemas(before)
	withoutSchemas(after)
	asCreated(after)
	alone := faultsOf(validation.ValidateCustomResourceDefinition(context.Background(), after), new.written)
	asUpdated(before, after, stored)
	all := faultsOf(validation.ValidateCustomResourceDefinitionUpdate(context.Background(), after, before), new.written)
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

// withoutSchemas puts an empty schema in place of each one. An update is never refused for a schema that could be created:
// in it the API server asks the same of schemas as on create, or less; it need not compile all rules again to say nothing.
func withoutSchemas(crd *apiextensions.CustomResourceDefinition) {
	empty := func(v *apiextensions.CustomResourceValidation) *apiextensions.CustomResourceValidation {
		if v == nil || v.OpenAPIV3Schema == nil {
			return v
		}
		return &apiextensions.CustomResourceValidation{OpenAPIV3Schema: &apiextensions.JSONSchemaProps{Type: "object"}}
	}
	crd.Spec.Validation, crd.Spec.SelectableFields = empty(crd.Spec.Validation), nil
	crd.Spec.Versions = slices.Clone(crd.Spec.Versions)
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		v.Schema, v.SelectableFields = empty(v.Schema), nil
	}
}
