// The command to paste that would mend a finding, with the profile and address that were typed. Text that others chose
// is in it only within quotes that a shell takes literally.
import type { GlobalOptions } from "../config/global-options.ts";
import { textOf } from "../output/presentation.ts";
import type { Item } from "./item.ts";
import type { RuleName } from "./rule-names.ts";

export interface CommandLine {
  /** The command for what a rule found at an item; `measure` is what it measured. */
  mending(rule: RuleName, item: Item, measure: string): string;
}

/** Commands for this run: they go where it went. */
export function createCommandLine(
  { profile, baseUrl, operator }: Pick<GlobalOptions, "profile" | "baseUrl" | "operator">,
  organization: string | null,
): CommandLine {
  const start = [
    "grantctl",
    ...(profile === undefined ? [] : ["--profile", quote(profile)]),
    ...(baseUrl === undefined ? [] : ["--base-url", quote(baseUrl)]),
    ...(operator === undefined ? [] : ["--operator", operator]),
  ].join(" ");
  return {
    mending(rule, { resource, id }, measure) {
      const number = textOf(id);
      if (resource === "credential") {
        const path = `/orgs/${encodeURIComponent(organization ?? "")}/credential-authorizations/${number}`;
        return `${start} api -X DELETE ${quote(path)}`;
      }
      if (resource === "grant") return `${start} grant delete ${number}`;
      if (rule === "scope") {
        const scopes = measure.split(", ").map((scope) => `--remove-scope ${quote(scope)}`);
        return `${start} authorization update ${number} ${scopes.join(" ")}`;
      }
      const update = updates[rule];
      if (update !== undefined) return `${start} authorization update ${number} ${update}`;
      return `${start} authorization delete ${number}`;
    },
  };
}

/** What a flag mends, with a value that explains itself. */
const updates: Readonly<Partial<Record<RuleName, string>>> = {
  "duplicate-note": "--note 'what it is for'",
  "no-note": "--note 'what it is for'",
  "no-fingerprint": "--fingerprint 'where it is used'",
};

/** One word of a shell, whatever it holds. */
function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
