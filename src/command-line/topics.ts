// The table of help topics. Their texts (topic-texts.ts) are loaded when a topic is shown.
import type { Command } from "commander";
import type { HelpPage } from "./help-page.ts";
import type { Section } from "./help-sections.ts";

export interface Topic {
  readonly name: string;
  readonly summary: string;
  /** Loads its text; `program` has every command defined. */
  readonly load: (program: Command) => Promise<readonly Section[]>;
}

export const topics: readonly [Topic, ...Topic[]] = [
  {
    name: "commands",
    summary: "All commands, one line each",
    load: async (program) => (await import("./topic-texts.ts")).commandsSections(program),
  },
  {
    name: "flags",
    summary: "Flags that every command accepts",
    load: async (program) => (await import("./topic-texts.ts")).flagsSections(program),
  },
  {
    name: "exit-codes",
    summary: "Exit codes, and whether anything changed",
    load: async () => (await import("./topic-texts.ts")).exitCodesSections,
  },
  {
    name: "environment",
    summary: "Environment variables, with the matching flags and profile settings",
    load: async () => (await import("./topic-texts.ts")).environmentSections,
  },
  {
    name: "formatting",
    summary: "Output formats (tables, CSV, JSON), field selection and jq",
    load: async () => (await import("./topic-texts.ts")).formattingSections,
  },
  {
    name: "security",
    summary: "How grantctl protects secrets and token values",
    load: async () => (await import("./topic-texts.ts")).securitySections,
  },
];

/** Loads and makes the page of a topic. All commands of the program have to be defined. */
export async function topicPage({ name, summary, load }: Topic, program: Command): Promise<HelpPage> {
  return { name, summary, usage: null, sections: await load(program) };
}
