package judge

import (
	"fmt"
	"slices"
)

// ConditionKind is a kind of conditions.
type ConditionKind int

// The kinds.
const (
	KubernetesFrom ConditionKind = iota // the cluster has Kubernetes 1.Minor or later
	NotServed                           // the cluster does not serve Name
	CRDAbsent                           // the cluster does not have the CRD Name
	ObjectsExist                        // there is an object of the kind Name
	StoredIn                            // objects are stored in the version Name
	ObjectsUnfit                        // there is one that does not match the new schema
)

// Condition is a condition of a cluster under which a reason holds.
type Condition struct {
	Kind      ConditionKind
	Minor     int
	Name      string
	OpenShift bool // OpenShift serves it
}

// String says it, as follows "where".
func (c Condition) String() string {
	switch c.Kind {
	case NotServed:
		if c.OpenShift {
			return "the cluster does not serve " + c.Name + ", as OpenShift does"
		}
		return "the cluster does not serve " + c.Name
	case StoredIn:
		return "objects are still stored in " + c.Name
	case ObjectsUnfit:
		return "a " + c.Name + " does not match the new schema"
	case ObjectsExist:
		return "there is a " + c.Name
	case CRDAbsent:
		return "the cluster does not have CRD " + c.Name
	}
	return fmt.Sprintf("Kubernetes is 1.%d or later", c.Minor)
}

// NotOnOpenShift reports whether it does not hold on OpenShift, which serves what it needs.
func (r *Reason) NotOnOpenShift() bool {
	return slices.ContainsFunc(r.Where, func(c Condition) bool { return c.OpenShift })
}
