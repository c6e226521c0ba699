package catalogs

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// versionName matches the name of a catalog for one OpenShift version.
var versionName = regexp.MustCompile(`^(?:.*-)?v?([4-9]\.[0-9]{1,2})$|^(?:.*[^-0-9]-)?v?([4-9]-[0-9]{1,2})$`)

// CatalogExt returns the extension of a name if catalogs have it. That of v4.18 is no extension.
func CatalogExt(name string) string {
	for _, ext := range []string{".json", ".yaml", ".yml"} {
		if strings.HasSuffix(name, ext) {
			return ext
		}
	}
	return ""
}

// CompareVersionNames compares names by their OpenShift versions: v4.9 is before v4.10.
func CompareVersionNames(a, b string) int {
	return cmp.Or(cmp.Compare(MinorNumber(OpenShiftVersion(a)), MinorNumber(OpenShiftVersion(b))), cmp.Compare(a, b))
}

// OpenShiftVersion returns the OpenShift version in the name of a file or folder, or "".
func OpenShiftVersion(name string) string {
	if m := versionName.FindStringSubmatch(strings.TrimSuffix(name, CatalogExt(name))); m != nil {
		return m[1] + strings.Replace(m[2], "-", ".", 1)
	}
	return ""
}

// RepositoryConfig is what the config.yaml of a catalog repository says to its pipeline.
type RepositoryConfig struct {
	Organization Text
	Registries   []Text // that the images of bundles begin with one of; any if there are none
}

// openShiftRange is one version, or a range, as in com.redhat.openshift.versions.
var openShiftRange = regexp.MustCompile(`^(=)?v?(\d+\.\d+)(?:-v?(\d+\.\d+))?$`)

// SupportsOpenShift reports whether a bundle supports an OpenShift version, for example "4.18", by the value of its annotation
// com.redhat.openshift.versions alone; without one it supports all.
func SupportsOpenShift(versions, openShift string) bool {
	if versions == "" {
		return true
	}
	if first, second, list := strings.Cut(versions, ","); list { // v4.5,v4.6 is v4.5 and later
		if first == "v4.5" && second == "v4.6" || first == "v4.6" && second == "v4.5" {
			return MinorNumber(openShift) >= MinorNumber("4.5")
		}
		return false
	}
	m := openShiftRange.FindStringSubmatch(versions)
	switch {
	case m == nil:
		return false
	case m[1] != "":
		return m[3] == "" && MinorNumber(openShift) == MinorNumber(m[2])
	default:
		return MinorNumber(openShift) >= MinorNumber(m[2]) && (m[3] == "" || MinorNumber(openShift) <= MinorNumber(m[3]))
	}
}

// MinorNumber returns a number by which OpenShift minor versions are sorted, as 4016 for 4.16.
func MinorNumber(version string) int {
	major, minor, _ := strings.Cut(version, ".")
	x, _ := strconv.Atoi(major)
	y, _ := strconv.Atoi(minor)
	return 1000*x + y
}
