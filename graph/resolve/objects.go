package resolve

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

// metadata is the part of the metadata of an object that is used.
type metadata struct {
	Name        string            `json:"name"`
	Namespace   string            `json:"namespace"`
	Generation  int64             `json:"generation"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

type subscriptionObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Package     string `json:"name"`
		Channel     string `json:"channel"`
		Source      string `json:"source"`
		Namespace   string `json:"sourceNamespace"`
		StartingCSV string `json:"startingCSV"`
		Approval    string `json:"installPlanApproval"`
	} `json:"spec"`
	Status struct {
		Installed string `json:"installedCSV"`
		Current   string `json:"currentCSV"`
		State     string `json:"state"`
		Plan      struct {
			Name string `json:"name"`
		} `json:"installPlanRef"`
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

type csvObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Version     string                       `json:"version"`
		Replaces    string                       `json:"replaces"`
		MinKube     string                       `json:"minKubeVersion"`
		CRDs        ownedAndRequired[crd]        `json:"customresourcedefinitions"`
		APIServices ownedAndRequired[apiService] `json:"apiservicedefinitions"`
		// InstallModes are read from the bundles of catalogs as well.
		InstallModes []installMode `json:"installModes"`
	} `json:"spec"`
	Status struct {
		Phase  Phase  `json:"phase"`
		Reason string `json:"reason"`
	} `json:"status"`
}

// ownedAndRequired is what a CSV owns and requires of one kind.
type ownedAndRequired[T any] struct {
	Owned    []T `json:"owned"`
	Required []T `json:"required"`
}

// crd is a CRD as a CSV names it.
type crd struct{ Name, Version, Kind string }

func (c crd) api() catalogs.API {
	_, group, _ := strings.Cut(c.Name, ".")
	return catalogs.API{Group: group, Version: c.Version, Kind: c.Kind}
}

// apiService is an API of an API service.
type apiService struct{ Group, Version, Kind string }

func (a apiService) api() catalogs.API { return catalogs.API(a) }

type sourceObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Priority int    `json:"priority"`
		Image    string `json:"image"`
	} `json:"spec"`
	Status struct {
		Reason     string `json:"reason"`
		Connection *struct {
			State string `json:"lastObservedState"`
		} `json:"connectionState"`
	} `json:"status"`
}

// unreachable returns the last state of the connection if OLM could not read the catalog then, else "" (OLM: resolver
// registrySource Snapshot, which asks over that connection; without one there is an errorSource). IDLE connects when asked.
func (o *sourceObject) unreachable() string {
	c := o.Status.Connection
	switch {
	case c == nil || c.State == "":
		return o.Status.Reason
	case c.State == "READY" || c.State == "IDLE":
		return ""
	}
	return c.State
}

type groupObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Strategy string   `json:"upgradeStrategy"`
		Targets  []string `json:"targetNamespaces"`
		Selector *struct {
			Labels      map[string]string `json:"matchLabels"`
			Expressions []json.RawMessage `json:"matchExpressions"`
		} `json:"selector"`
	} `json:"spec"`
	Status struct {
		Namespaces []string `json:"namespaces"`
		Updated    string   `json:"lastUpdated"`
	} `json:"status"`
}

// targets returns the namespaces that operators of the group watch; known is false where only the cluster can tell (OLM: olm
// getOperatorGroupTargets).
func (o *groupObject) targets() (targets []string, known bool) {
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

// planObject is an InstallPlan.
type planObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		CSVs     []string `json:"clusterServiceVersionNames"`
		Approved bool     `json:"approved"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
		Plan  []struct {
			Resolving string `json:"resolving"`
			Resource  struct {
				Kind     string `json:"kind"`
				Name     string `json:"name"`
				Manifest string `json:"manifest"`
			} `json:"resource"`
		} `json:"plan"`
	} `json:"status"`
}

// What OLM calls these things.
const (
	excludeGlobal = "olm.operatorframework.io/exclude-global-namespace-resolution"
	properties    = "operatorframework.io/properties"
	failForward   = "TechPreviewUnsafeFailForward"
)

// nameOfKind returns kind, name and namespace of an object.
func nameOfKind(kind, name, namespace string) string {
	if namespace == "" {
		return fmt.Sprintf("%s %q", kind, name)
	}
	return fmt.Sprintf("%s %q in namespace %q", kind, name, namespace)
}

// explainTypeError says of a field of the wrong type which field it is, what it has and which type is expected.
func explainTypeError(err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) || wrong.Field == "" {
		return err
	}
	want := map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "true or false", reflect.Int: "an integer", reflect.Int64: "an integer",
		reflect.Slice: "a list"}[wrong.Type.Kind()]
	if want == "" {
		want = "an object"
	}
	return fmt.Errorf("%s: want %s, found %s", wrong.Field, want, strings.ReplaceAll(wrong.Value, "array", "list"))
}
