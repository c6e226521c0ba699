package cli

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/lint"
	"github.com/olmgraph/olmgraph/lint/rules"
)

// enumFlagValue is a flag with a list of values: shells complete them, and others are rejected unless openEnded.
type enumFlagValue struct {
	documentedFlag
	values    []string
	openEnded bool // other values are allowed: the command checks them
}

type documentedFlag interface {
	cli.DocGenerationFlag
	cli.VisibleFlag
}

// RunAction rejects values that are not listed. The flag parser calls it if the flag is set.
func (f enumFlagValue) RunAction(c *cli.Context) error {
	name := f.Names()[0]
	given := []string{c.String(name)}
	if _, slice := f.documentedFlag.(*cli.StringSliceFlag); slice {
		given = c.StringSlice(name)
	}
	for _, value := range given {
		switch {
		case f.openEnded || slices.Contains(f.values, value):
		case name == "gate":
			return suggestName(misusef("no %s %q%s", name, value, didYouMean(value, f.values)), value, f.values)
		default:
			return suggestName(misusef("--%s %q: want %s", name, value, words.List(f.values, "or")), value, f.values)
		}
	}
	return nil
}

// enumFlag returns a flag that takes one of values, which its usage lists. standard is the default.
func enumFlag(name, standard, usage string, values ...string) cli.Flag {
	return enumFlagValue{documentedFlag: &cli.StringFlag{Name: name, Value: standard, Usage: usage + ": " + words.List(values, "or")}, values: values}
}

func colorFlag() cli.Flag {
	return enumFlag("color", "auto", "`WHEN` to colour", "auto", "always", "never")
}

func olmFlag() cli.Flag {
	return enumFlagValue{documentedFlag: &cli.StringFlag{Name: "olm", Value: "v0", Usage: "`WHICH` OLM upgrades: v0 (Subscription) or v1 (ClusterExtension)"},
		values: []string{"v0", "v1"}}
}

// parseOLM returns the generation of OLM that a value of olmFlag names.
func parseOLM(name string) graph.Generation {
	if name == graph.V1.String() {
		return graph.V1
	}
	return graph.V0
}

func configFlag() cli.Flag {
	return &cli.StringFlag{Name: "config", Usage: "read this `FILE` instead of the nearest " + lint.ConfigName}
}

func timeoutFlag() cli.Flag {
	return &cli.DurationFlag{Name: "timeout", Value: 30 * time.Second, Usage: "the time limit for a picture: a `TIME` as 30s or 2m",
		Action: func(_ *cli.Context, timeout time.Duration) error {
			if timeout <= 0 {
				return misusef("--timeout %s: want more than 0", timeout)
			}
			return nil
		}}
}

func featureGatesFlag() cli.Flag {
	return enumFlagValue{documentedFlag: &cli.StringSliceFlag{Name: "feature-gates", Usage: "enabled feature `GATES` of operator-controller, as " + bundleReleaseSupport + "=true"},
		values: []string{bundleReleaseSupport + "=true", bundleReleaseSupport + "=false"}, openEnded: true}
}

// bundleReleaseSupport is the feature gate of operator-controller that makes the release of a bundle part of its version. It is
// off by default.
const bundleReleaseSupport = "BundleReleaseSupport"

// bundleReleases reports whether the feature gates enable releases of bundles. A gate is NAME=true or NAME=false, as in
// operator-controller.
func bundleReleases(gates []string) (on bool, err error) {
	for _, gate := range gates {
		name, value, _ := strings.Cut(gate, "=")
		if name != bundleReleaseSupport {
			return false, misusef("no feature gate %q that affects upgrades%s", name, didYouMean(name, []string{bundleReleaseSupport}))
		}
		if on, err = strconv.ParseBool(value); err != nil {
			return false, misusef("--feature-gates %s: want %s=true or %[2]s=false", gate, bundleReleaseSupport)
		}
	}
	return on, nil
}

// rulesFlag returns a flag that takes IDs of rules, families, and patterns of IDs.
func rulesFlag(name, usage string) cli.Flag {
	return enumFlagValue{documentedFlag: &cli.StringSliceFlag{Name: name, Usage: usage}, values: append(rulePatterns(), ruleNames(rules.All())...), openEnded: true}
}

func ruleNames(rules []lint.Rule) []string {
	return words.Map(rules, func(r lint.Rule) string { return r.ID })
}

func rulePatterns() []string {
	return slices.Compact(words.Map(rules.All(), func(r lint.Rule) string { return r.Family() }))
}

// repeatCommand returns the command line of a command with additional flags, and without those of the output.
func repeatCommand(c *cli.Context, flags ...string) string {
	args := append([]string{c.Command.Name}, flags...)
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if !c.IsSet(name) || slices.Contains(outputFlags(), name) {
			continue
		}
		if on, ok := c.Value(name).(bool); !ok {
			args = append(args, "--"+name, cmp.Or(strings.Join(c.StringSlice(name), ","), c.String(name)))
		} else if on {
			args = append(args, "--"+name)
		}
	}
	return commandLine(append(args, c.Args().Slice()...)...)
}

// outputFlags returns the flags of what a command writes and of its exit status.
func outputFlags() []string {
	return []string{"output", "details", "color", "min-severity", "fail-on", "fix", "diff", "write-baseline"}
}

// visibleFlags returns the names of the flags of a command that its help lists.
func visibleFlags(command *cli.Command) []string {
	return words.Map(command.VisibleFlags(), func(f cli.Flag) string { return "--" + f.Names()[0] })
}

// commandFormats returns the formats of the output of a command.
func commandFormats(command *cli.Command) []string {
	if values, ok := flagNamed(command.Flags, "output").(enumFlagValue); ok {
		return values.values
	}
	return nil
}
