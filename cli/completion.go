package cli

import (
	"cmp"
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/blang/semver/v4"
	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/catalogs/disk"
	"github.com/olmgraph/olmgraph/catalogs/find"
	"github.com/olmgraph/olmgraph/catalogs/open"
	"github.com/olmgraph/olmgraph/catalogs/words"
	"github.com/olmgraph/olmgraph/graph"
	"github.com/olmgraph/olmgraph/render"
)

const completionHelp = `examples:
  source <(olmgraph completion bash)                               bash, in this shell; in ~/.bashrc for all
  olmgraph completion zsh > "${fpath[1]}/_olmgraph"                zsh
  olmgraph completion fish > ~/.config/fish/completions/olmgraph.fish

exit status: 0; 2 misuse.`

func completionCommand() command {
	return command{
		name:  "completion",
		usage: "print a completion script for a shell",
		args:  "bash|zsh|fish",
		help:  completionHelp,
		takes: takes{complete: func([]string) []string { return slices.Sorted(maps.Keys(completionScripts())) }},
		run:   runCompletion,
	}
}

func runCompletion(c *cli.Context, s *session, to outputs) error {
	script, ok := completionScripts()[c.Args().First()]
	if !ok || c.NArg() != 1 {
		name := filepath.Base(os.Getenv("SHELL"))
		if completionScripts()[name] == "" {
			name = "bash"
		}
		return suggestCommand(misusef("completion needs a shell: bash, zsh or fish"), "completion", name)
	}
	_, err := io.WriteString(s.stdout, script)
	return err
}

// completeName is the hidden command that prints what can follow the words of a command line.
const completeName = "__complete"

// argumentKind is what an argument or the value of a flag names in a catalog.
type argumentKind int

const (
	packageArgument argumentKind = iota + 1
	packageOrChannelArgument
	packageOrVersionArgument // a version if the catalog has one package
	versionArgument
	channelArgument
	listArgument // of list: what to list, or a package
)

// flagArguments are the flags whose values are names in the catalog.
func flagArguments() map[string]argumentKind {
	return map[string]argumentKind{"package": packageArgument, "channel": channelArgument, "from": versionArgument, "to": versionArgument, "instead-of": versionArgument, "prune": versionArgument}
}

func completeCommand() command {
	return command{
		name:     completeName,
		hidden:   true,
		verbatim: true,
		run:      runComplete,
	}
}

func runComplete(c *cli.Context, s *session, to outputs) error {
	for _, word := range candidates(c.Context, c.App, c.Args().Slice()) {
		if _, err := io.WriteString(s.stdout, word+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// completeTime bounds the time in which a catalog is read for a completion.
const completeTime = 2 * time.Second

// candidates returns the words that can be the last of line, the best first, each with what it is behind a tab if that is known. It returns
// none where a file name is wanted.
func candidates(ctx context.Context, app *cli.App, line []string) []string {
	var all []string
	switch len(line) {
	case 0:
		return nil
	case 1:
		all = words.Map(app.VisibleCommands(), func(c *cli.Command) string { return c.Name + "\t" + c.Usage })
	default:
		all = nextWords(ctx, app, line)
	}
	last := line[len(line)-1]
	return slices.DeleteFunc(all, func(word string) bool { return !strings.HasPrefix(word, last) })
}

// nextWords returns the words that can follow a command and others, of which the last one has been begun.
func nextWords(ctx context.Context, app *cli.App, line []string) []string {
	command, last := app.Command(line[0]), line[len(line)-1]
	if command == nil {
		command, line = app.Command(overviewName), append([]string{overviewName}, line...)
	}
	t := findCommand(command.Name).takes
	flag, values, args := completedLine(command, line[1:len(line)-1])
	var kind argumentKind
	switch {
	case flag != "":
		if enum, ok := flagNamed(command.Flags, flag).(enumFlagValue); ok {
			return enum.values
		}
		kind = flagArguments()[flag]
	case strings.HasPrefix(last, "-"):
		return flagWords(command)
	case t.complete != nil:
		return t.complete(args)
	case len(args) > 0 && len(args) <= len(t.arguments):
		kind = t.arguments[len(args)-1]
	}
	if kind == 0 || len(args) == 0 {
		return nil
	}
	named := ""
	if len(args) > 1 && t.arguments != nil {
		named = args[1]
	}
	ctx, cancel := context.WithTimeout(ctx, completeTime)
	defer cancel()
	return inertNames(namesIn(ctx, args[0], kind, strings.TrimSuffix(cmp.Or(values["package"], named), "/"), values["channel"]))
}

// inertNames returns names without those that are special in a shell.
func inertNames(all []string) []string {
	return slices.DeleteFunc(all, func(name string) bool { return !inertWord.MatchString(name) })
}

// flagWords returns the flags of a command.
func flagWords(command *cli.Command) []string {
	var all []string
	for _, f := range command.VisibleFlags() {
		word := "--" + f.Names()[0]
		if documented, ok := f.(cli.DocGenerationFlag); ok {
			word += "\t" + strings.ReplaceAll(documented.GetUsage(), "`", "")
		}
		all = append(all, word)
	}
	return all
}

// completedLine splits the words of a command before the last one: the flag whose value the last one is, if any, the values of flags, and
// the arguments.
func completedLine(command *cli.Command, words []string) (flag string, values map[string]string, args []string) {
	values = map[string]string{}
	for i := 0; i < len(words); i++ {
		word := unquote(words[i])
		switch {
		case word == "-" || !strings.HasPrefix(word, "-"):
			args = append(args, word)
		case !takesValue(command, word):
		case i+1 == len(words):
			flag = strings.TrimLeft(word, "-")
		default:
			i++
			values[strings.TrimLeft(word, "-")] = unquote(words[i])
		}
	}
	return flag, values, args
}

// unquote returns a word as a shell would pass it, for the usual quotes: nothing in it is evaluated.
func unquote(word string) string {
	if home, err := os.UserHomeDir(); err == nil && strings.HasPrefix(word, "~/") {
		word = home + word[1:]
	}
	return strings.NewReplacer(`\`, "", `"`, "", "'", "").Replace(word)
}

// inertWord matches names that are not special in a shell. Others are not completed.
var inertWord = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+/@-]*$`)

// namesIn returns the names of one kind in a catalog, versions with the newest first.
func namesIn(ctx context.Context, ref string, kind argumentKind, pkg, channel string) []string {
	if !isFileOrFolder(ref) {
		return nil
	}
	cats, err := open.Open(ctx, ref, open.Options{})
	if err != nil {
		return nil
	}
	names := packageNames(cats)
	if len(names) == 1 {
		pkg = names[0]
	}
	switch {
	case kind == packageArgument || kind == packageOrVersionArgument && len(names) != 1:
		return names
	case kind == listArgument:
		return append(render.ListKinds(), names...)
	}
	var found []string
	for _, c := range cats {
		for _, p := range c.Packages {
			if pkg == "" || p.Name.Value == pkg {
				found = append(found, completionNames(graph.NewPackageGraph(p), kind, channel)...)
			}
		}
	}
	if kind == packageOrChannelArgument || kind == packageOrVersionArgument {
		found = append(names, found...)
	}
	return find.Distinct(found)
}

// isFileOrFolder reports whether a reference is a file or a folder: others may need the network, or never end.
func isFileOrFolder(ref string) bool {
	return (disk.IsFolder(ref) || disk.IsFile(ref)) && open.IsPath(ref)
}

// completionNames returns the names of one kind in a package.
func completionNames(pg *graph.PackageGraph, kind argumentKind, channel string) []string {
	var names []string
	var versions []*semver.Version
	for _, g := range pg.Graphs {
		name := g.Channel.Name.Value
		switch kind {
		case channelArgument:
			names = append(names, name)
		case packageOrChannelArgument:
			names = append(names, pg.Package.Name.Value+"/"+name)
		case versionArgument, packageOrVersionArgument:
			for _, i := range g.Entries() {
				if v := g.Version(i); v != nil && (channel == "" || channel == name) {
					versions = append(versions, v)
				}
			}
		}
	}
	slices.SortStableFunc(versions, func(a, b *semver.Version) int { return b.Compare(*a) })
	return append(names, words.Map(versions, (*semver.Version).String)...)
}
