// The help topics besides commands. Their texts are loaded when one is shown.
import type { Page } from "./help-page.ts";
import type { Section } from "./help-sections.ts";

export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<readonly Section[]>;
}

export const topics: readonly [Topic, ...Topic[]] = [
  {
    name: "exit-codes",
    summary: "what each exit code says, and whether anything changed",
    load: async () => (await import("./topic-texts.ts")).exitCodesSections,
  },
  {
    name: "environment",
    summary: "the variables that are read, and the flags and profile keys beside them",
    load: async () => (await import("./topic-texts.ts")).environmentSections,
  },
  {
    name: "formatting",
    summary: "tables, csv, JSON, its fields, and jq",
    load: async () => (await import("./topic-texts.ts")).formattingSections,
  },
  {
    name: "security",
    summary: "what is promised about secrets and lost answers, and what cannot be",
    load: async () => (await import("./topic-texts.ts")).securitySections,
  },
];

/** Loads and makes the page of a topic. */
export async function topicPage({ name, summary, load }: Topic): Promise<Page> {
  return { name, summary, usage: null, sections: await load() };
}
