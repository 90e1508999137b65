// The command to paste that would fix a finding, with the profile and address that were typed. Text that others chose
// is in it only within quotes that a shell takes literally.
import type { GlobalOptions } from "../config/global-options.ts";
import { quoteWord } from "../printing/complete-commands.ts";
import type { Resource } from "./item.ts";
import type { RuleName } from "./rule-names.ts";

/** A command for resources of one kind: the identifier goes between the two texts. */
export type Command = readonly [beforeId: string, behindId: string];

export interface CommandLine {
  /** The command for what a rule found at such a thing; `measure` is what it measured. */
  mending(rule: RuleName, resource: Resource, measure: string): Command;
}

/** Makes the commands of this run, with the profile and address that it was given. */
export function createCommandLine(
  { profile, baseUrl, operator }: Pick<GlobalOptions, "profile" | "baseUrl" | "operator">,
  organization: string | null,
): CommandLine {
  const start = [
    "grantctl",
    ...(profile === undefined ? [] : ["--profile", quoteWord(profile)]),
    ...(baseUrl === undefined ? [] : ["--base-url", quoteWord(baseUrl)]),
    ...(operator === undefined ? [] : ["--operator", operator]),
  ].join(" ");
  return {
    mending(rule, resource, measure) {
      if (resource === "credential") {
        // A name as it stands in addresses needs no quotes.
        return [`${start} api -X DELETE /orgs/${organization ?? ""}/credential-authorizations/`, ""];
      }
      if (resource === "grant") return [`${start} grant delete `, ""];
      const update = rule === "scope" ? withoutScopes(measure.split(", ")) : updates[rule];
      if (update !== undefined) return [`${start} authorization update `, ` ${update}`];
      return [`${start} authorization delete `, ""];
    },
  };
}

function withoutScopes(scopes: readonly string[]): string {
  return scopes.map((scope) => `--remove-scope ${quoteWord(scope)}`).join(" ");
}

/** The flags that would fix a finding, each with a value that explains itself. */
const updates: Readonly<Partial<Record<RuleName, string>>> = {
  "duplicate-note": "--note 'what it is for'",
  "no-note": "--note 'what it is for'",
  "no-fingerprint": "--fingerprint 'where it is used'",
};
