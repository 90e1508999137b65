// Every word of the command line as plain data, read from the command table: commands with their aliases, flags, and
// what may follow each. Knows no shell. Words that a shell would read as more than a word are left out.
import type { Argument, Command, Option } from "commander";
import { topics, type Topic } from "../pages/topics.ts";
import type { JsonFields } from "./json-fields.ts";
import { valuesOf, type Values } from "./values.ts";

export interface Flag {
  /** `--json`. */
  readonly long: string;
  /** `-H`; null where there is none. */
  readonly short: string | null;
  /** One line of text, which may hold any character but controls. */
  readonly description: string;
  readonly isRepeatable: boolean;
  /** What follows it; null where nothing does. */
  readonly values: Values | null;
  /** Whether it may stand without what follows it. */
  readonly isValueOptional: boolean;
}

export interface Positional {
  readonly name: string;
  readonly values: Values;
  /** Whether it takes all words that are left. */
  readonly isVariadic: boolean;
}

export interface CommandNode {
  /** The words that lead to it, aliases resolved; none for the program itself. */
  readonly path: readonly string[];
  readonly aliases: readonly string[];
  readonly description: string;
  readonly commands: readonly CommandNode[];
  /** Its own flags, --help included; those of every command are the tree's. */
  readonly flags: readonly Flag[];
  readonly positionals: readonly Positional[];
}

export interface WordTree {
  /** The program first, and each command before its verbs. */
  readonly nodes: readonly CommandNode[];
  /** The flags that every command takes, unless it has one of the same name. */
  readonly globals: readonly Flag[];
}

/** Commands whose arguments are the words of a command. */
const namingCommands: ReadonlySet<string> = new Set(["help", "schema"]);

/** The words of a program whose commands are all completed; `fields` are what --json may name, by the command's words. */
export function readWordTree(program: Command, fields: JsonFields): WordTree {
  const isGlobal = (option: Option): boolean =>
    program.options.includes(option) && option.long !== "--version";
  const read = (command: Command, path: readonly string[]): CommandNode => {
    const help = command.createHelp();
    return {
      path,
      aliases: command.aliases().filter(isPlain),
      description: oneLine(command.summary()),
      commands: help
        .visibleCommands(command)
        // Not the help that commander gives to every noun.
        .filter((child) => command.commands.includes(child) && isPlain(child.name()))
        .map((child) => read(child, [...path, child.name()])),
      flags: help
        .visibleOptions(command)
        .filter((option) => !isGlobal(option))
        .flatMap(flagOf),
      positionals: command.registeredArguments.map((argument) => positionalOf(argument, path)),
    };
  };
  const root = read(program, []);
  const commands = root.commands.map((command) => {
    if (!namingCommands.has(command.path[0] ?? "")) return command;
    return {
      ...command,
      positionals: [],
      commands: [
        ...root.commands.map((named) => below(command.path, named)),
        ...(command.path[0] === "help" ? topics.map(topicNode) : []),
      ],
    };
  });
  const globals = program.options.filter(isGlobal).flatMap(flagOf);
  const json = globals.find(({ long }) => long === "--json");
  const nodes = flatten({ ...root, commands }).map((node) => withFields(node, json, fields));
  return { nodes, globals };
}

/** Whether a shell reads it as one word and no more. */
function isPlain(word: string): boolean {
  return /^[\w.,:@/+-]+$/.test(word);
}

/** The flags that a command takes, its own first. */
export function flagsOf({ flags }: CommandNode, globals: readonly Flag[]): readonly Flag[] {
  return [...flags, ...globals.filter(({ long }) => !flags.some((own) => own.long === long))];
}

/** A flag as it is typed, in its long and its short form. */
export function formsOf({ long, short }: Flag): readonly string[] {
  return short === null ? [long] : [short, long];
}

function flagOf(option: Option): readonly Flag[] {
  const { long, short, description, required, optional, negate, parseArg, argChoices } = option;
  if (long === undefined || !isPlain(long)) return [];
  const takesValue = (required || optional) && !negate;
  return [
    {
      long,
      short: short ?? null,
      description: oneLine(description),
      // A parser that asks for what was given before collects.
      isRepeatable: argChoices === undefined && (parseArg?.length ?? 0) > 1,
      values: takesValue ? plainValues(valuesOf(valueName(option.flags), argChoices, { long })) : null,
      isValueOptional: optional,
    },
  ];
}

function positionalOf(argument: Argument, path: readonly string[]): Positional {
  const name = argument.name();
  const values = plainValues(valuesOf(name, argument.argChoices, { path }));
  return { name, values, isVariadic: argument.variadic };
}

function plainValues(values: Values): Values {
  return "words" in values ? { ...values, words: values.words.filter(isPlain) } : values;
}

/** `file` of `--ca-cert <file>`. */
function valueName(flags: string): string {
  return /[<[](.+?)(?:\.\.\.)?[>\]]/.exec(flags)?.[1] ?? "value";
}

function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
}

/** The same command as the words behind another one, where it takes no flags. */
function below(path: readonly string[], node: CommandNode): CommandNode {
  const commands = node.commands.map((child) => below(path, child));
  return { ...node, path: [...path, ...node.path], commands, flags: [], positionals: [] };
}

/** A topic as a word behind `help`. */
function topicNode({ name, summary }: Topic): CommandNode {
  return {
    path: ["help", name],
    aliases: [],
    description: summary,
    commands: [],
    flags: [],
    positionals: [],
  };
}

function flatten(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.commands.flatMap(flatten)];
}

/** --json, and --sort where there is one, with the fields of this command. */
function withFields(node: CommandNode, json: Flag | undefined, fields: JsonFields): CommandNode {
  const words = fields[node.path.join(" ")];
  if (words === undefined || json === undefined) return node;
  const own = node.flags.map((flag): Flag => {
    if (flag.long !== "--sort") return flag;
    return { ...flag, values: plainValues({ kind: "words", words: ["created", "updated", ...words] }) };
  });
  return { ...node, flags: [...own, { ...json, values: plainValues({ kind: "fields", words }) }] };
}
