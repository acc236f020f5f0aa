// The shell scripts that complete `lessor`: each Tab calls the program with the words up to the cursor, the last one
// incomplete; it prints one candidate per line.
//
// Invariant: no candidate is executed, at Tab or at Enter. Names come from other people: an operator is offered those
// of all customers' instances. So candidates for bash are quoted; zsh and fish quote them themselves.

const bash = `# lessor completion for bash: source <(lessor completion bash)
_lessor() {
  local IFS=$'\\n' words=() cur
  # Words as they are, also where one has a colon or an equals sign in it.
  if declare -F _get_comp_words_by_ref > /dev/null; then
    _get_comp_words_by_ref -n := -w words -c cur
    words=("\${words[@]:1}")
  else
    words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
    cur=\${COMP_WORDS[COMP_CWORD]}
  fi
  local found
  found=$("\${COMP_WORDS[0]}" completion words -- "\${words[@]}" 2> /dev/null)
  if [ "$found" = ":file" ]; then
    compopt -o filenames 2> /dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
  else
    # Not compgen -W, which expands what it is given.
    local one
    COMPREPLY=()
    while IFS= read -r one; do
      if [ -n "$one" ]; then COMPREPLY+=("$(printf %q "$one")"); fi
    done <<< "$found"
  fi
}
complete -F _lessor lessor
`;

const zsh = `#compdef lessor
# lessor completion for zsh: lessor completion zsh > a file _lessor in a folder of fpath
_lessor() {
  local -a found
  found=("\${(@f)$("\${words[1]}" completion words -- "\${(@)words[2,CURRENT]}" 2> /dev/null)}")
  if [[ "\${found[1]}" == ":file" ]]; then _files; else compadd -a found; fi
}
if [ "$funcstack[1]" = "_lessor" ]; then _lessor "$@"; else compdef _lessor lessor; fi
`;

const fish = `# lessor completion for fish: lessor completion fish | source
function __lessor_complete
  set -l words (commandline -opc)[2..-1] (commandline -ct)
  set -l found (lessor completion words -- $words 2> /dev/null)
  if test "$found" = ":file"
    __fish_complete_path (commandline -ct)
  else
    string join -- \\n $found
  end
end
complete -c lessor -f -a '(__lessor_complete)'
`;

export const completionScripts = { bash, zsh, fish } as const;
