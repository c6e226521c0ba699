package shell

import (
	"fmt"
	"strings"
)

// Command is a command that scripts complete.
type Command struct {
	Name, Usage string
	Flags       []Flag
	Values      []string // of its arguments
	Asks        bool     // its arguments are completed by olmgraph __complete; file names if that prints nothing
}

// Flag is a flag with its possible values: Values, or file names if it takes a value and Values is empty.
type Flag struct {
	Name, Usage string
	Short       string // its name of one letter, or ""
	TakesValue  bool
	Values      []string
	Asks        bool // its values are completed by olmgraph __complete
}

// Scripts returns what writes the script of each shell, by its name.
func Scripts() map[string]func([]Command) string {
	return map[string]func([]Command) string{"bash": bash, "zsh": zsh, "fish": fish}
}

// bashAsk completes the current word with the lines that olmgraph __complete prints. They are not evaluated.
const bashAsk = `_olmgraph_ask() {
  local line
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <("${COMP_WORDS[0]/#~\//$HOME/}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [ ${#COMPREPLY[@]} = 0 ] || compopt -o nosort 2>/dev/null
}

`

// zshAsk is bashAsk for zsh.
const zshAsk = `_olmgraph_ask() {
  local -a found
  found=(${(f)"$(olmgraph __complete "${(@Q)words[1,CURRENT]}" 2>/dev/null)"})
  if (( $#found )); then
    compadd -V olmgraph -a found
  else
    _files
  fi
}

`

// fishAsk is bashAsk for fish.
const fishAsk = `function __olmgraph_ask
  set -l words (commandline -opc) (commandline -ct)
  olmgraph __complete $words[2..-1] 2>/dev/null
end
`

func bash(all []Command) string {
	var b strings.Builder
	var names []string
	for _, c := range all {
		names = append(names, c.Name)
	}
	b.WriteString(bashAsk)
	fmt.Fprintf(&b, "_olmgraph() {\n  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n")
	fmt.Fprintf(&b, "  COMPREPLY=()\n  if [ \"$COMP_CWORD\" = 1 ]; then\n    words=%q\n  else\n    case \"${COMP_WORDS[1]} $prev\" in\n", strings.Join(names, " "))
	for _, c := range all {
		for _, f := range c.Flags {
			switch {
			case len(f.Values) > 0:
				fmt.Fprintf(&b, "    %s) words=%q ;;\n", f.pattern(c.Name), strings.Join(f.Values, " "))
			case f.Asks:
				fmt.Fprintf(&b, "    %s) _olmgraph_ask; return ;;\n", f.pattern(c.Name))
			case f.TakesValue:
				fmt.Fprintf(&b, "    %s) return ;;\n", f.pattern(c.Name))
			}
		}
	}
	fmt.Fprintf(&b, "    *)\n      case \"${COMP_WORDS[1]} $cur\" in\n")
	for _, c := range all {
		var flags []string
		for _, f := range c.Flags {
			flags = append(flags, "--"+f.Name)
		}
		fmt.Fprintf(&b, "      '%s -'*) words=%q ;;\n", c.Name, strings.Join(flags, " "))
		if len(c.Values) > 0 {
			fmt.Fprintf(&b, "      '%s '*) words=%q ;;\n", c.Name, strings.Join(c.Values, " "))
		} else if !c.Asks {
			fmt.Fprintf(&b, "      '%s '*) return ;;\n", c.Name)
		}
	}
	b.WriteString("      *) _olmgraph_ask; return ;;\n      esac ;;\n    esac\n  fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -o default -F _olmgraph olmgraph\n")
	return b.String()
}

// pattern matches a command and the flag before a value.
func (f Flag) pattern(command string) string {
	pattern := fmt.Sprintf("'%s --%s'", command, f.Name)
	if f.Short != "" {
		pattern += fmt.Sprintf("|'%s -%s'", command, f.Short)
	}
	return pattern
}

func zsh(all []Command) string {
	var b strings.Builder
	b.WriteString("#compdef olmgraph\n\n" + zshAsk + "_olmgraph() {\n  local context state line\n  _arguments -C '1: :->command' '*:: :->rest'\n  case $state in\n  command)\n    local -a commands=(\n")
	for _, c := range all {
		fmt.Fprintf(&b, "      %s\n", singleQuoted(c.Name+":"+c.Usage))
	}
	b.WriteString("    )\n    _describe command commands\n    _files ;;\n  rest)\n    case $line[1] in\n")
	for _, c := range all {
		fmt.Fprintf(&b, "    %s) _arguments", c.Name)
		for _, f := range c.Flags {
			spec := "*--" + f.Name + "[" + strings.NewReplacer("[", "(", "]", ")", ":", ",").Replace(f.Usage) + "]"
			switch {
			case len(f.Values) > 0:
				spec += ":value:(" + strings.Join(f.Values, " ") + ")"
			case f.Asks:
				spec += ":value:_olmgraph_ask"
			case f.TakesValue:
				spec += ":value:_files"
			}
			b.WriteString(" \\\n      " + singleQuoted(spec))
			if f.Short != "" {
				b.WriteString(" \\\n      " + singleQuoted("*-"+f.Short+strings.TrimPrefix(spec, "*--"+f.Name)))
			}
		}
		if len(c.Values) > 0 {
			b.WriteString(" \\\n      " + singleQuoted("*:value:("+strings.Join(c.Values, " ")+")") + " ;;\n")
		} else {
			b.WriteString(" \\\n      '*:argument:_olmgraph_ask' ;;\n")
		}
	}
	b.WriteString("    *) _olmgraph_ask ;;\n    esac ;;\n  esac\n}\n\n_olmgraph \"$@\"\n")
	return b.String()
}

func fish(all []Command) string {
	var b strings.Builder
	b.WriteString(fishAsk)
	for _, c := range all {
		fmt.Fprintf(&b, "complete -c olmgraph -n __fish_use_subcommand -f -a %s -d %s\n", c.Name, singleQuoted(c.Usage))
		in := singleQuoted("__fish_seen_subcommand_from " + c.Name)
		if c.Asks {
			fmt.Fprintf(&b, "complete -c olmgraph -n %s -k -a '(__olmgraph_ask)'\n", in)
		}
		if len(c.Values) > 0 {
			fmt.Fprintf(&b, "complete -c olmgraph -n %s -f -a %s\n", in, singleQuoted(strings.Join(c.Values, " ")))
		}
		for _, f := range c.Flags {
			fmt.Fprintf(&b, "complete -c olmgraph -n %s -l %s -d %s", in, f.Name, singleQuoted(f.Usage))
			if f.Short != "" {
				fmt.Fprintf(&b, " -s %s", f.Short)
			}
			switch {
			case len(f.Values) > 0:
				fmt.Fprintf(&b, " -x -a %s", singleQuoted(strings.Join(f.Values, " ")))
			case f.Asks:
				b.WriteString(" -x -k -a '(__olmgraph_ask)'")
			case f.TakesValue:
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
