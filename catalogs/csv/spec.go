package csv

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// ObjectMeta is the metadata of any object.
type ObjectMeta struct {
	Name         string            `json:"name"`
	GenerateName string            `json:"generateName"`
	Annotations  map[string]string `json:"annotations"`
	Labels       map[string]string `json:"labels"`
}

// Spec is the spec of a ClusterServiceVersion.
type Spec struct {
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
		Owned    []CRDDescription `json:"owned"`
		Required []CRDDescription `json:"required"`
	} `json:"customresourcedefinitions"`
	APIServices struct {
		Owned []APIServiceDescription `json:"owned"`
	} `json:"apiservicedefinitions"`
	NativeAPIs    []catalogs.API       `json:"nativeAPIs"`
	InstallModes  []InstallMode        `json:"installModes"`
	Webhooks      []WebhookDescription `json:"webhookdefinitions"`
	Install       Install              `json:"install"`
	RelatedImages []struct {
		Name  string `json:"name"`
		Image string `json:"image"`
	} `json:"relatedImages"`
}

// CRDDescription is an owned or required CRD of a ClusterServiceVersion.
type CRDDescription struct {
	Name        string `json:"name"`
	Version     string `json:"version"`
	Kind        string `json:"kind"`
	Description string `json:"description"`
}

// APIServiceDescription is an API that the operator serves (Kubernetes: API aggregation).
type APIServiceDescription struct {
	Name           string `json:"name"`
	Group          string `json:"group"`
	Version        string `json:"version"`
	Kind           string `json:"kind"`
	DeploymentName string `json:"deploymentName"`
}

// InstallMode is an install mode, and whether the operator supports it (OLM: OperatorGroup).
type InstallMode struct {
	Type      string `json:"type"`
	Supported bool   `json:"supported"`
}

// WebhookDescription is an admission or conversion webhook that OLM creates for the operator.
type WebhookDescription struct {
	Type           string        `json:"type"`
	GenerateName   string        `json:"generateName"`
	DeploymentName string        `json:"deploymentName"`
	ConversionCRDs []string      `json:"conversionCRDs"`
	ContainerPort  *int          `json:"containerPort"`
	Rules          []WebhookRule `json:"rules"`
	FailurePolicy  *string       `json:"failurePolicy"` // nil: Fail
	// The selectors are not decoded; none: all objects.
	ObjectSelector json.RawMessage `json:"objectSelector"`
}

// FailsClosed reports whether the API server rejects requests while the webhook does not answer.
func (w *WebhookDescription) FailsClosed() bool {
	return w.FailurePolicy == nil || *w.FailurePolicy != "Ignore"
}

// IsWider reports whether the webhook has lost the selector that another one has.
func (w *WebhookDescription) IsWider(than *WebhookDescription) bool {
	return len(than.ObjectSelector) > 0 && len(w.ObjectSelector) == 0
}

// ResourcesOutside returns the resources of other API groups than some for which the webhook is called, as "pods" or "routes.route.openshift.io".
func (w *WebhookDescription) ResourcesOutside(groups map[string]bool) (all []string) {
	for _, rule := range w.Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				if !groups[group] {
					all = append(all, strings.TrimSuffix(resource+"."+group, "."))
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// WebhookRule has the resources for which an admission webhook is called.
type WebhookRule struct {
	APIGroups []string `json:"apiGroups"`
	Resources []string `json:"resources"`
}

// Install is the install strategy of the operator.
type Install struct {
	Strategy string `json:"strategy"`
	Spec     struct {
		Deployments        []Deployment          `json:"deployments"`
		Permissions        []ServiceAccountRules `json:"permissions"`
		ClusterPermissions []ServiceAccountRules `json:"clusterPermissions"`
	} `json:"spec"`
}

// ServiceAccountRules are the permissions of a service account.
type ServiceAccountRules struct {
	ServiceAccountName string       `json:"serviceAccountName"`
	Rules              []PolicyRule `json:"rules"`
}

// PolicyRule is a rule of a role (Kubernetes: rbac/v1 PolicyRule).
type PolicyRule struct {
	Verbs           []string `json:"verbs"`
	APIGroups       []string `json:"apiGroups"`
	Resources       []string `json:"resources"`
	ResourceNames   []string `json:"resourceNames"`
	NonResourceURLs []string `json:"nonResourceURLs"`
}

// Deployment is a deployment that OLM creates for the operator.
type Deployment struct {
	Name string `json:"name"`
	Spec struct {
		Selector json.RawMessage `json:"selector"`
		Template struct {
			Metadata struct {
				Labels map[string]string `json:"labels"`
			} `json:"metadata"`
			Spec PodSpec `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

// PodSpec is the spec of a deployment's pods.
type PodSpec struct {
	ServiceAccountName string `json:"serviceAccountName"`
	Volumes            []struct {
		Name string `json:"name"`
	} `json:"volumes"`
	Containers     []Container `json:"containers"`
	InitContainers []Container `json:"initContainers"`
}

// Container is a container of a pod.
type Container struct {
	Name  string `json:"name"`
	Image string `json:"image"`
	Env   []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"env"`
	Resources struct {
		Requests map[string]any `json:"requests"`
	} `json:"resources"`
	VolumeMounts []struct {
		Name string `json:"name"`
		Path string `json:"mountPath"`
	} `json:"volumeMounts"`
}

// Allows reports whether a rule allows one of the verbs, or all, on one of the resources of an API group.
func (r *PolicyRule) Allows(group string, resources []string, verbs ...string) bool {
	return slices.Contains(r.APIGroups, group) && words.ContainsAny(r.Resources, resources...) && (words.ContainsAny(r.Verbs, verbs...) || slices.Contains(r.Verbs, "*"))
}
