package cli

import (
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/lint"
)

// choice is a flag whose values are known beforehand, so that shells can complete them.
type choice struct {
	documentedFlag
	values []string
}

type documentedFlag interface {
	cli.DocGenerationFlag
	cli.VisibleFlag
}

// choiceFlag takes one of some values, which its usage lists.
func choiceFlag(name, standard, usage string, values ...string) cli.Flag {
	return choice{&cli.StringFlag{Name: name, Value: standard, Usage: usage + ": " + orList(values)}, values}
}

func colorFlag() cli.Flag {
	return choiceFlag("color", "auto", "`WHEN` to colour", "auto", "always", "never")
}

func olmFlag() cli.Flag {
	return choice{&cli.StringFlag{Name: "olm", Value: "v0", Usage: "`WHICH` OLM upgrades: v0 (Subscription) or v1 (ClusterExtension)"}, []string{"v0", "v1"}}
}

func featureGatesFlag() cli.Flag {
	return choice{&cli.StringSliceFlag{Name: "feature-gates", Usage: "`GATES` of operator-controller that are on, as " + bundleReleaseSupport + "=true"},
		[]string{bundleReleaseSupport + "=true", bundleReleaseSupport + "=false"}}
}

// bundleReleaseSupport is the feature gate with which a bundle's release counts. It is off by default.
const bundleReleaseSupport = "BundleReleaseSupport"

// bundleReleases reads feature gates as operator-controller does: NAME=true or NAME=false.
func bundleReleases(gates []string) (on bool, err error) {
	for _, gate := range gates {
		name, value, _ := strings.Cut(gate, "=")
		if name != bundleReleaseSupport {
			return false, misusef("no feature gate %q that matters here%s", name, didYouMean(name, []string{bundleReleaseSupport}))
		}
		if on, err = strconv.ParseBool(value); err != nil {
			return false, misusef("--feature-gates %s: want %s=true or %[2]s=false", gate, bundleReleaseSupport)
		}
	}
	return on, nil
}

// rulesFlag takes rules and families of them.
func rulesFlag(name, usage string) cli.Flag {
	return choice{&cli.StringSliceFlag{Name: name, Usage: usage}, append(families(), ruleNames(lint.Rules())...)}
}

// orList words alternatives: a, b or c.
func orList(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
