package cli

import (
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

// rulesFlag takes rules and families of them.
func rulesFlag(name, usage string) cli.Flag {
	return choice{&cli.StringSliceFlag{Name: name, Usage: usage}, append(families(), ruleNames(lint.Rules())...)}
}

// orList words alternatives: a, b or c.
func orList(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
