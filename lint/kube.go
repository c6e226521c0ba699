package lint

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/olmgraph/olmgraph/catalogs"
)

// VersionAtLeast reports whether a version like "4.18" is known and not below major.minor.
func VersionAtLeast(version string, major, minor int) bool {
	a, b, ok := strings.Cut(version, ".")
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	return ok && errX == nil && errY == nil && (x > major || x == major && y >= minor)
}

var kubeVersion = regexp.MustCompile(`^v?1\.(\d{1,3})(?:\.\d+)?$`)

// ParseKubeVersion reads a version of Kubernetes, as 1.29 or v1.29.3; only its minor number counts.
func ParseKubeVersion(text string) (minor int, err error) {
	m := kubeVersion.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is not a version of Kubernetes; want one as 1.29", text)
	}
	return strconv.Atoi(m[1])
}

// openShift is the version of OpenShift that the catalog is for, "" if that is not known: what the configuration says counts
// before the name of the folder.
func (c *Config) openShift(of *catalogs.Catalog) string { return cmp.Or(c.OpenShift, of.OpenShift) }

func (p *Pass) OpenShift() string { return p.Config.openShift(p.Catalog) }

// KubeMinor is the minor version of Kubernetes that the catalog is for, and how that is known; 0 if it is not.
func (p *Pass) KubeMinor() (minor int, source string) {
	if p.Config.Kube != "" {
		minor, _ = ParseKubeVersion(p.Config.Kube)
		return minor, "the requested Kubernetes version"
	}
	openShift := p.OpenShift()
	// From 4.3 on, OpenShift 4.N comes with Kubernetes 1.(N+13).
	major, text, _ := strings.Cut(openShift, ".")
	if n, err := strconv.Atoi(text); err == nil && major == "4" && n >= 3 {
		return n + 13, "the Kubernetes of OpenShift " + openShift
	}
	return 0, ""
}
