// The table of help topics. Their texts (topic-texts.ts) are loaded when a topic is shown.
import type { Command } from "commander";
import type { HelpPage } from "./help-page.ts";
import type { topicTexts } from "./topic-texts.ts";

interface Topic {
  readonly name: keyof typeof topicTexts;
  readonly summary: string;
}

export const topics: readonly [Topic, ...Topic[]] = [
  { name: "commands", summary: "All commands, one line each" },
  { name: "flags", summary: "Global flags" },
  { name: "exit-codes", summary: "Exit codes, and whether anything changed" },
  { name: "environment", summary: "Environment variables, with the matching flags and profile settings" },
  { name: "formatting", summary: "Output formats (tables, CSV, JSON), field selection and jq" },
  {
    name: "jobs",
    summary: "Commands that act on multiple items: statuses, interruptions, resuming and verification",
  },
  { name: "security", summary: "How grantctl protects secrets and token values" },
];

/** Loads the page of a topic. All commands of the program must be defined. */
export async function topicPage({ name, summary }: Topic, program: Command): Promise<HelpPage> {
  const { topicTexts } = await import("./topic-texts.ts");
  return { name, summary, usage: null, sections: topicTexts[name](program) };
}
