package cli

// completionScripts returns the completion script of each shell, by its name. They ask olmgraph __complete, whose lines they do not evaluate, and
// complete file names where it prints nothing. urfave/cli's own scripts know no values of flags, and no names in a catalog.
func completionScripts() map[string]string {
	return map[string]string{"bash": bash, "zsh": zsh, "fish": fish}
}

const bash = `_olmgraph() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("${line%%$'\t'*}")
  done < <("${COMP_WORDS[0]/#~\//$HOME/}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [ ${#COMPREPLY[@]} = 0 ] || compopt -o nosort 2>/dev/null
}
complete -o default -F _olmgraph olmgraph
`

const zsh = `#compdef olmgraph

_olmgraph() {
  local -a found names
  found=(${(f)"$(olmgraph __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
  names=("${(@)found%%$'\t'*}")
  found=("${(@)found/$'\t'/  -- }")
  if (( $#found )); then
    compadd -l -V olmgraph -d found -a names
  else
    _files
  fi
}

_olmgraph "$@"
`

const fish = `function __olmgraph_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (olmgraph __complete $words[2..-1] 2>/dev/null)
  if test (count $found) -gt 0
    string join \n -- $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c olmgraph -f -k -a '(__olmgraph_complete)'
`
