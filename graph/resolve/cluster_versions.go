package resolve

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"
)

// Kubernetes returns the version of the API server, "" if it is not known. That of OpenShift 4.y is 1.(y+13), of which the patch is not
// known; 5.y continues with 1.36. Of other clusters it is assumed to be that of the newest kubelet, which is never newer than the server.
func (s *Snapshot) Kubernetes() string {
	newest := ""
	if n := len(s.Kubelets); n > 0 {
		newest = kubeletVersion(s.Kubelets[n-1]).String()
	}
	v, err := semver.ParseTolerant(s.OpenShift)
	if err != nil || v.Major < 4 {
		return newest
	}
	minor := v.Minor + 13
	if v.Major >= 5 {
		minor = v.Minor + 36
	}
	server := fmt.Sprintf("1.%d", minor)
	if strings.HasPrefix(newest, server+".") {
		return newest
	}
	return server
}

// kubeletVersion parses the version of a kubelet, as "v1.27.6+f67aeb3", 0.0.0 if it is none.
func kubeletVersion(text string) semver.Version {
	v, _ := semver.ParseTolerant(text)
	v.Build, v.Pre = nil, nil
	return v
}

func compareKubelets(a, b string) int {
	if c := kubeletVersion(a).Compare(kubeletVersion(b)); c != 0 {
		return c
	}
	return strings.Compare(a, b)
}

// unmetKubernetes returns why a minKubeVersion is not met by a version of Kubernetes, nil if it is, or if that is not known (OLM: olm
// minKubeVersionStatus). OLM reads three numbers, and takes another text as a requirement that is never met. Without a patch only the
// minor counts.
func unmetKubernetes(wanted, server string) error {
	if wanted == "" || server == "" {
		return nil
	}
	minimum, err := semver.Parse(strings.TrimPrefix(wanted, "v"))
	if err != nil {
		return fmt.Errorf("its minKubeVersion %q is no version of three numbers, and OLM never takes that as met", wanted)
	}
	has, err := semver.ParseTolerant(server)
	if err != nil {
		return nil
	}
	if strings.Count(server, ".") == 1 && minimum.Major == has.Major && minimum.Minor == has.Minor {
		return nil
	}
	if minimum.Compare(has) > 0 {
		return fmt.Errorf("it requires Kubernetes %s (minKubeVersion), and the cluster has %s", minimum, server)
	}
	return nil
}

// ClusterExtension is an operator that OLM v1 installs.
type ClusterExtension struct {
	Metadata metadata `json:"metadata"`
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
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

// Name returns the name of the ClusterExtension.
func (e *ClusterExtension) Name() string { return e.Metadata.Name }

// Condition returns the status and the message of a condition, "" if it has none.
func (e *ClusterExtension) Condition(kind string) (status, message string) {
	for _, c := range e.Status.Conditions {
		if c.Type == kind {
			return c.Status, c.Message
		}
	}
	return "", ""
}

// ClusterCatalog is a catalog of OLM v1.
type ClusterCatalog struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		Priority         int    `json:"priority"`
		AvailabilityMode string `json:"availabilityMode"`
		Source           struct {
			Image struct {
				Ref string `json:"ref"`
			} `json:"image"`
		} `json:"source"`
	} `json:"spec"`
	Status struct {
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

// Name returns the name of the ClusterCatalog.
func (c *ClusterCatalog) Name() string { return c.Metadata.Name }

// ClusterOperator is a part of OpenShift.
type ClusterOperator struct {
	Metadata metadata `json:"metadata"`
	Status   struct {
		Conditions []condition `json:"conditions"`
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
