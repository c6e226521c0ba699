package judge

import "fmt"

// ConditionKind is a kind of conditions.
type ConditionKind int

// The kinds.
const (
	KubernetesFrom ConditionKind = iota // the cluster has Kubernetes 1.Minor or later
	NotServed                           // the cluster does not serve Name
	CRDAbsent                           // the cluster does not have the CRD Name
)

// Condition is a condition of a cluster under which a reason holds.
type Condition struct {
	Kind  ConditionKind
	Minor int
	Name  string
}

// String says it, as follows "where".
func (c Condition) String() string {
	switch c.Kind {
	case NotServed:
		return "the cluster does not serve " + c.Name
	case CRDAbsent:
		return "the cluster does not have CRD " + c.Name
	}
	return fmt.Sprintf("Kubernetes is 1.%d or later", c.Minor)
}
