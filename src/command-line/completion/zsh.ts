// The script for zsh: one function a command, over zsh's own _arguments. Descriptions stand in single quotes, and what
// _arguments or _describe would read in them has a backslash.
import type { Values } from "./values.ts";
import { flagsOf, formsOf, type CommandNode, type Flag, type WordTree } from "./word-tree.ts";

/** The script: a file \`_grantctl\` in a folder of \`fpath\`, or to be sourced behind compinit. */
export function writeZsh({ nodes, globals }: WordTree): string {
  return `#compdef grantctl
# zsh completion for grantctl; made by: grantctl completion zsh

${nodes.map((node) => functionOf(node, globals)).join("\n")}
_grantctl_local() {
  local -a found
  local line
  for line in "\${(@f)$(command grantctl completion --values $1 2>/dev/null </dev/null)}"; do
    [[ -n $line ]] || continue
    if [[ $line == *$'\\t'* ]]; then found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
    else found+=("\${line//:/\\\\:}")
    fi
  done
  _describe -t values value found
}

if [[ $funcstack[1] == _grantctl ]]; then
  _grantctl "$@"
elif ((\${+functions[compdef]})); then
  compdef _grantctl grantctl
fi
`;
}

function functionOf(node: CommandNode, globals: readonly Flag[]): string {
  const hasCommands = node.commands.length > 0;
  const shadows = node.flags.some((flag) => globals.some(({ long }) => long === flag.long));
  const flags = shadows ? flagsOf(node, globals) : node.flags;
  const specs = [
    ...flags.map(flagSpec),
    ...(shadows ? [] : ['"$grantctl_globals[@]"']),
    ...(hasCommands ? ["'(-): :->command'", "'(-)*:: :->words'"] : positionalSpecs(node)),
  ];
  const lines = [
    ...(node.path.length === 0 ? globalsArray(globals) : []),
    ...(hasCommands
      ? ["local context state state_descr line curcontext=$curcontext", "typeset -A opt_args"]
      : []),
    ...(node.positionals.some(({ values }) => values.kind === "program") ? commandBehindDashes : []),
    `_arguments -s -S${hasCommands ? " -C" : ""} \\\n    ${specs.join(" \\\n    ")}`,
    ...(hasCommands ? branches(node) : []),
  ];
  return `${nameOf(node.path)}() {\n${lines.map((line) => `  ${line}\n`).join("")}}\n`;
}

/** Seen by every function that the program's calls. */
function globalsArray(globals: readonly Flag[]): readonly string[] {
  return ["local -a grantctl_globals=(", ...globals.map((flag) => `  ${flagSpec(flag)}`), ")"];
}

/** What stands behind -- is completed as if it stood alone. */
const commandBehindDashes = [
  "local dashes=${words[(i)--]}",
  "if ((dashes < CURRENT)); then",
  "  shift $dashes words",
  "  ((CURRENT -= dashes))",
  "  _normal",
  "  return",
  "fi",
];

/** Which function completes behind which word. */
function branches(node: CommandNode): readonly string[] {
  const described = node.commands.map((child) =>
    quote(`${wordOf(child)}:${child.description.replaceAll("\\", "\\\\")}`),
  );
  const cases = node.commands.map((child) => {
    const words = [wordOf(child), ...child.aliases].join("|");
    return `${words}) ${nameOf(child.path)} ;;`;
  });
  return [
    "case $state in",
    "  command)",
    "    local -a commands=(",
    ...described.map((line) => `      ${line}`),
    "    )",
    "    _describe -t commands command commands",
    "    ;;",
    "  words)",
    "    curcontext=${curcontext%:*:*}:grantctl-$words[1]:",
    "    case $words[1] in",
    ...cases.map((line) => `      ${line}`),
    "    esac",
    "    ;;",
    "esac",
  ];
}

function flagSpec(flag: Flag): string {
  const { short, long, values, isRepeatable, isValueOptional } = flag;
  const ends = values === null ? "" : "=";
  const value = values === null ? "" : `${isValueOptional ? "::" : ":"}${actionOf(values)}`;
  const rest = quote(`[${flag.description.replaceAll(/[\\[\]:]/g, "\\$&")}]${value}`);
  const before = isRepeatable ? "'*'" : short === null ? "" : quote(`(${formsOf(flag).join(" ")})`);
  const forms = short === null ? `${long}${ends}` : `{${short}${values === null ? "" : "+"},${long}${ends}}`;
  return `${before}${forms}${rest}`;
}

function positionalSpecs({ positionals }: CommandNode): readonly string[] {
  return positionals.map(({ values, isVariadic }) =>
    isVariadic && values.kind === "program"
      ? "'*:: :_normal'"
      : quote(`${isVariadic ? "*" : ""}:${actionOf(values)}`),
  );
}

/** What completes a value, behind its message. */
function actionOf(values: Values): string {
  switch (values.kind) {
    case "text":
      return "value: ";
    case "file":
      return "file:_files";
    case "folder":
      return "folder:_files -/";
    case "program":
      return "command:_command_names -e";
    case "words":
      return `value:(${values.words.join(" ").replaceAll(":", "\\:")})`;
    case "fields":
      return `fields:_values -s , field ${values.words.join(" ")}`;
    case "local":
    default:
      // The space keeps _arguments from putting arguments of its own first.
      return `value: _grantctl_local ${values.of}`;
  }
}

function nameOf(path: readonly string[]): string {
  return ["_grantctl", ...path].join("_").replaceAll("-", "_");
}

function wordOf({ path }: CommandNode): string {
  return path.at(-1) ?? "";
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
