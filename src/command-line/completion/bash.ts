// The script for bash, 3.2 and later, with or without the package bash-completion. It holds plain words alone: no text
// that bash could take for more.
import type { Values } from "./values.ts";
import { formsOf, type CommandNode, type Flag, type WordTree } from "./word-tree.ts";

/** The script; source it. A command is its words with a space before each: ` grant list`. */
export function writeBash({ nodes, globals }: WordTree): string {
  return `# bash completion for grantctl; made by: grantctl completion bash

# The command that the word $2 is within the command $1.
_grantctl_enter() {
  case "$1 $2" in
${nodes.flatMap(entryCase).join("\n")}
    *) return 1 ;;
  esac
}

# What may follow within the command $1.
_grantctl_words() {
  case "$1" in
${nodes.map(wordsCase).join("\n")}
  esac
  flags="$flags ${globals.flatMap(formsOf).join(" ")}"
}

# What follows the flag $2 of the command $1; fails where nothing does.
_grantctl_value() {
  case "$1 $2" in
${nodes.flatMap((node) => node.flags.map((flag) => valueCase(`'${pathOf(node)} '`, flag))).join("\n")}
${globals.map((flag) => valueCase("*' '", flag)).join("\n")}
    *) return 1 ;;
  esac
}

# What the argument number $2 of the command $1 is; fails where there is none.
_grantctl_argument() {
  case "$1 $2" in
${nodes.flatMap(argumentCases).join("\n")}
    *) return 1 ;;
  esac
}

# Flags that may be given again.
_grantctl_repeatable() {
  case "$1 $2" in
${[
  ...nodes.flatMap((node) => node.flags.map((flag) => repeatableCase(`'${pathOf(node)} '`, flag))),
  ...globals.map((flag) => repeatableCase("*' '", flag)),
]
  .filter((line) => line !== null)
  .join("\n")}
    *) return 1 ;;
  esac
}

${engine}`;
}

function pathOf({ path }: CommandNode): string {
  return path.map((word) => ` ${word}`).join("");
}

function entryCase(node: CommandNode): readonly string[] {
  return node.commands.map((child) => {
    const names = [child.path.at(-1) ?? "", ...child.aliases].map((name) => `'${pathOf(node)} ${name}'`);
    return `    ${names.join("|")}) path='${pathOf(child)}' ;;`;
  });
}

function wordsCase(node: CommandNode): string {
  const commands = node.commands.map(({ path }) => path.at(-1)).join(" ");
  return `    '${pathOf(node)}') commands='${commands}' flags='${node.flags.flatMap(formsOf).join(" ")}' ;;`;
}

function valueCase(before: string, flag: Flag): string {
  const pattern = patternOf(before, flag);
  if (flag.values === null) return `    ${pattern}) return 1 ;;`;
  return `    ${pattern}) ${assign(flag.values)} optional=${flag.isValueOptional ? "1" : "''"} ;;`;
}

function argumentCases(node: CommandNode): readonly string[] {
  return node.positionals.map(({ values, isVariadic }, index) => {
    const pattern = isVariadic ? `'${pathOf(node)} '*` : `'${pathOf(node)} ${index}'`;
    return `    ${pattern}) ${assign(values)} ;;`;
  });
}

function repeatableCase(before: string, flag: Flag): string | null {
  return flag.isRepeatable ? `    ${patternOf(before, flag)}) ;;` : null;
}

function patternOf(before: string, flag: Flag): string {
  return formsOf(flag)
    .map((form) => `${before}${form}`)
    .join("|");
}

function assign(values: Values): string {
  const words = "words" in values ? values.words.join(" ") : values.kind === "local" ? values.of : "";
  return `kind=${values.kind} words='${words}'`;
}

const engine = `# Offers those of the words that begin as what was typed.
_grantctl_offer() {
  local word
  for word in "$@"; do
    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$word"); fi
  done
}

# Offers what may stand where the cursor is, by its kind.
_grantctl_offer_kind() {
  local word before
  case "$kind" in
    file) compopt -o default 2>/dev/null ;;
    folder) compopt -o dirnames 2>/dev/null ;;
    program)
      if ((count > 0)) || [[ $cur == */* ]]; then compopt -o default 2>/dev/null
      else while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -c -- "$cur")
      fi
      ;;
    words) _grantctl_offer $words ;;
    fields)
      compopt -o nospace 2>/dev/null
      before=
      [[ $cur == *,* ]] && before="\${cur%,*},"
      for word in $words; do
        [[ ",$before" == *",$word,"* ]] || _grantctl_offer "$before$word"
      done
      ;;
    local)
      while IFS=$'\\t' read -r word _; do
        if [[ $word == "$cur"* ]]; then
          printf -v word %q "$word"
          COMPREPLY+=("$word")
        fi
      done < <(command grantctl completion --values "$words" 2>/dev/null </dev/null)
      ;;
  esac
}

_grantctl() {
  local IFS=$' \\t\\n' line="\${COMP_LINE:0:COMP_POINT}" typed=() size=0 i word
  # Bash splits at = and : too; what has no space between is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if ((i > 0)) && [[ -n $line && $line != [[:space:]]* ]]; then
      ((i == COMP_CWORD)) && word=$line
      typed[size - 1]+=$word
    else
      line="\${line#"\${line%%[![:space:]]*}"}"
      ((i == COMP_CWORD)) && word=$line
      typed[size++]=$word
    fi
    line="\${line#"$word"}"
  done

  local path='' count=0 ended='' used=' ' waits='' kind='' words='' optional='' commands='' flags=''
  local cur="\${typed[size - 1]}"
  for ((i = 1; i < size - 1; i++)); do
    word="\${typed[i]}"
    if [[ -n $waits ]]; then
      waits=''
      [[ -n $optional && $word == -* ]] || continue
    fi
    if [[ -z $ended && $word == -- ]]; then ended=1
    elif [[ -z $ended && $word == -?* ]]; then
      used+="\${word%%=*} "
      if [[ $word != *=* ]] && _grantctl_value "$path" "$word"; then waits=1; fi
    elif ! _grantctl_enter "$path" "$word"; then
      # What follows a program is the program's.
      kind=''
      if _grantctl_argument "$path" "$count" && [[ $kind == program ]]; then ended=1; fi
      count=$((count + 1))
    fi
  done

  COMPREPLY=()
  if [[ -n $waits && ! (-n $optional && $cur == -*) ]]; then _grantctl_offer_kind
  elif [[ -z $ended && $cur == --*=* ]]; then
    kind=''
    if _grantctl_value "$path" "\${cur%%=*}"; then
      cur="\${cur#*=}" count=0
      _grantctl_offer_kind
    fi
  else
    _grantctl_words "$path"
    if [[ -z $ended && $cur == -* ]]; then
      for word in $flags; do
        if [[ $used != *" $word "* ]] || _grantctl_repeatable "$path" "$word"; then _grantctl_offer "$word"; fi
      done
    else
      [[ -z $ended ]] && _grantctl_offer $commands
      kind=''
      if _grantctl_argument "$path" "$count"; then _grantctl_offer_kind; fi
    fi
  fi
  # Bash puts what is offered behind the last = or : that was typed.
  word="\${cur%"\${cur##*[=:]}"}"
  if [[ -n $word && \${#COMPREPLY[@]} -gt 0 ]]; then COMPREPLY=("\${COMPREPLY[@]#"$word"}"); fi
}

complete -F _grantctl grantctl
`;
