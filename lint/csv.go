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
	APIVersion string     `json:"apiVersion"`
	Kind       string     `json:"kind"`
	Metadata   objectMeta `json:"metadata"`
	Spec       csvSpec    `json:"spec"`

	listed  []example
	decoded bool // listed is
}

// objectMeta is the metadata of any object.
type objectMeta struct {
	Name         string            `json:"name"`
	GenerateName string            `json:"generateName"`
	Annotations  map[string]string `json:"annotations"`
	Labels       map[string]string `json:"labels"`
}

type csvSpec struct {
	Version        string   `json:"version"`
	Release        string   `json:"release"`
	Replaces       string   `json:"replaces"`
	Skips          []string `json:"skips"`
	MinKubeVersion string   `json:"minKubeVersion"`

	DisplayName string   `json:"displayName"`
	Description string   `json:"description"`
	Keywords    []string `json:"keywords"`
	Provider    struct {
		Name string `json:"name"`
	} `json:"provider"`
	Maintainers []struct {
		Name  string `json:"name"`
		Email string `json:"email"`
	} `json:"maintainers"`
	Links []struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	} `json:"links"`

	CRDs struct {
		Owned    []csvCRD `json:"owned"`
		Required []csvCRD `json:"required"`
	} `json:"customresourcedefinitions"`
	APIServices struct {
		Owned []apiService `json:"owned"`
	} `json:"apiservicedefinitions"`
	InstallModes  []installMode `json:"installModes"`
	Webhooks      []webhook     `json:"webhookdefinitions"`
	Install       install       `json:"install"`
	RelatedImages []struct {
		Name  string `json:"name"`
		Image string `json:"image"`
	} `json:"relatedImages"`
}

// csvCRD is an owned or required CRD of a ClusterServiceVersion.
type csvCRD struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Kind        string `json:"kind"`
	Description string `json:"description"`
}

// apiService is an API that the operator serves itself.
type apiService struct {
	Name           string `json:"name"`
	Group          string `json:"group"`
	Version        string `json:"version"`
	Kind           string `json:"kind"`
	DeploymentName string `json:"deploymentName"`
}

type installMode struct {
	Type      string `json:"type"`
	Supported bool   `json:"supported"`
}

// webhook is an admission or conversion webhook that OLM makes for the operator.
type webhook struct {
	Type                    string        `json:"type"`
	GenerateName            string        `json:"generateName"`
	DeploymentName          string        `json:"deploymentName"`
	ConversionCRDs          []string      `json:"conversionCRDs"`
	ContainerPort           *int          `json:"containerPort"`
	SideEffects             *string       `json:"sideEffects"`
	AdmissionReviewVersions []string      `json:"admissionReviewVersions"`
	Rules                   []webhookRule `json:"rules"`
}

// webhookRule is what an admission webhook is asked about.
type webhookRule struct {
	APIGroups []string `json:"apiGroups"`
	Resources []string `json:"resources"`
}

// conversionWebhook is the Type of a webhook that converts between the versions of CRDs.
const conversionWebhook = "ConversionWebhook"

// install is how OLM installs the operator.
type install struct {
	Strategy string `json:"strategy"`
	Spec     struct {
		Deployments        []deployment   `json:"deployments"`
		Permissions        []serviceRules `json:"permissions"`
		ClusterPermissions []serviceRules `json:"clusterPermissions"`
	} `json:"spec"`
}

// serviceRules is what a service account may do.
type serviceRules struct {
	ServiceAccountName string       `json:"serviceAccountName"`
	Rules              []policyRule `json:"rules"`
}

// policyRule is a rule of a role (Kubernetes: rbac/v1 PolicyRule).
type policyRule struct {
	Verbs           []string `json:"verbs"`
	APIGroups       []string `json:"apiGroups"`
	Resources       []string `json:"resources"`
	ResourceNames   []string `json:"resourceNames"`
	NonResourceURLs []string `json:"nonResourceURLs"`
}

type deployment struct {
	Name string `json:"name"`
	Spec struct {
		Selector json.RawMessage `json:"selector"`
		Template struct {
			Spec podSpec `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

type podSpec struct {
	ServiceAccountName string      `json:"serviceAccountName"`
	Containers         []container `json:"containers"`
	InitContainers     []container `json:"initContainers"`
}

type container struct {
	Name  string `json:"name"`
	Image string `json:"image"`
	Env   []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Resources struct {
		Requests map[string]any `json:"requests"`
	} `json:"resources"`
}

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
			known.fault = json.Unmarshal(m.JSON(), known.csv)
			if f.csvs == nil {
				f.csvs = map[*catalogs.Object]*decodedCSV{}
			}
			f.csvs[m.Object] = known
		}
		return &decodedCSV{csv: known.csv, Manifest: m, fault: known.fault}
	}
	return nil
}
