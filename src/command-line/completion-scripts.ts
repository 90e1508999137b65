// The scripts that connect bash, zsh, fish and PowerShell to `grantctl __complete`. They contain no commands or flags,
// so that they stay valid after an update. Their protocol is described in completion.ts.
const bash = String.raw`# bash completion for grantctl, 3.2 and later; made by: grantctl completion bash
_grantctl() {
  local IFS=$' \t\n' line="${"$"}{COMP_LINE:0:COMP_POINT}" typed=() size=0 i word
  # Bash splits at = and : too; what has no space between is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="${"$"}{COMP_WORDS[i]}"
    if ((i > 0)) && [[ -n $line && $line != [[:space:]]* ]]; then
      ((i == COMP_CWORD)) && word=$line
      typed[size - 1]+=$word
    else
      line="${"$"}{line#"${"$"}{line%%[![:space:]]*}"}"
      ((i == COMP_CWORD)) && word=$line
      typed[size++]=$word
    fi
    line="${"$"}{line#"$word"}"
  done

  local cur="${"$"}{typed[size - 1]}" kind='' rest=''
  COMPREPLY=()
  {
    IFS=' ' read -r kind rest
    while IFS=$'\t' read -r word _; do
      [[ $word == "$cur"* ]] || continue
      [[ $word == *[!A-Za-z0-9_.,:@/+=-]* ]] && printf -v word %q "$word"
      COMPREPLY+=("$word")
    done
  } < <(command grantctl __complete "=$cur" "${"$"}{typed[@]:1:size - 2}" 2>/dev/null </dev/null)
  case $kind in
    words) [[ $rest == nospace ]] && compopt -o nospace 2>/dev/null ;;
    file) compopt -o default 2>/dev/null ;;
    folder) compopt -o dirnames 2>/dev/null ;;
    program)
      if [[ -n $rest && $rest -lt $((size - 2)) || $cur == */* ]]; then compopt -o default 2>/dev/null
      else while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -c -- "$cur")
      fi
      ;;
  esac
  # Bash puts what is offered behind the last = or : that was typed.
  word="${"$"}{cur%"${"$"}{cur##*[=:]}"}"
  if [[ -n $word && ${"$"}{#COMPREPLY[@]} -gt 0 ]]; then COMPREPLY=("${"$"}{COMPREPLY[@]#"$word"}"); fi
}

complete -F _grantctl grantctl
`;

const zsh = String.raw`#compdef grantctl
# zsh completion for grantctl; made by: grantctl completion zsh
_grantctl() {
  local -a lines found
  local line kind
  lines=("${"$"}{(@f)$(command grantctl __complete "=$PREFIX" "${"$"}{(@Q)words[2,CURRENT-1]}" 2>/dev/null </dev/null)}")
  kind=$lines[1]
  case $kind in
    words*)
      for line in "${"$"}{(@)lines[2,-1]}"; do
        [[ -n $line ]] || continue
        if [[ $line == *$'\t'* ]]; then found+=("${"$"}{${"$"}{line%%$'\t'*}//:/\\:}:${"$"}{line#*$'\t'}")
        else found+=("${"$"}{line//:/\\:}")
        fi
      done
      if [[ $kind == *nospace ]]; then _describe -t values value found -S ''
      else _describe -t values value found
      fi
      ;;
    file*)
      [[ $kind == *=* ]] && compset -P '*='
      _files
      ;;
    folder*)
      [[ $kind == *=* ]] && compset -P '*='
      _files -/
      ;;
    program\ *)
      shift $((${"$"}{kind#program } + 1)) words
      ((CURRENT -= ${"$"}{kind#program } + 1))
      _normal
      ;;
    program) _command_names -e ;;
  esac
}

if [[ $funcstack[1] == _grantctl ]]; then
  _grantctl "$@"
elif ((${"$"}{+functions[compdef]})); then
  compdef _grantctl grantctl
fi
`;

const fish = String.raw`# fish completion for grantctl; made by: grantctl completion fish
function __grantctl_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (command grantctl __complete "=$current" $words[2..-1] 2>/dev/null </dev/null)
    set -l kind (string split -m 1 ' ' -- $lines[1])
    switch "$kind[1]"
        case words
            printf '%s\n' $lines[2..-1]
        case file
            set -l path (string replace -r -- '^--[^=]*=' '' "$current")
            string replace -r -- '^' "$kind[2]" (complete -C "'' $path")
        case folder
            set -l path (string replace -r -- '^--[^=]*=' '' "$current")
            string replace -r -- '^' "$kind[2]" (complete -C "'' $path" | string match -r '^.*/(?=\t|$)')
        case program
            set -l from (math "$kind[2] + 2" 2>/dev/null)
            if test -z "$kind[2]"; or test $from -gt (count $words)
                __fish_complete_command
            else
                complete -C (string join ' ' -- (string escape -- $words[$from..-1]) "$current")
            end
    end
end

complete -c grantctl -f -a '(__grantctl_complete)'
`;

const powershell = String.raw`# PowerShell completion for grantctl, 5.1 and later; made by: grantctl completion powershell
Register-ArgumentCompleter -Native -CommandName 'grantctl' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $elements = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition })
    $words = @($elements | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text -replace '^[''"]|[''"]$', '' })
    $current = $wordToComplete -replace '^[''"]|[''"]$', ''
    $lines = @(& grantctl __complete ('=' + $current) @words 2>$null)
    $results = @(
        foreach ($line in @($lines | Select-Object -Skip 1)) {
            $text, $means = $line -split [char]9, 2
            if (-not $text.StartsWith($current, [StringComparison]::Ordinal)) { continue }
            $typed = $text
            if ($text -notmatch '^[A-Za-z0-9_./:=+-]+$') { $typed = "'" + $text.Replace("'", "''") + "'" }
            if ([string]::IsNullOrEmpty($means)) { $means = $text }
            $type = if ($text.StartsWith('-')) { 'ParameterName' } else { 'ParameterValue' }
            [System.Management.Automation.CompletionResult]::new($typed, $text, $type, $means)
        }
    )
    # Where nothing is returned, PowerShell offers files; an empty text keeps it from that.
    if ($results.Count -gt 0) { $results } elseif ("$($lines[0])" -like 'words*') { '' }
}
`;

export const scripts = { bash, zsh, fish, powershell } as const;

export type Shell = keyof typeof scripts;
export const shells = Object.keys(scripts) as readonly Shell[];
