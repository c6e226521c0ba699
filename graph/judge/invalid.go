package judge

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs/bundled"
	"github.com/olmgraph/olmgraph/catalogs/words"
)

// checkObjects reports objects that the API server rejects: Services, bindings and PodDisruptionBudgets.
func checkObjects(c *bundleCase) {
	for _, m := range c.Objects() {
		path, says := "", ""
		switch group, _, _ := strings.Cut(m.APIVersion, "/"); { // kinds of other groups can have the same names
		case m.APIVersion == "v1" && m.Kind == "Service":
			path, says = serviceFault(m)
		case group == "rbac.authorization.k8s.io" && (m.Kind == "RoleBinding" || m.Kind == "ClusterRoleBinding"):
			path, says = bindingFault(m)
		case group == "policy" && m.Kind == "PodDisruptionBudget":
			path, says = budgetFault(m)
		}
		if says != "" {
			c.reportOn(m, path, "correct it", "contains the %s %q %s: the API server rejects it", m.Kind, m.Name, says)
		}
	}
}

// serviceFault says what is wrong with a Service (Kubernetes: pkg/apis/core/validation ValidateService).
func serviceFault(m *bundled.Manifest) (path, says string) {
	var service struct {
		Spec struct {
			Type         string `json:"type"`
			ClusterIP    string `json:"clusterIP"`
			ExternalName string `json:"externalName"`
			Ports        []struct {
				Name string `json:"name"`
				Port int    `json:"port"`
			} `json:"ports"`
		} `json:"spec"`
	}
	if json.Unmarshal(m.JSON(), &service) != nil {
		return "", ""
	}
	spec := &service.Spec
	switch {
	case spec.Type == "ExternalName" && spec.ExternalName == "":
		return "spec", "of type ExternalName without an externalName"
	case spec.Type != "ExternalName" && spec.ClusterIP != "None" && len(spec.Ports) == 0:
		return "spec", "without ports"
	}
	seen := map[string]bool{}
	for i, p := range spec.Ports {
		path := fmt.Sprintf("spec.ports[%d]", i)
		switch {
		case p.Port < 1 || p.Port > 65535:
			return path, fmt.Sprintf("with the port %d", p.Port)
		case p.Name == "" && len(spec.Ports) > 1:
			return path, "with several ports, one of which has no name"
		case seen[p.Name]:
			return path, fmt.Sprintf("with several ports %q", p.Name)
		case p.Name != "" && !words.DNSLabel.MatchString(p.Name):
			return path, fmt.Sprintf("with the port %q, a name that Kubernetes does not allow", p.Name)
		}
		seen[p.Name] = true
	}
	return "", ""
}

// bindingFault says what is wrong with a binding (Kubernetes: pkg/apis/rbac/validation ValidateRoleBinding, ValidateClusterRoleBinding).
func bindingFault(m *bundled.Manifest) (path, says string) {
	var binding struct {
		RoleRef struct {
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"roleRef"`
		Subjects []struct {
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"subjects"`
	}
	if json.Unmarshal(m.JSON(), &binding) != nil {
		return "", ""
	}
	switch ref := &binding.RoleRef; {
	case ref.Name == "":
		return "roleRef", "without the name of a role"
	case ref.Kind != "ClusterRole" && (ref.Kind != "Role" || m.Kind == "ClusterRoleBinding"):
		return "roleRef", fmt.Sprintf("to a role of the kind %q", ref.Kind)
	}
	for i, s := range binding.Subjects {
		switch {
		case s.Name == "":
			return fmt.Sprintf("subjects[%d]", i), "with a subject without a name"
		case s.Kind != "ServiceAccount" && s.Kind != "User" && s.Kind != "Group":
			return fmt.Sprintf("subjects[%d]", i), fmt.Sprintf("with a subject of the kind %q", s.Kind)
		}
	}
	return "", ""
}

// budgetFault says what is wrong with a PodDisruptionBudget (Kubernetes: pkg/apis/policy/validation ValidatePodDisruptionBudgetSpec).
func budgetFault(m *bundled.Manifest) (path, says string) {
	var budget struct {
		Spec struct {
			MinAvailable   any `json:"minAvailable"`
			MaxUnavailable any `json:"maxUnavailable"`
		} `json:"spec"`
	}
	if json.Unmarshal(m.JSON(), &budget) == nil && budget.Spec.MinAvailable != nil && budget.Spec.MaxUnavailable != nil {
		return "spec", "with both minAvailable and maxUnavailable"
	}
	return "", ""
}
