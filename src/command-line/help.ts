// Help pages: commander's own with headings like gh's, followed by what a command adds: notes, the fields of its JSON, and
// examples. The global flags are on a page of their own (topics.ts).
import { Chalk } from "chalk";
import { Help, type Command } from "commander";

/** A paragraph, or names with their meanings. */
type Block = string | Readonly<Record<string, string>>;

/** Text under a heading, which is empty at the top of a page. */
export type Note = readonly [heading: string, ...blocks: readonly Block[]];

export function addNote(command: Command, ...note: Note): Command {
  return command.addHelpText("after", () => `\n${formatNotes([note], helperOf(command))}`);
}

/** Adds examples, which are not wrapped, because they are meant to be pasted. */
export function addExamples(command: Command, examples: readonly string[]): Command {
  const lines = examples.map((line) => `\n  $ ${line}`).join("");
  return command.addHelpText("after", () => `\n${helperOf(command).styleTitle("Examples")}${lines}`);
}

const fieldsKey = Symbol("fields of JSON");

/** The fields of a command's JSON, which `--json` takes; empty if it has no JSON of its own. */
export function jsonFieldsOf(command: Command & { readonly [fieldsKey]?: readonly string[] }) {
  return command[fieldsKey] ?? [];
}

export function printsFields(command: Command, fields: readonly string[]): void {
  const outer = fields.filter((field) => !field.includes("."));
  addNote(Object.assign(command, { [fieldsKey]: fields }), "JSON fields", outer.join(", "));
}

/** What differs from commander's help. */
export function helpStyle(hasColours: () => boolean): Partial<Help> {
  return {
    minWidthToWrap: 20,
    styleTitle(title) {
      const name = title.replace(/:$/, "").replace(/^Options$/, "Flags");
      const heading = new Chalk({ level: hasColours() ? 1 : 0 }).bold(name.toUpperCase());
      // Commander continues the line of this title.
      return name === "Usage" ? `${heading}\n ` : heading;
    },
    // The same whether the command is loaded, and its arguments are known, or not.
    subcommandTerm: (command) => command.name(),
    formatHelp(command, helper) {
      // The global flags have a page of their own. Commander suggests them only if they are visible.
      const page = Object.create(helper) as Help;
      if (command.parent === null) page.visibleOptions = () => [];
      return Help.prototype.formatHelp.call(page, command, page).replace("[options]", "[flags]");
    },
  };
}

/** Formats text for the help of this command, as wide as its help. */
export function helperOf(command: Command): Help {
  const helper = command.createHelp();
  helper.prepareContext({ helpWidth: command.configureOutput().getOutHelpWidth?.() ?? 80 });
  return helper;
}

export function formatNotes(notes: readonly Note[], helper: Help): string {
  const names = notes.flat().flatMap((block) => (typeof block === "string" ? [] : Object.keys(block)));
  const nameWidth = Math.max(0, ...names.map((name) => name.length));
  const formatBlock = (block: Block, indent: string): string =>
    typeof block === "string"
      ? helper.boxWrap(block, (helper.helpWidth ?? 80) - indent.length).replaceAll(/^/gm, indent)
      : Object.entries(block)
          .map(([name, text]) => helper.formatItem(name, nameWidth, text, helper))
          .join("\n");
  return notes
    .map(([heading, ...blocks]) => {
      const text = blocks.map((block) => formatBlock(block, heading === "" ? "" : "  ")).join("\n\n");
      return heading === "" ? text : `${helper.styleTitle(heading)}\n${text}`;
    })
    .join("\n\n");
}
