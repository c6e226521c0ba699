package csv

import (
	"regexp"
	"strings"

	"github.com/blang/semver/v4"

	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules/internal/contents"
)

var nameConvention = lint.Rule{
	ID: "csv/name-convention", Severity: lint.Warning, Gates: lint.GateCommunity, OtherGates: lint.GatePipelines,
	Doc: `the name of a ClusterServiceVersion is not operator.vVERSION
Tools find the operator and the version in the name of a ClusterServiceVersion. The pipeline of the community catalog warns if it is
not the operator, ".v" and a semantic version. All pipelines reject a name without a dot.
Name the next version so. The names of published versions must stay: users have them.`,
	Reference: "operator-framework/api good_practices.go checkBundleName; operator-pipelines core.py csv_full_name",
	Check:     contents.InHeads(contents.WithReadableCSV(contents.InFolder(checkNameConvention))),
}

// semverSuffix matches a version at the end of a name (operator-framework/api: checkBundleName).
var semverSuffix = regexp.MustCompile(`[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?(\+[0-9A-Za-z-]+)?$`)

func checkNameConvention(c *contents.Contents) {
	name := c.CSV.Metadata.Name
	prefix, _, dotted := strings.Cut(name, ".")
	_, err := semver.Parse(semverSuffix.FindString(name))
	fix := "name the next version " + prefix + ".v…, with its version"
	switch {
	case name == "": // reported by csv/required-field
	case !dotted:
		f := c.Report("metadata.name", fix, "has a name without a dot: the pipelines find no version in it, and reject it")
		f.Severity, f.Gates = lint.Error, lint.GatePipelines
	case err != nil:
		c.Report("metadata.name", fix, "has a name that does not end in a semantic version: the community pipeline warns of it")
	case strings.Count(name, ".v") != 1:
		c.Report("metadata.name", fix, `has a name without ".v" before its version: the community pipeline warns of it`)
	}
}
