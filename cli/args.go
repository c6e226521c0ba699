package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/cli/shell"
)

// normalized rewrites --help and --version to the commands help and version, and help COMMAND to COMMAND --help.
func normalized(args []string) []string {
	if len(args) < 2 {
		return args
	}
	first := args[1]
	switch first {
	case "--help", "-help", "-h":
		first = "help"
	case "--version", "-version", "-v":
		first = "version"
	}
	if first == "help" && len(args) > 2 && !strings.HasPrefix(args[2], "-") {
		return []string{args[0], args[2], "--help"}
	}
	return slices.Concat(args[:1], []string{first}, args[2:])
}

// flagsFirst moves the flags of a command before its arguments: the flag parser stops at the first argument, but users put
// flags anywhere. Arguments after "--" are not moved.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	at := slices.IndexFunc(args[1:], func(a string) bool { return !strings.HasPrefix(a, "-") }) + 1
	if at == 0 {
		return args
	}
	command := app.Command(args[at])
	if command == nil {
		return args
	}
	flags, rest := slices.Clone(args[:at+1]), []string{}
	for i := at + 1; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case a == "-" || !strings.HasPrefix(a, "-"):
			rest = append(rest, a)
		default:
			if a == "--help" || a == "-h" {
				return []string{args[0], command.Name, "--help"} // other arguments do not matter
			}
			flags = append(flags, a)
			if !takesValue(command, a) {
				continue
			}
			if i++; i == len(args) {
				return flags // the parser reports the missing value
			}
			flags = append(flags, args[i])
		}
	}
	return append(append(flags, "--"), rest...)
}

// takesValue reports whether the next argument is the value of the flag arg.
func takesValue(command *cli.Command, arg string) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range command.Flags {
		if slices.Contains(f.Names(), name) {
			_, isBool := f.(*cli.BoolFlag)
			return !isBool
		}
	}
	return false
}

// renamedFlag sets the flag now from the flag was, which it replaces, and says so.
func (p *program) renamedFlag(c *cli.Context, was, now string) error {
	if !c.IsSet(was) {
		return nil
	}
	value := c.String(was)
	if c.IsSet(now) && c.String(now) != value {
		return misusef("--%s is --%s now: give it once", was, now)
	}
	p.logf("--%s is --%[2]s now: write %s", was, now, shell.Join([]string{"--" + now, value}))
	return c.Set(now, value)
}
