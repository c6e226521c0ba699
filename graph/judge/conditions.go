package judge

import (
	"fmt"
	"slices"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// ConditionKind is a kind of conditions.
type ConditionKind int

// The kinds.
const (
	KubernetesFrom   ConditionKind = iota // the cluster has Kubernetes 1.Minor or later
	KubernetesBefore                      // it has one before the version Name
	groupNeeds                            // the OperatorGroup needs one of Modes
	notServed                             // the cluster does not serve API
	crdAbsent                             // the cluster does not have the CRD Name
	objectsExist                          // there is an object of the kind Name
	storedIn                              // objects are stored in the version Name
	objectsUnfit                          // there is one that does not match the new schema
)

// Condition is a condition of a cluster under which a reason holds.
type Condition struct {
	Kind      ConditionKind
	Minor     int
	Name      string
	Modes     []string
	API       catalogs.API
	OpenShift bool // OpenShift serves it
}

// String says it, as follows "where".
func (c Condition) String() string {
	switch c.Kind {
	case KubernetesBefore:
		return "Kubernetes is earlier than " + c.Name
	case groupNeeds:
		return "the OperatorGroup needs " + strings.Join(c.Modes, " or ")
	case notServed:
		if c.OpenShift {
			return "the cluster does not serve " + c.API.String() + ", as OpenShift does"
		}
		return "the cluster does not serve " + c.API.String()
	case storedIn:
		return "objects are still stored in " + c.Name
	case objectsUnfit:
		return words.WithArticle(c.Name) + " does not match the new schema"
	case objectsExist:
		return "there is " + words.WithArticle(c.Name)
	case crdAbsent:
		return "the cluster does not have CRD " + c.Name
	}
	return fmt.Sprintf("Kubernetes is 1.%d or later", c.Minor)
}

// NotOnOpenShift reports whether it does not hold on OpenShift, which serves what it needs.
func (r *Reason) NotOnOpenShift() bool {
	return slices.ContainsFunc(r.Where, func(c Condition) bool { return c.OpenShift })
}

// filterConditions reports whether the cluster can meet the conditions of a reason, and leaves those that are open.
func (s *clusterState) filterConditions(r *Reason) bool {
	var open []Condition
	for _, c := range r.Where {
		holds, known := s.checkCondition(c)
		if known && !holds {
			return false
		}
		if !known {
			open = append(open, c)
		}
	}
	r.Where = open
	return true
}

// checkCondition reports whether the cluster meets a condition, and whether that is known.
func (s *clusterState) checkCondition(c Condition) (holds, known bool) {
	switch c.Kind {
	case KubernetesFrom:
		v, err := semver.ParseTolerant(s.Kubernetes)
		return v.Major == 1 && v.Minor >= uint64(c.Minor), err == nil
	case KubernetesBefore:
		return csv.UnmetKubernetes(c.Name, s.Kubernetes) != nil, s.Kubernetes != "" || csv.UnmetKubernetes(c.Name, s.leastKubernetes) == nil
	case groupNeeds:
		if s.Cluster == nil || len(s.Cluster.Modes) == 0 {
			return false, false
		}
		return slices.ContainsFunc(c.Modes, func(mode string) bool { return slices.Contains(s.Cluster.Modes, mode) }), true
	case notServed:
		_, ofCRD := otherKinds[c.API.Kind] // other APIs can be those of an API server that is added
		serves := s.serves(c.API)
		return !serves, serves || ofCRD && s.hasAllCRDs()
	case crdAbsent:
		return s.crds[c.Name] == nil, s.hasCRDs()
	}
	return false, false
}

// hasCRDs reports whether the CRDs of the cluster are known.
func (s *clusterState) hasCRDs() bool {
	return s.Cluster != nil && (len(s.Cluster.crds) > 0 || len(s.Cluster.Others) > 0)
}

// hasAllCRDs reports whether all CRDs of the cluster are known: a list that lacks those of OLM itself, which each cluster has, is only a part.
func (s *clusterState) hasAllCRDs() bool {
	name := "subscriptions.operators.coreos.com"
	return s.Cluster != nil && (s.Cluster.crds[name] != nil || len(s.Cluster.Others["operators.coreos.com"]) > 0)
}

// serves reports whether a CRD of the cluster serves an API.
func (s *clusterState) serves(api catalogs.API) bool {
	serves := func(live *liveCRD) bool {
		return live.Group == api.Group && live.Kind == api.Kind && live.Serves(api.Version)
	}
	for _, live := range s.crds {
		if serves(live) {
			return true
		}
	}
	return s.Cluster != nil && slices.ContainsFunc(s.Cluster.Others[api.Group], func(o *bundled.Object) bool {
		live, err := newLiveCRD(o)
		return err == nil && serves(live)
	})
}

// ofKubernetes reports whether a condition is of the version of Kubernetes, and the cluster meets it.
func (s *clusterState) ofKubernetes(c Condition) bool {
	holds, known := s.checkCondition(c)
	return (c.Kind == KubernetesFrom || c.Kind == KubernetesBefore) && holds && known
}
