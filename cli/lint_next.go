package cli

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs"
)

// fixCommand returns the command that shows what --fix would change, or "" if it cannot change the catalogs.
func fixCommand(c *cli.Context, cats []*catalogs.Catalog) string {
	refs := c.Args().Slice()
	if c.Bool("fix") || c.IsSet("base") || editable(cats, refs) != nil || slices.ContainsFunc(refs, func(ref string) bool { return !catalogs.IsPath(ref) }) {
		return ""
	}
	return lintAgain(c, "--fix", "--diff")
}

// lintAgain returns the command line of lint with additional flags, and without those of the output.
func lintAgain(c *cli.Context, flags ...string) string {
	words := append([]string{"olmgraph", "lint"}, flags...)
	for _, name := range []string{"gate", "only", "skip", "package", "channel", "base", "olm", "kube", "config", "baseline", "today", "ocp", "platform", "max-size", "bundles"} {
		if value := cmp.Or(strings.Join(c.StringSlice(name), ","), c.String(name)); c.IsSet(name) {
			words = append(words, "--"+name, shellQuoted(value))
		}
	}
	for _, name := range []string{"new", "complete", "insecure"} {
		if c.Bool(name) {
			words = append(words, "--"+name)
		}
	}
	for _, ref := range c.Args().Slice() {
		words = append(words, shellQuoted(ref))
	}
	return strings.Join(words, " ")
}

// plainWord matches what a shell takes as one word.
var plainWord = regexp.MustCompile(`^[\w./:@%+=,-]+$`)

// shellQuoted quotes a word for a POSIX shell, if necessary.
func shellQuoted(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
