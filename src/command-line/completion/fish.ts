// The script for fish: a line for each command and flag, under the condition that the words before lead there.
// Descriptions stand in single quotes, where fish knows but a backslash and the quote.
import type { Values } from "./values.ts";
import { formsOf, type CommandNode, type Flag, type WordTree } from "./word-tree.ts";

/** The script; source it, or keep it as \`completions/grantctl.fish\`. */
export function writeFish({ nodes, globals }: WordTree): string {
  return `# fish completion for grantctl; made by: grantctl completion fish

# The command that the words lead to, how many arguments it has by now, and what stands from its first argument on.
function __grantctl_read
    set -l path
    set -l count 0
    set -l waits 0
    set -l ended 0
    set -l rest
    for word in (commandline -opc)[2..-1]
        if test $waits = 2; or test $waits = 1 -a (string sub -l 1 -- "$word ") != -
            set waits 0
            continue
        end
        set waits 0
        if test $ended = 0
            switch $word
                case --
                    set ended 1
                    continue
                case '--*=*'
                    continue
                case '-?*'
                    __grantctl_waits $path $word
                    set waits $status
                    continue
            end
            if set -l next (__grantctl_enter $path $word)
                set path (string split ' ' -- $next)
                continue
            end
        end
        set count (math $count + 1)
        set -a rest $word
        contains -- "$path" ${nodes.filter(takesProgram).map(keyOf).join(" ")}; and set ended 1
    end
    set -g __grantctl_path "$path"
    set -g __grantctl_count $count
    set -g __grantctl_rest $rest
end

function __grantctl_update
    set -l line (commandline -pc)
    test "$line" = "$__grantctl_line"; and return
    __grantctl_read
    set -g __grantctl_line $line
end

# Prints the command that the last word leads to.
function __grantctl_enter
    switch "$argv"
${nodes.flatMap(entryCase).join("\n")}
        case '*'
            return 1
    end
end

# 2 where the next word belongs to the flag, 1 where it may, 0 where it does not.
function __grantctl_waits
    switch "$argv"
${[
  ...nodes.flatMap((node) => node.flags.map((flag) => waitsCase(pathOf(node), flag))),
  ...globals.filter(({ values }) => values !== null).map((flag) => waitsCase("*", flag)),
].join("\n")}
    end
    return 0
end

function __grantctl_at
    __grantctl_update
    test "$argv" = "$__grantctl_path"
end

function __grantctl_argument
    __grantctl_update
    test "$argv[2..-1]" = "$__grantctl_path"; and contains -- $__grantctl_count (string split , -- $argv[1])
end

# A list with commas: what was typed of it, and each word that is not in it yet.
function __grantctl_fields
    set -l typed (string replace -r -- '^--[^=]*=' '' (commandline -ct))
    set -l before (string match -r -- '^.*,' $typed)
    for word in $argv
        contains -- $word (string split , -- "$before"); or printf '%s%s\\t\\n' "$before" $word
    end
end

function __grantctl_local
    command grantctl completion --values $argv[1] 2>/dev/null </dev/null | string replace -r '^[^\\t]*$' '$0\\t'
end

# A program, then what it takes itself.
function __grantctl_program
    __grantctl_update
    complete -C (string join ' ' -- (string escape -- $__grantctl_rest) (commandline -ct))
end

complete -c grantctl -f
${nodes.flatMap(commandLines).join("\n")}
${nodes.flatMap((node) => node.flags.map((flag) => flagLine(condition(node), flag))).join("\n")}
${globals.map((flag) => flagLine(globalCondition(flag, nodes), flag)).join("\n")}
${nodes.flatMap(argumentLines).join("\n")}
`;
}

function pathOf({ path }: CommandNode): string {
  return path.join(" ");
}

function keyOf(node: CommandNode): string {
  return quote(pathOf(node));
}

function takesProgram({ positionals }: CommandNode): boolean {
  return positionals.some(({ values }) => values.kind === "program");
}

function entryCase(node: CommandNode): readonly string[] {
  return node.commands.map((child) => {
    const names = [child.path.at(-1) ?? "", ...child.aliases];
    const patterns = names.map((name) => quote([...node.path, name].join(" ")));
    return `        case ${patterns.join(" ")}\n            echo ${keyOf(child)}`;
  });
}

function waitsCase(before: string, flag: Flag): string {
  const patterns = formsOf(flag).map((form) => quote(before === "" ? form : `${before} ${form}`));
  // A flag may come before any command, too.
  const alone = before === "*" ? formsOf(flag).map(quote) : [];
  const code = flag.values === null ? 0 : flag.isValueOptional ? 1 : 2;
  return `        case ${[...patterns, ...alone].join(" ")}\n            return ${code}`;
}

function condition(node: CommandNode): string {
  return quote(`__grantctl_at ${pathOf(node)}`.trim());
}

/** Everywhere but where a command has a flag of the same name. */
function globalCondition(flag: Flag, nodes: readonly CommandNode[]): string | null {
  const others = nodes.filter(({ flags }) => flags.some(({ long }) => long === flag.long));
  if (others.length === 0) return null;
  return quote(others.map((node) => `not __grantctl_at ${pathOf(node)}`.trim()).join("; and "));
}

function commandLines(node: CommandNode): readonly string[] {
  return node.commands.map((child) => {
    const word = child.path.at(-1) ?? "";
    return `complete -c grantctl -n ${condition(node)} -a ${word} -d ${quote(child.description)}`;
  });
}

function flagLine(where: string | null, { long, short, values, description, isValueOptional }: Flag): string {
  const parts = [
    "complete -c grantctl",
    ...(where === null ? [] : [`-n ${where}`]),
    `-l ${long.slice(2)}`,
    ...(short === null ? [] : [`-s ${short.slice(1)}`]),
    ...(values === null ? [] : [isValueOptional && !("words" in values) ? "" : valueArguments(values)]),
    `-d ${quote(description)}`,
  ];
  return parts.filter((part) => part !== "").join(" ");
}

function argumentLines(node: CommandNode): readonly string[] {
  return node.positionals
    .map(({ values, isVariadic }, index) => {
      const argument =
        isVariadic || values.kind === "program"
          ? `__grantctl_at ${pathOf(node)}`
          : `__grantctl_argument ${index} ${pathOf(node)}`;
      if (values.kind === "text") return "";
      const what = values.kind === "program" ? "-a '(__grantctl_program)'" : valueArguments(values, "");
      return `complete -c grantctl -n ${quote(argument)} ${what}`;
    })
    .filter((line) => line !== "");
}

/**
 * What is offered; \`exclusive\` for what stands behind a flag. Behind each word stands a tab with no description, or
 * fish would repeat the flag's beside it.
 */
function valueArguments(values: Values, exclusive = "-x"): string {
  switch (values.kind) {
    case "text":
      return exclusive;
    case "file":
      return exclusive === "" ? "-F" : "-r -F";
    case "folder":
      return `${exclusive} -a '(__fish_complete_directories)'`;
    case "program":
      return `${exclusive} -a '(__fish_complete_command)'`;
    case "words":
      return `${exclusive} -a ${quote(values.words.map((word) => `${word}\\t`).join(" "))}`;
    case "fields":
      return `${exclusive} -a ${quote(`(__grantctl_fields ${values.words.join(" ")})`)}`;
    case "local":
    default:
      return `${exclusive} -a '(__grantctl_local ${values.of})'`;
  }
}

function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
