package lint

import (
	"encoding/json"

	"github.com/olmgraph/olmgraph/catalogs"
)

// The kinds of objects that OLM itself reads in a bundle.
const (
	kindCSV = "ClusterServiceVersion"
	kindCRD = "CustomResourceDefinition"
)

// csv is what the rules ask of a ClusterServiceVersion (operator-framework/api: pkg/operators/v1alpha1).
type csv struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name        string            `json:"name"`
		Annotations map[string]string `json:"annotations"`
		Labels      map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec csvSpec `json:"spec"`
}

type csvSpec struct {
	Version  string   `json:"version"`
	Replaces string   `json:"replaces"`
	Skips    []string `json:"skips"`

	CRDs struct {
		Owned    []csvCRD `json:"owned"`
		Required []csvCRD `json:"required"`
	} `json:"customresourcedefinitions"`
	InstallModes []installMode `json:"installModes"`
	Webhooks     []webhook     `json:"webhookdefinitions"`
}

// csvCRD is an owned or required CRD of a ClusterServiceVersion.
type csvCRD struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

type installMode struct {
	Type      string `json:"type"`
	Supported bool   `json:"supported"`
}

// webhook is an admission or conversion webhook that OLM makes for the operator.
type webhook struct {
	Type           string   `json:"type"`
	GenerateName   string   `json:"generateName"`
	DeploymentName string   `json:"deploymentName"`
	ConversionCRDs []string `json:"conversionCRDs"`
}

// conversionWebhook is the Type of a webhook that converts between the versions of CRDs.
const conversionWebhook = "ConversionWebhook"

// decodedCSV is the ClusterServiceVersion of a bundle.
type decodedCSV struct {
	*csv
	*catalogs.Manifest
	// fault is why a part of it could not be decoded; the rest was.
	fault error
}

// csvOf returns the ClusterServiceVersion of a bundle, the first one if it has several, or nil. Bundles that have the same one
// share what was decoded.
func (f *facts) csvOf(b *catalogs.Bundle) *decodedCSV {
	for _, m := range f.manifestsOf(b) {
		if m.Kind != kindCSV {
			continue
		}
		known, ok := f.csvs[m.Object]
		if !ok {
			known = &decodedCSV{csv: new(csv)}
			known.fault = json.Unmarshal(m.JSON, known.csv)
			if f.csvs == nil {
				f.csvs = map[*catalogs.Object]*decodedCSV{}
			}
			f.csvs[m.Object] = known
		}
		return &decodedCSV{csv: known.csv, Manifest: m, fault: known.fault}
	}
	return nil
}
