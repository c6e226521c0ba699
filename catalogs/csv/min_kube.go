package csv

import (
	"fmt"
	"strings"

	"github.com/blang/semver/v4"
)

// UnmetKubernetes returns why a minKubeVersion is not met by a version of Kubernetes, nil if it is, or if that is not known (OLM: olm
// minKubeVersionStatus). OLM reads three numbers, and takes another text as a requirement that is never met. Without a patch only the
// minor counts.
func UnmetKubernetes(wanted, server string) error {
	if wanted == "" || server == "" {
		return nil
	}
	minimum, err := semver.Parse(strings.TrimPrefix(wanted, "v"))
	if err != nil {
		return fmt.Errorf("its minKubeVersion %q is not a version of three numbers, which OLM treats as not met", wanted)
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
