package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/phrase"
	"github.com/olmgraph/olmgraph/catalogs/spelling"
	"github.com/olmgraph/olmgraph/cli/shell"
	"github.com/olmgraph/olmgraph/lint"
)

// suggestion is an error with the command line that was probably meant. Those of urfave/cli name a similar flag or command, and no line to run.
type suggestion struct {
	error
	args []string // of the command, after olmgraph; nil: the given ones with now instead of was
	was  string
	now  []string
}

func (s suggestion) Unwrap() error { return s.error }

// try adds the command to an error.
func try(err error, args ...string) error { return suggestion{error: err, args: args} }

// instead adds to an error the given command line with other arguments instead of was.
func instead(err error, was string, now ...string) error {
	return suggestion{error: err, was: was, now: now}
}

// misspelt adds to an error the given command line with the most similar of the known names instead of name, if one is similar.
func misspelt(err error, name string, known []string) error {
	if near, ok := spelling.NearestVersioned(name, known); ok {
		return instead(err, name, near)
	}
	return err
}

// commandOf returns the command line that an error suggests, where args are the given ones; "" if it suggests none.
func commandOf(err error, args []string) string {
	var s suggestion
	if !errors.As(err, &s) {
		return ""
	}
	if s.args == nil {
		s.args = s.replaced(args)
	}
	if s.args == nil {
		return ""
	}
	return command(s.args...)
}

// command returns a command line of olmgraph, quoted for a shell.
func command(args ...string) string { return shell.Join(append([]string{"olmgraph"}, args...)) }

// again returns the command line of a command with additional flags, and without those of the output.
func again(c *cli.Context, flags ...string) string {
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
	return command(append(args, c.Args().Slice()...)...)
}

// outputFlags returns the flags of what a command writes and of its exit status.
func outputFlags() []string {
	return []string{"output", "details", "color", "min-severity", "fail-on", "fix", "diff", "write-baseline"}
}

// replaced returns the given arguments with now instead of was: the last value of a flag, else the last argument. It is all of it, or stands
// beside a =, a comma or a slash. Nil if was is not among them.
func (s *suggestion) replaced(args []string) []string {
	word := regexp.MustCompile(`(?:^|[=,/])(` + regexp.QuoteMeta(s.was) + `)(?:$|[=,/])`)
	for _, ofFlag := range []bool{true, false} {
		for i, arg := range slices.Backward(args) {
			isOfFlag := strings.HasPrefix(arg, "-") || i > 0 && strings.HasPrefix(args[i-1], "-")
			at := word.FindStringSubmatchIndex(arg)
			if at == nil || isOfFlag != ofFlag {
				continue
			}
			words := slices.Clone(s.now)
			words[0] = arg[:at[2]] + words[0]
			words[len(words)-1] += arg[at[3]:]
			return slices.Replace(slices.Clone(args), i, i+1, words...)
		}
	}
	return nil
}

// noCommand returns the error of a first argument that is neither a command nor a catalog.
func noCommand(app *cli.App, args []string) error {
	name, rest := args[0], args[1:]
	known := commandNames(app)
	if near, ok := spelling.NearestWord(name, known); ok {
		return try(misusef("no command %q; did you mean %s?", name, near), append([]string{near}, rest...)...)
	}
	return try(misusef("no command and no catalog %q%s", name, didYouMean("", known)), "--help")
}

// isReference reports whether an argument is the reference of a catalog: a scheme, a file or folder, an image, or text that can only be a path.
func isReference(arg string) bool {
	return disk.Exists(arg) || arg == "-" || !open.IsPath(arg) || isImageName(arg) || strings.ContainsAny(arg, `/\`) || slices.Contains([]string{".yaml", ".yml", ".json", ".tar", ".tgz", ".db"}, path.Ext(arg))
}

// repositoryURL is the address of a repository or of a file in it.
var repositoryURL = regexp.MustCompile(`^(?:https?://)?(?:www\.)?(?:github\.com|gitlab\.com)/[^/]+/[^/#?]+`)

// untaggedImage is the name of an image in a registry without a tag.
var untaggedImage = regexp.MustCompile(`^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?/[a-z0-9._/-]+$`)

// noSuchCatalog adds to the error of a reference what it is, if it is no file: the address of a repository, or an image without a tag.
func noSuchCatalog(ref string, err error) error {
	if _, missing := disk.Lstat(ref); !errors.Is(missing, os.ErrNotExist) || !open.IsPath(ref) {
		return err
	}
	switch {
	case repositoryURL.MatchString(ref):
		return fmt.Errorf("%s: olmgraph reads no repository from the network: clone it, and give its folder or git:REVISION:PATH", ref)
	case untaggedImage.MatchString(ref):
		return instead(fmt.Errorf("%w; an image has a tag or a digest", err), ref, "docker://"+ref+":TAG")
	}
	return err
}

// noFlag returns the error of a flag that a command does not have.
func noFlag(command *cli.Command, name string) error {
	flags := visibleFlags(command)
	if slices.Contains(commandFormats(command), name) {
		return instead(misusef("no flag --%s; did you mean -o %[1]s?", name), "--"+name, "-o", name)
	}
	if near, ok := spelling.Nearest("--"+name, flags); ok {
		return instead(misusef("no flag --%s; did you mean %s?", name, near), "--"+name, near)
	}
	return try(misusef("no flag --%s%s", name, didYouMean("", flags)), command.Name, "--help")
}

// visibleFlags returns the names of the flags of a command that its help lists.
func visibleFlags(command *cli.Command) []string {
	return phrase.Of(command.VisibleFlags(), func(f cli.Flag) string { return "--" + f.Names()[0] })
}

// commandFormats returns the formats of the output of a command.
func commandFormats(command *cli.Command) []string {
	for _, f := range command.Flags {
		if values, ok := f.(enumFlagValue); ok && values.Names()[0] == "output" {
			return values.values
		}
	}
	return nil
}

// noRule returns the error of a pattern that no rule matches. A rule can be meant by its name without the family.
func noRule(pattern string, all []lint.Rule) error {
	ids := ruleNames(all)
	near, ok := spelling.Nearest(pattern, ids)
	for _, id := range ids {
		if strings.HasSuffix(id, "/"+pattern) {
			near, ok = id, true
		}
	}
	if !ok {
		return try(misusef("no rule %q", pattern), "rules")
	}
	return instead(misusef("no rule %q; did you mean %s?", pattern, near), pattern, near)
}

// isImageName reports whether text is the name of an image in a registry with a tag or a digest, and not a file.
func isImageName(text string) bool {
	m := imageArgument.FindStringSubmatch(text)
	if m == nil || m[1] != "" {
		return false
	}
	return !disk.Exists(text) && strings.Contains(text[strings.LastIndex(text, "/"):], ":")
}
