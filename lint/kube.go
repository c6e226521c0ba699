package lint

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

// VersionAtLeast reports whether a version, for example "4.18", is at least major.minor. It returns false if the version is not
// known.
func VersionAtLeast(version string, major, minor int) bool {
	a, b, ok := strings.Cut(version, ".")
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	return ok && errX == nil && errY == nil && (x > major || x == major && y >= minor)
}

var kubeVersion = regexp.MustCompile(`^v?1\.(\d{1,3})(?:\.\d+)?$`)

// ParseKubeVersion parses a Kubernetes version, for example 1.29 or v1.29.3, and returns its minor version.
func ParseKubeVersion(text string) (minor int, err error) {
	m := kubeVersion.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is not a version of Kubernetes; want one as 1.29", text)
	}
	return strconv.Atoi(m[1])
}

// openShift returns the OpenShift version of a catalog: the configured one, or that in the name of its folder; "" if neither is
// known.
func (c *Config) openShift(of *catalogs.Catalog) string { return cmp.Or(c.OpenShift, of.OpenShift) }

// OpenShift returns the OpenShift version of the catalog, for example "4.18"; "" if it is not known.
func (p *Pass) OpenShift() string {
	p.asksOthers = true
	return p.Config.openShift(p.Catalog)
}

// KubeMinor returns the minor version of Kubernetes that the catalog is for, and its source; 0 if it is not known.
func (p *Pass) KubeMinor() (minor int, source string) {
	if p.Config.Kube != "" {
		minor, _ = ParseKubeVersion(p.Config.Kube)
		return minor, "the requested Kubernetes version"
	}
	openShift := p.OpenShift()
	major, text, _ := strings.Cut(openShift, ".")
	if n, err := strconv.Atoi(text); err == nil && major == "4" && n >= 3 {
		return KubeOfOpenShift(n), "the Kubernetes of OpenShift " + openShift
	}
	return 0, ""
}

// KubeOfOpenShift returns the minor version of the Kubernetes that OpenShift 4.minor ships: there is no OpenShift for Kubernetes 1.15.
func KubeOfOpenShift(minor int) int {
	if minor < 3 {
		return minor + 12
	}
	return minor + 13
}
