package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/olmgraph/olmgraph/lint/rules"
)

const completionHelp = `examples:
  source <(olmgraph completion bash)                               bash, in this shell; in ~/.bashrc for all
  olmgraph completion zsh > "${fpath[1]}/_olmgraph"                zsh
  olmgraph completion fish > ~/.config/fish/completions/olmgraph.fish

exit status: 0; 2 misuse.`

func (p *program) completionCommand() *cli.Command {
	return &cli.Command{
		Name:        "completion",
		Usage:       "print a completion script for a shell",
		UsageText:   "bash|zsh|fish",
		Description: completionHelp,
		Action: func(c *cli.Context) error {
			write, ok := shells()[c.Args().First()]
			if !ok || c.NArg() != 1 {
				return misusef("completion needs a shell: bash, zsh or fish")
			}
			_, err := io.WriteString(p.stdout, write(completions(c.App)))
			return err
		},
	}
}

func shells() map[string]func([]completion) string {
	return map[string]func([]completion) string{"bash": bash, "zsh": zsh, "fish": fish}
}

// completion describes what can follow a command.
type completion struct {
	command, usage string
	flags          []completedFlag
	values         []string // of its arguments; file names if empty
}

// completedFlag is a flag with its possible values: values, or file names if it takes a value and values is empty.
type completedFlag struct {
	name, usage string
	takesValue  bool
	values      []string
}

func completions(app *cli.App) []completion {
	var all []completion
	for _, c := range app.Commands {
		one := completion{command: c.Name, usage: c.Usage}
		switch c.Name {
		case "explain":
			one.values = ruleNames(rules.All())
		case "completion":
			one.values = []string{"bash", "zsh", "fish"}
		}
		for _, f := range c.VisibleFlags() {
			one.flags = append(one.flags, completedFlagOf(f))
		}
		all = append(all, one)
	}
	return all
}

func completedFlagOf(f cli.Flag) completedFlag {
	out := completedFlag{name: f.Names()[0]}
	if documented, ok := f.(cli.DocGenerationFlag); ok {
		out.takesValue = documented.TakesValue()
		out.usage = strings.ReplaceAll(documented.GetUsage(), "`", "")
	}
	if c, ok := f.(enumFlagValue); ok {
		out.values = c.values
	}
	return out
}

func rulePatterns() []string {
	var all []string
	for _, r := range rules.All() {
		all = append(all, r.Family())
	}
	return slices.Compact(all)
}

func bash(all []completion) string {
	var b strings.Builder
	var names []string
	for _, c := range all {
		names = append(names, c.command)
	}
	fmt.Fprintf(&b, "_olmgraph() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n")
	fmt.Fprintf(&b, "  COMPREPLY=()\n  if [ \"$COMP_CWORD\" = 1 ]; then\n    words=%q\n  else\n    case \"${COMP_WORDS[1]} $prev\" in\n", strings.Join(names, " "))
	for _, c := range all {
		for _, f := range c.flags {
			switch {
			case len(f.values) > 0:
				fmt.Fprintf(&b, "    '%s --%s') words=%q ;;\n", c.command, f.name, strings.Join(f.values, " "))
			case f.takesValue:
				fmt.Fprintf(&b, "    '%s --%s') return ;;\n", c.command, f.name)
			}
		}
	}
	fmt.Fprintf(&b, "    *)\n      case \"${COMP_WORDS[1]} $cur\" in\n")
	for _, c := range all {
		var flags []string
		for _, f := range c.flags {
			flags = append(flags, "--"+f.name)
		}
		fmt.Fprintf(&b, "      '%s -'*) words=%q ;;\n", c.command, strings.Join(flags, " "))
		if len(c.values) > 0 {
			fmt.Fprintf(&b, "      '%s '*) words=%q ;;\n", c.command, strings.Join(c.values, " "))
		}
	}
	b.WriteString("      esac ;;\n    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _olmgraph olmgraph\n")
	return b.String()
}

func zsh(all []completion) string {
	var b strings.Builder
	b.WriteString("#compdef olmgraph\n\n_olmgraph() {\n  local context state line\n  _arguments -C '1: :->command' '*:: :->rest'\n  case $state in\n  command)\n    local -a commands=(\n")
	for _, c := range all {
		fmt.Fprintf(&b, "      %s\n", singleQuoted(c.command+":"+c.usage))
	}
	b.WriteString("    )\n    _describe command commands ;;\n  rest)\n    case $line[1] in\n")
	for _, c := range all {
		fmt.Fprintf(&b, "    %s) _arguments", c.command)
		for _, f := range c.flags {
			spec := "*--" + f.name + "[" + strings.NewReplacer("[", "(", "]", ")", ":", ",").Replace(f.usage) + "]"
			switch {
			case len(f.values) > 0:
				spec += ":value:(" + strings.Join(f.values, " ") + ")"
			case f.takesValue:
				spec += ":value:_files"
			}
			b.WriteString(" \\\n      " + singleQuoted(spec))
		}
		if len(c.values) > 0 {
			b.WriteString(" \\\n      " + singleQuoted("*:value:("+strings.Join(c.values, " ")+")") + " ;;\n")
		} else {
			b.WriteString(" \\\n      '*:file:_files' ;;\n")
		}
	}
	b.WriteString("    esac ;;\n  esac\n}\n\n_olmgraph \"$@\"\n")
	return b.String()
}

func fish(all []completion) string {
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintf(&b, "complete -c olmgraph -n __fish_use_subcommand -f -a %s -d %s\n", c.command, singleQuoted(c.usage))
		in := singleQuoted("__fish_seen_subcommand_from " + c.command)
		if len(c.values) > 0 {
			fmt.Fprintf(&b, "complete -c olmgraph -n %s -f -a %s\n", in, singleQuoted(strings.Join(c.values, " ")))
		}
		for _, f := range c.flags {
			fmt.Fprintf(&b, "complete -c olmgraph -n %s -l %s -d %s", in, f.name, singleQuoted(f.usage))
			switch {
			case len(f.values) > 0:
				fmt.Fprintf(&b, " -x -a %s", singleQuoted(strings.Join(f.values, " ")))
			case f.takesValue:
				b.WriteString(" -r")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// singleQuoted quotes s for zsh and fish, without its apostrophes and backslashes.
func singleQuoted(s string) string {
	return "'" + strings.NewReplacer("'", "", `\`, "").Replace(s) + "'"
}
