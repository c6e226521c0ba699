package snapshot

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/find"
)

// Metadata is the part of the metadata of an object that is used.
type Metadata struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	Generation  int64             `json:"generation"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Deleted     string            `json:"deletionTimestamp"` // when somebody asked to delete it, "" if nobody did
	Finalizers  []string          `json:"finalizers"`
}

// Condition is a condition in a status.
type Condition struct {
	Type       string `json:"type"`
	Status     string `json:"status"`
	Generation int64  `json:"observedGeneration"`
	Reason     string `json:"reason"`
	Message    string `json:"message"`
}

// Subscription is a Subscription of OLM v0.
type Subscription struct {
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		Package     string                     `json:"name"`
		Channel     string                     `json:"channel"`
		Source      string                     `json:"source"`
		Namespace   string                     `json:"sourceNamespace"`
		StartingCSV string                     `json:"startingCSV"`
		Approval    string                     `json:"installPlanApproval"`
		Config      map[string]json.RawMessage `json:"config"`
	} `json:"spec"`
	Status struct {
		Installed string `json:"installedCSV"`
		Current   string `json:"currentCSV"`
		State     string `json:"state"`
		Plan      struct {
			Name string `json:"name"`
		} `json:"installPlanRef"`
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// True returns the condition of a type if it is True, else nil.
func True(all []Condition, kind string) *Condition {
	return find.Pointer(all, func(c Condition) bool { return c.Type == kind && c.Status == "True" })
}

// ClusterServiceVersion is what of a ClusterServiceVersion decides upgrades.
type ClusterServiceVersion struct {
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		Version      string                                      `json:"version"`
		Replaces     string                                      `json:"replaces"`
		MinKube      string                                      `json:"minKubeVersion"`
		CRDs         OwnedAndRequired[csv.CRDDescription]        `json:"customresourcedefinitions"`
		APIServices  OwnedAndRequired[csv.APIServiceDescription] `json:"apiservicedefinitions"`
		InstallModes []csv.InstallMode                           `json:"installModes"`
	} `json:"spec"`
	Status struct {
		Phase        string        `json:"phase"`
		Reason       string        `json:"reason"`
		Message      string        `json:"message"`
		Requirements []Requirement `json:"requirementStatus"`
		History      []CSVState    `json:"conditions"` // oldest first
	} `json:"status"`
	Object *bundled.Object `json:"-"` // the whole object
}

// CSVState is a phase in which a ClusterServiceVersion was.
type CSVState struct {
	Phase  string `json:"phase"`
	Reason string `json:"reason"`
}

// Requirement is what a ClusterServiceVersion requires of the cluster, and whether it is there.
type Requirement struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Status  string `json:"status"`
	Message string `json:"message"`
}

// Unmet returns the requirements that are not there (api: v1alpha1 StatusReason).
func (o *ClusterServiceVersion) Unmet() []Requirement {
	return slices.DeleteFunc(slices.Clone(o.Status.Requirements), func(r Requirement) bool { return r.Status == "Present" || r.Status == "Satisfied" })
}

// OwnedAndRequired is what a ClusterServiceVersion owns and requires of one kind.
type OwnedAndRequired[T any] struct {
	Owned    []T `json:"owned"`
	Required []T `json:"required"`
}

// unusedOfCSV are the large parts of a ClusterServiceVersion that nothing depends on.
func unusedOfCSV(path []string) bool {
	if len(path) == 3 && path[0] == "metadata" && path[1] == "annotations" {
		return path[2] != Properties
	}
	return len(path) == 2 && path[0] == "spec" && slices.Contains([]string{"install", "icon", "description", "links", "relatedImages"}, path[1])
}

// Properties is the annotation of a ClusterServiceVersion with the properties of its bundle.
const Properties = "operatorframework.io/properties"

// Properties returns the properties of the bundle that it was installed from; false if it does not have them.
func (o *ClusterServiceVersion) Properties() (values []catalogs.PropertyValue, ok bool, err error) {
	text, ok := o.Metadata.Annotations[Properties]
	if !ok {
		return nil, false, nil
	}
	var list struct {
		Properties []struct {
			Type  string          `json:"type"`
			Value json.RawMessage `json:"value"`
		} `json:"properties"`
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return nil, true, err
	}
	for _, p := range list.Properties {
		values = append(values, catalogs.PropertyValue{Type: p.Type, Value: p.Value})
	}
	return values, true, nil
}

// CatalogSource is a CatalogSource of OLM v0.
type CatalogSource struct {
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		Priority int    `json:"priority"`
		Type     string `json:"sourceType"`
		Image    string `json:"image"`
	} `json:"spec"`
	Status struct {
		Reason     string         `json:"reason"`
		Message    string         `json:"message"`
		Service    map[string]any `json:"registryService"`
		Connection *struct {
			State string `json:"lastObservedState"`
		} `json:"connectionState"`
	} `json:"status"`
}

// Unreachable returns the last state of the connection if OLM could not read the catalog then, else "" (OLM: resolver
// registrySource Snapshot, which asks over that connection; without one there is an errorSource). IDLE connects when asked.
func (o *CatalogSource) Unreachable() string {
	c := o.Status.Connection
	switch {
	case (c == nil || c.State == "") && o.Status.Reason == "" && len(o.Status.Service) > 0:
		return "OLM has no connection to it yet"
	case (c == nil || c.State == "") && o.Status.Message != "":
		return o.Status.Reason + ": " + o.Status.Message
	case c == nil || c.State == "":
		return o.Status.Reason
	case c.State == "READY" || c.State == "IDLE":
		return ""
	}
	return c.State
}

// OperatorGroup is an OperatorGroup of OLM v0.
type OperatorGroup struct {
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		Strategy       string   `json:"upgradeStrategy"`
		ServiceAccount string   `json:"serviceAccountName"`
		Targets        []string `json:"targetNamespaces"`
		Selector       *struct {
			Labels      map[string]string `json:"matchLabels"`
			Expressions []json.RawMessage `json:"matchExpressions"`
		} `json:"selector"`
	} `json:"spec"`
	Status struct {
		Namespaces []string    `json:"namespaces"`
		Updated    string      `json:"lastUpdated"`
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// Targets returns the namespaces that operators of the group watch, sorted, "" for all; known is false where only the cluster can tell (OLM:
// olm getOperatorGroupTargets).
func (o *OperatorGroup) Targets() (targets []string, known bool) {
	switch selector := o.Spec.Selector; {
	case len(o.Status.Namespaces) > 0:
		targets = o.Status.Namespaces
	case o.Status.Updated != "":
	case len(o.Spec.Targets) > 0:
		targets = o.Spec.Targets
	case selector == nil || len(selector.Labels)+len(selector.Expressions) == 0:
		targets = []string{""}
	default:
		return nil, false
	}
	targets = slices.Clone(targets)
	slices.Sort(targets)
	return slices.Compact(targets), true
}

// OperatorCondition is an OperatorCondition, v1 or v2.
type OperatorCondition struct {
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		Overrides  []Condition `json:"overrides"`
		Conditions []Condition `json:"conditions"`
	} `json:"spec"`
	Status struct {
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// InstallPlan is an InstallPlan of OLM v0.
type InstallPlan struct {
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		CSVs     []string `json:"clusterServiceVersionNames"`
		Approved bool     `json:"approved"`
	} `json:"spec"`
	Status struct {
		Phase      string      `json:"phase"`
		Message    string      `json:"message"`
		Conditions []Condition `json:"conditions"`
		Lookups    []struct {
			Bundle     string      `json:"identifier"`
			Conditions []Condition `json:"conditions"`
		} `json:"bundleLookups"`
		Plan []struct {
			Resolving string `json:"resolving"` // the ClusterServiceVersion that it is of
			Status    string `json:"status"`
			Resource  struct {
				Kind     string `json:"kind"`
				Name     string `json:"name"`
				Manifest string `json:"manifest"`
			} `json:"resource"`
		} `json:"plan"`
	} `json:"status"`
}

// Messages returns why an InstallPlan is not installed: what it says itself, and of each bundle that could not be unpacked.
func (o *InstallPlan) Messages() (all []string) {
	said := o.Status.Message
	for _, c := range o.Status.Conditions {
		if c.Type == "Installed" && c.Status == "False" {
			said = cmp.Or(c.Message, said, c.Reason)
		}
	}
	if said != "" {
		all = append(all, said)
	}
	for _, lookup := range o.Status.Lookups {
		for _, c := range lookup.Conditions { // as OLM, which tells images that cannot be pulled by their message (OLM: catalog syncResolvingNamespace)
			if c.Status == "True" && (c.Type == "BundleLookupFailed" || strings.Contains(c.Message, "ImagePull")) {
				all = append(all, fmt.Sprintf("%s: %s: %s", lookup.Bundle, c.Reason, c.Message))
			}
		}
	}
	return all
}

// StoppedStep returns the object of the first step that is not done, as KIND NAME; "" if there is none (OLM: catalog ExecutePlan).
func (o *InstallPlan) StoppedStep() string {
	for _, s := range o.Status.Plan {
		if s.Status == "Unknown" || s.Status == "NotPresent" {
			return s.Resource.Kind + " " + s.Resource.Name
		}
	}
	return ""
}

// ClusterExtension is an operator that OLM v1 installs.
type ClusterExtension struct {
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		Namespace string `json:"namespace"`
		Source    struct {
			Catalog struct {
				Package  string   `json:"packageName"`
				Version  string   `json:"version"`
				Channels []string `json:"channels"`
				Policy   string   `json:"upgradeConstraintPolicy"`
				Selector *struct {
					Labels      map[string]string `json:"matchLabels"`
					Expressions []any             `json:"matchExpressions"`
				} `json:"selector"`
			} `json:"catalog"`
		} `json:"source"`
	} `json:"spec"`
	Status struct {
		Install struct {
			Bundle struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"bundle"`
		} `json:"install"`
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// ClusterCatalog is a catalog of OLM v1.
type ClusterCatalog struct {
	Metadata Metadata `json:"metadata"`
	Spec     struct {
		AvailabilityMode string `json:"availabilityMode"`
		Source           struct {
			Image struct {
				Ref string `json:"ref"`
			} `json:"image"`
		} `json:"source"`
	} `json:"spec"`
}

// ClusterOperator is a part of OpenShift.
type ClusterOperator struct {
	Metadata Metadata `json:"metadata"`
	Status   struct {
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// Name returns the name of the ClusterOperator.
func (o *ClusterOperator) Name() string { return o.Metadata.Name }

// NotUpgradeable returns the message of the condition Upgradeable if it is False (OpenShift: cluster-version-operator).
func (o *ClusterOperator) NotUpgradeable() (message string, not bool) {
	for _, c := range o.Status.Conditions {
		if c.Type == "Upgradeable" && c.Status == "False" {
			return c.Message, true
		}
	}
	return "", false
}

// Description is a namespace in a short form of our own, for questions without a cluster.
type Description struct {
	OpenShift     string                  `json:"openshift"`
	Namespace     string                  `json:"namespace"`
	Installed     []string                `json:"installed"`
	Subscriptions []DescribedSubscription `json:"subscriptions"`
	Catalogs      []DescribedCatalog      `json:"catalogs"`
}

// DescribedSubscription is a Subscription of a Description.
type DescribedSubscription struct {
	Name        string `json:"name"`
	Package     string `json:"package"`
	Channel     string `json:"channel"`
	Catalog     string `json:"catalog"`
	StartingCSV string `json:"startingCSV"`
	Installed   string `json:"installed"`
	Approval    string `json:"approval"`
}

// DescribedCatalog is a CatalogSource of a Description.
type DescribedCatalog struct {
	Name      string `json:"name"`
	Ref       string `json:"ref"`
	Priority  int    `json:"priority"`
	Namespace string `json:"namespace"`
}
