package resolve

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/olmgraph/olmgraph/catalogs"
	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/csv"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph/snapshot"
)

// OperatorGroups is what the OperatorGroups of a namespace specify.
type OperatorGroups struct {
	Names []string // of all of them: OLM wants exactly one
	// Targets are the namespaces that operators of the one group watch (status.namespaces), sorted; "" is all. They only
	// count where Known is set.
	Targets []string
	Known   bool
	// ServiceAccount is the one with whose permissions OLM installs and upgrades in the namespace; "" is OLM's own.
	ServiceAccount string
}

// Limited is a namespace where OLM installs and upgrades with the permissions of a service account alone: the API server forbids the rest (OLM: catalog
// ExecutePlan with a scoped client).
type Limited struct {
	Namespace      string `json:"namespace"`
	OperatorGroup  string `json:"operatorGroup"`
	ServiceAccount string `json:"serviceAccount"`
}

// Limited returns the limit of the namespace, none if it has none.
func (n *Namespace) Limited() []Limited {
	if g := n.Groups; g != nil && len(g.Names) == 1 && g.ServiceAccount != "" {
		return []Limited{{n.Name, g.Names[0], g.ServiceAccount}}
	}
	return nil
}

// invalid reports whether OLM resolves nothing because of the OperatorGroups (OLM: resolver IsFailForwardEnabled, ResolveSteps).
func (g *OperatorGroups) invalid() bool { return g != nil && len(g.Names) != 1 }

// The names of install modes; csv.AllNamespaces is the fourth.
const (
	ownNamespace    = "OwnNamespace"
	singleNamespace = "SingleNamespace"
	multiNamespace  = "MultiNamespace"
)

// The reasons that OLM gives for the phase Failed of an operator because of its install modes and the OperatorGroup.
const (
	NoTargetNamespaces       = "NoTargetNamespaces"
	InvalidInstallModes      = "InvalidInstallModes" // whatever the OperatorGroup
	UnsupportedOperatorGroup = "UnsupportedOperatorGroup"
)

// unsupportedReason is why an operator does not run with the OperatorGroup.
type unsupportedReason struct {
	reason string // of the phase Failed
	err    error
}

var (
	errNoTargets = errors.New("the OperatorGroup selects no namespace")
	errAllOfMany = errors.New("the OperatorGroup targets all namespaces and others besides")
)

// unsupportedModes returns why an operator with these install modes cannot run in the namespace, if the OperatorGroup has targets: nil
// if it can (OLM: olm transitionCSVState; api: v1alpha1 NewInstallModeSet).
func (n *Namespace) unsupportedModes(modes []csv.InstallMode) *unsupportedReason {
	set := map[string]bool{}
	for _, m := range modes {
		if _, twice := set[m.Type]; twice {
			return &unsupportedReason{InvalidInstallModes, fmt.Errorf("it lists the install mode %s twice", m.Type)}
		}
		set[m.Type] = m.Supported
	}
	if err := n.checkInstallModes(set); err != nil {
		return &unsupportedReason{UnsupportedOperatorGroup, err}
	}
	return nil
}

// RunWith reports whether all operators of the namespace are known to support the target namespaces of an OperatorGroup.
func (n *Namespace) RunWith(targets []string) bool {
	with := *n
	with.Groups = &OperatorGroups{Names: []string{""}, Targets: targets, Known: true}
	for i := range n.Installed {
		specified, err := with.specification(&n.Installed[i])
		if err != nil || specified.modes == nil || with.unsupportedModes(*specified.modes) != nil {
			return false
		}
	}
	return len(n.Installed) > 0
}

// NeededModes returns the install modes that an OperatorGroup of a namespace needs for its targets (api: v1alpha1 InstallModeSet.Supports).
func NeededModes(namespace string, targets []string) []string {
	switch {
	case len(targets) > 1 && slices.Contains(targets, namespace):
		return []string{multiNamespace, ownNamespace}
	case len(targets) > 1:
		return []string{multiNamespace}
	case len(targets) == 0:
		return nil
	case targets[0] == namespace:
		return []string{ownNamespace}
	case targets[0] == "":
		return []string{csv.AllNamespaces}
	}
	return []string{singleNamespace}
}

// checkInstallModes returns which install mode is missing for the targets of the OperatorGroup, or that none is enough.
func (n *Namespace) checkInstallModes(set map[string]bool) error {
	targets := n.Groups.Targets
	for _, mode := range NeededModes(n.Name, targets) {
		if !set[mode] {
			return fmt.Errorf("it does not support the install mode %s, and the OperatorGroup targets %s", mode, formatTargets(targets))
		}
	}
	if len(targets) > 1 && slices.Contains(targets, "") {
		return errAllOfMany
	}
	return nil
}

func formatTargets(targets []string) string {
	if len(targets) == 1 && targets[0] == "" {
		return "all namespaces"
	}
	return words.JoinSome(words.Quote(targets), 3)
}

// findUnsupported returns why an operator does not run with the OperatorGroup. If the install modes of the operator or the targets
// of the group are not known it is assumed to run; without targets none does (OLM: olm operatorGroupForCSV).
func (n *Namespace) findUnsupported(in specification) *unsupportedReason {
	switch {
	case n.Groups == nil || !n.Groups.Known || len(n.Groups.Names) != 1:
		return nil
	case len(n.Groups.Targets) == 0:
		return &unsupportedReason{NoTargetNamespaces, errNoTargets}
	case in.modes == nil:
		return nil
	}
	return n.unsupportedModes(*in.modes)
}

// specification is what a ClusterServiceVersion says about where it can run.
type specification struct {
	modes   *[]csv.InstallMode // nil if they are not known
	minKube string
}

// specification returns that of an installed operator: of its object, or else of the bundle that it was installed from. The error is of a
// source that has changed since it was read.
func (n *Namespace) specification(in *InstalledOperator) (specification, error) {
	groupMatters := n.Groups != nil && n.Groups.Known && len(n.Groups.Names) == 1 && len(n.Groups.Targets) > 0
	if in.modes != nil || in.source == nil || !groupMatters && n.Kubernetes == "" {
		return specification{in.modes, in.MinKube}, nil
	}
	return in.source.read()
}

// bundleSpecification is the specification of a bundle, which is read when it is asked for. It is safe for concurrent use.
type bundleSpecification struct {
	of    *catalogs.Bundle
	once  sync.Once
	known specification
	err   error
}

func (b *bundleSpecification) read() (specification, error) {
	b.once.Do(func() {
		var manifests []*bundled.Manifest
		if manifests, b.err = new(bundled.Manifests).Read(b.of); b.err != nil {
			return
		}
		for _, m := range manifests {
			if m.Kind != "ClusterServiceVersion" || m.Fault != "" {
				continue
			}
			var one snapshot.ClusterServiceVersion
			if json.Unmarshal(m.JSON(), &one) == nil {
				b.known = specification{&one.Spec.InstallModes, one.Spec.MinKube}
			}
			return
		}
	})
	return b.known, b.err
}
