// Help pages: commander's own with headings like gh's, followed by what a command adds: notes, the fields of its JSON, and
// examples. The global flags are on a page of their own (topics.ts).
import { Chalk } from "chalk";
import { Help, type Command } from "commander";

/** A paragraph, or names with their meanings. */
type Block = string | Readonly<Record<string, string>>;

/** Text under a heading, which is empty at the top of a page. */
export type Note = readonly [heading: string, ...blocks: readonly Block[]];

interface HelpParts {
  readonly notes: readonly Note[];
  /** The fields of its JSON, which `--json` takes; empty if it has no JSON of its own. */
  readonly fields: readonly string[];
  readonly examples: readonly string[];
}

const partsKey = Symbol("help parts");

export function helpPartsOf(command: Command & { readonly [partsKey]?: HelpParts }): HelpParts {
  return command[partsKey] ?? { notes: [], fields: [], examples: [] };
}

function changeParts(command: Command, change: Partial<HelpParts>): Command {
  return Object.assign(command, { [partsKey]: { ...helpPartsOf(command), ...change } });
}

/** Adds a section between a command's flags and its examples. */
export function addNote(command: Command, ...note: Note): Command {
  return changeParts(command, { notes: [...helpPartsOf(command).notes, note] });
}

export function addExamples(command: Command, examples: readonly string[]): Command {
  return changeParts(command, { examples });
}

/** Declares the fields of a command's JSON, for its help and for completion. */
export function printsFields(command: Command, fields: readonly string[]): Command {
  return changeParts(command, { fields });
}

const learnMore: Note = [
  "Learn more",
  "Run `grantctl help` with a command, or with a topic: flags (for every command), exit-codes, environment, formatting.",
];

/** What differs from commander's help. */
export function helpStyle(hasColours: () => boolean): Partial<Help> {
  return {
    minWidthToWrap: 30,
    styleTitle(title) {
      const name = title.replace(/:$/, "").replace(/^Options$/, "Flags");
      const heading = new Chalk({ level: hasColours() ? 1 : 0 }).bold(name.toUpperCase());
      // Commander continues the line of this title.
      return name === "Usage" ? `${heading}\n ` : heading;
    },
    commandUsage: (command) =>
      Help.prototype.commandUsage.call(new Help(), command).replace("[options]", "[flags]"),
    subcommandTerm: (command) => command.name(),
    formatHelp(command, helper) {
      const { notes, fields, examples } = helpPartsOf(command);
      const outer = fields.filter((field) => !field.includes("."));
      const added = [
        ...notes.map((note) => formatNotes([note], helper)),
        ...(outer.length === 0 ? [] : [formatNotes([["JSON fields", outer.join(", ")]], helper)]),
        // Examples are not wrapped, because they are meant to be pasted.
        ...(examples.length === 0
          ? []
          : [[helper.styleTitle("Examples"), ...examples.map((line) => `  $ ${line}`)].join("\n")]),
        formatNotes([learnMore], helper),
      ];
      // The global flags have a page of their own.
      const page: Help = Object.create(helper) as Help;
      if (command.parent === null) page.visibleOptions = () => [];
      return `${Help.prototype.formatHelp.call(page, command, page)}\n${added.join("\n\n")}\n`;
    },
  };
}

export function formatNotes(notes: readonly Note[], helper: Help): string {
  const width = helper.helpWidth ?? 80;
  const names = notes.flat().flatMap((block) => (typeof block === "string" ? [] : Object.keys(block)));
  const nameWidth = Math.max(0, ...names.map((name) => name.length));
  const formatBlock = (block: Block, indent: string): string =>
    typeof block === "string"
      ? helper.boxWrap(block, width - indent.length).replaceAll(/^/gm, indent)
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
