package snapshot

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

// The namespaces for global CatalogSources: that of OLM, and that of OpenShift.
const (
	GlobalNamespace   = "olm"
	OpenShiftCatalogs = "openshift-marketplace"
)

// Global returns the namespace of global CatalogSources: that of OpenShift if the objects are of OpenShift, which has a ClusterVersion and
// reserves namespaces that begin with openshift-, and else that of OLM (OLM: cmd/catalog, --namespace).
func (s *Snapshot) Global() string {
	if s.ofOpenShift {
		return OpenShiftCatalogs
	}
	if len(s.CatalogSources) == 0 {
		for o := range s.Subscriptions.Each() {
			if o.Spec.Namespace == OpenShiftCatalogs {
				return OpenShiftCatalogs
			}
		}
	}
	return GlobalNamespace
}

// OLMNamespace returns the namespace in which OLM v0 runs.
func (s *Snapshot) OLMNamespace() string {
	if s.ofOpenShift {
		return "openshift-operator-lifecycle-manager"
	}
	return "olm"
}
