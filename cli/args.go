package cli

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/open"
)

// normalizeArgs rewrites --help and --version to the commands help and version, help COMMAND to COMMAND --help, and CATALOG to the command
// that gives an overview of it.
func normalizeArgs(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	first := args[1]
	switch first {
	case "--help", "-help", "-h":
		first = "help"
	case "--version", "-version", "-v":
		first = versionName
	}
	if first == "help" && len(args) > 2 && !strings.HasPrefix(args[2], "-") && args[2] != "flags" {
		return []string{args[0], args[2], "--help"}
	}
	if first != "help" && app.Command(first) == nil && isReference(first) {
		return slices.Concat(args[:1], []string{overviewName, first}, args[2:])
	}
	return slices.Concat(args[:1], []string{first}, args[2:])
}

// flagsFirst moves the flags of a command before its arguments: the flag parser stops at the first argument, but users put
// flags anywhere. Arguments after "--" are not moved.
func flagsFirst(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	command := commandIn(app, args)
	if command == nil || command.SkipFlagParsing {
		return args
	}
	at := slices.Index(args[1:], command.Name) + 1
	flags, rest := slices.Clone(args[:at+1]), []string{}
	for i := at + 1; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case a == "-" || strings.HasPrefix(a, "- ") || !strings.HasPrefix(a, "-"): // "- " begins an entry of a YAML list, as of a message
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

// imageArgument matches the name of an image without a scheme, alone, after NAME= or after a flag that takes a catalog: a registry with a dot
// or a port, and a tag or a digest.
var imageArgument = regexp.MustCompile(`^((?:--(?:base|diff|bundles|catalog)|[\w./-]+)=)?((?:[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d+)?|[a-z0-9-]+:\d+)/[a-z0-9._/-]+(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?)$`)

// isImageName reports whether text is the name of an image in a registry with a tag or a digest, and not a file.
func isImageName(text string) bool {
	m := imageArgument.FindStringSubmatch(text)
	if m == nil || m[1] != "" {
		return false
	}
	return !disk.Exists(text) && strings.Contains(text[strings.LastIndex(text, "/"):], ":")
}

// isReference reports whether an argument is the reference of a catalog: a scheme, a file or folder, an image, or text that can only be a path.
func isReference(arg string) bool {
	return disk.Exists(arg) || arg == "-" || !open.IsPath(arg) || isImageName(arg) || strings.ContainsAny(arg, `/\`) || slices.Contains([]string{".yaml", ".yml", ".json", ".tar", ".tgz", ".db"}, path.Ext(arg))
}

// withSchemes adds the scheme to names of images that are catalogs.
func withSchemes(l *logger, app *cli.App, args []string) []string {
	command := commandIn(app, args)
	if command != nil && command.SkipFlagParsing {
		return args
	}
	args = slices.Clone(args)
	for i, arg := range args {
		found := imageArgument.FindStringSubmatch(arg)
		if i == 0 || found == nil || !isImageName(found[2]) {
			continue
		}
		if flag := args[i-1]; found[1] == "" && strings.HasPrefix(flag, "--") && !slices.Contains([]string{"--base", "--diff", "--bundles", "--catalog", "--"}, flag) && command != nil && takesValue(command, flag) {
			continue
		}
		args[i] = found[1] + "docker://" + found[2]
		l.logf("%s is read as docker://%[1]s", found[2])
	}
	return args
}

// commandIn returns the command that the first argument without a dash names, or nil.
func commandIn(app *cli.App, args []string) *cli.Command {
	for _, arg := range args[1:] {
		if !strings.HasPrefix(arg, "-") {
			return app.Command(arg)
		}
	}
	return nil
}

// longName returns a flag by its first name: the flag parser rejects two names of one flag together.
func longName(command *cli.Command, arg string) string {
	name, value, equals := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	switch f := flagNamed(command.Flags, name); {
	case f == nil:
		return arg
	case equals:
		return "--" + f.Names()[0] + "=" + value
	default:
		return "--" + f.Names()[0]
	}
}

// takesValue reports whether the next argument is the value of the flag arg.
func takesValue(command *cli.Command, arg string) bool {
	f := flagNamed(command.Flags, strings.TrimLeft(arg, "-"))
	_, isBool := f.(*cli.BoolFlag)
	return f != nil && !isBool
}

// flagNamed returns the flag with a name; nil if there is none.
func flagNamed(flags []cli.Flag, name string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}
