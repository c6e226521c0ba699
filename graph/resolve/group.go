package resolve

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/olmgraph/olmgraph/catalogs"
)

// Groups is what the OperatorGroups of a namespace say.
type Groups struct {
	Names []string // of all of them: OLM wants exactly one
	// Targets are the namespaces that operators of the one group watch (status.namespaces), sorted; "" is all. They only
	// count where Known is set.
	Targets []string
	Known   bool
	// Nowhere says that the text has no OperatorGroup of any namespace, so perhaps its author left them out.
	Nowhere bool
}

// wrong reports whether OLM resolves nothing because of the OperatorGroups (OLM: resolver IsFailForwardEnabled, ResolveSteps).
func (g *Groups) wrong() bool { return g != nil && len(g.Names) != 1 }

// The names of install modes.
const (
	ownNamespace    = "OwnNamespace"
	singleNamespace = "SingleNamespace"
	multiNamespace  = "MultiNamespace"
	allNamespaces   = "AllNamespaces"
)

// installMode is an element of spec.installModes.
type installMode struct {
	Type      string `json:"type"`
	Supported bool   `json:"supported"`
}

var errNoTargets = errors.New("the OperatorGroup selects no namespace")

// supports returns why an operator of the namespace cannot run with these install modes: nil if it can (api: v1alpha1
// NewInstallModeSet, InstallModeSet.Supports).
func (n *Namespace) supports(modes []installMode) error {
	set := map[string]bool{}
	for _, m := range modes {
		if _, twice := set[m.Type]; twice {
			return fmt.Errorf("its install mode %s is there twice", m.Type)
		}
		set[m.Type] = m.Supported
	}
	targets := n.Groups.Targets
	var need []string
	switch {
	case len(targets) == 0:
		return errNoTargets
	case len(targets) > 1:
		need = append(need, multiNamespace)
		if slices.Contains(targets, n.Name) {
			need = append(need, ownNamespace)
		}
	case targets[0] == n.Name:
		need = append(need, ownNamespace)
	case targets[0] == "":
		need = append(need, allNamespaces)
	default:
		need = append(need, singleNamespace)
	}
	for _, mode := range need {
		if !set[mode] {
			return fmt.Errorf("it does not support the install mode %s, and the OperatorGroup targets %s", mode, targetWords(targets))
		}
	}
	return nil
}

func targetWords(targets []string) string {
	if len(targets) == 1 && targets[0] == "" {
		return "all namespaces"
	}
	const most = 3
	if left := len(targets) - most; left > 0 {
		return fmt.Sprintf("%s and %d more", quoted(targets[:most]), left)
	}
	return quoted(targets)
}

// unsupported returns why the OperatorGroup does not fit an operator. Of an operator whose install modes, or of a group whose
// targets are not known, it fits. The error is of a source that has changed since it was read.
func (n *Namespace) unsupported(in *Installed) (why, err error) {
	if n.Groups == nil || !n.Groups.Known || len(n.Groups.Names) != 1 {
		return nil, nil
	}
	if in.modes != nil {
		return n.supports(*in.modes), nil
	}
	if in.from == nil {
		return nil, nil
	}
	manifests, err := new(catalogs.Manifests).Of(in.from)
	if err != nil {
		return nil, err
	}
	for _, m := range manifests {
		if m.Kind != "ClusterServiceVersion" || m.Fault != "" {
			continue
		}
		var csv csvObject
		if json.Unmarshal(m.JSON, &csv) != nil {
			return nil, nil
		}
		return n.supports(csv.Spec.InstallModes), nil
	}
	return nil, nil
}
