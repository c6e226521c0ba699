package cli

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
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
			flags = append(flags, longName(command, a))
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

// longName returns a flag by its first name: the flag parser rejects two names of one flag together.
func longName(command *cli.Command, arg string) string {
	name, value, equals := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	for _, f := range command.Flags {
		switch names := f.Names(); {
		case !slices.Contains(names, name):
		case equals:
			return "--" + names[0] + "=" + value
		default:
			return "--" + names[0]
		}
	}
	return arg
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
