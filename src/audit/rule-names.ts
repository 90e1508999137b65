// The rules by name: how serious a finding is, which resources a rule applies to, and its value. Parses `--fail-on`;
// rules.ts decides what is a finding.
import { usageFailure } from "../errors/errors.ts";
import { parseAge, type Age } from "../lists/age.ts";
import type { Resource } from "./item.ts";

/** How soon somebody should decide about a finding. */
export type Severity = "high" | "medium" | "low";

export interface RuleKind {
  readonly severity: Severity;
  readonly about: readonly Resource[];
  /** An example of the value after the equals sign; null for a rule without a value. */
  readonly example: string | null;
}

const everything: readonly Resource[] = ["grant", "authorization", "credential"];
const tokens: readonly Resource[] = ["authorization", "credential"];

/** In the order in which the findings of one item are listed. */
const kinds = {
  "unknown-app": { severity: "high", about: ["grant", "authorization"], example: null },
  new: { severity: "high", about: tokens, example: null },
  scope: { severity: "high", about: everything, example: "admin:*" },
  "older-than": { severity: "medium", about: everything, example: "1y" },
  "not-updated-for": { severity: "medium", about: ["grant", "authorization"], example: "180d" },
  "not-used-for": { severity: "medium", about: ["credential"], example: "90d" },
  "no-expiry": { severity: "medium", about: tokens, example: null },
  "expires-within": { severity: "low", about: tokens, example: "30d" },
  "duplicate-note": { severity: "low", about: ["authorization"], example: null },
  "no-note": { severity: "low", about: ["authorization"], example: null },
  "no-fingerprint": { severity: "low", about: ["authorization"], example: null },
} as const satisfies Readonly<Record<string, RuleKind>>;

export type RuleName = keyof typeof kinds;
export const ruleKinds: Readonly<Record<RuleName, RuleKind>> = kinds;

/** A rule as it was asked for. */
export interface WantedRule {
  readonly name: RuleName;
  /** As it was typed: `older-than=1y`. */
  readonly text: string;
  readonly age?: Age;
  /** A glob: a star stands for any text. */
  readonly glob?: string;
}

const forms = Object.entries(ruleKinds).map(([name, { example }]) =>
  example === null ? name : `${name}=${example}`,
);

/** Reads the rules of one `--fail-on`, with commas between them. Throws a usage failure that lists the right ones. */
export function parseRules(text: string): readonly WantedRule[] {
  return text.split(",").map((word) => parseRule(word.trim()));
}

function parseRule(text: string): WantedRule {
  const at = text.indexOf("=");
  const name = at === -1 ? text : text.slice(0, at);
  const value = at === -1 ? null : text.slice(at + 1);
  if (!isRuleName(name)) throw wrongRule(text);
  const { example } = ruleKinds[name];
  if (example === null) {
    if (value !== null) throw usageFailure(`the rule ${name} takes no value`, `--fail-on ${name}`);
    return { name, text };
  }
  if (value === null || value === "") {
    throw usageFailure(`the rule ${name} needs a value`, `--fail-on '${name}=${example}'`);
  }
  return name === "scope" ? { name, text, glob: value } : { name, text, age: parseAge(name, value) };
}

function isRuleName(text: string): text is RuleName {
  return Object.hasOwn(ruleKinds, text);
}

function wrongRule(text: string): Error {
  if (/^(?:unused|not-used|last-used)/.test(text)) {
    return usageFailure(
      `there is no rule ${text}: the service does not report when a token was last used`,
      "not-updated-for=180d is about the last change of its data; not-used-for=90d is for --github-org ORGANIZATION",
    );
  }
  return usageFailure(
    text === "" ? "--fail-on has an empty rule" : `there is no rule ${text}`,
    `the rules are ${forms.join(", ")}`,
  );
}

/** Inputs of the run that some rules need. */
export interface RuleSupplies {
  readonly hasKnown: boolean;
  readonly hasSnapshot: boolean;
  readonly hasCredentials: boolean;
}

/** Throws a usage failure for a rule whose input is missing, as far as that is known before anything is read. */
export function checkSupplies(rules: readonly WantedRule[], supplies: RuleSupplies): void {
  for (const { name } of rules) {
    if (name === "unknown-app" && !supplies.hasKnown) {
      throw usageFailure(
        "unknown-app needs to know which applications are known",
        "--known known-apps.txt, with one client ID or name per line",
      );
    }
    if (name === "new" && !supplies.hasSnapshot) {
      throw usageFailure("new needs to know what was there before", "--since audit.json, which --save wrote");
    }
    if (name === "not-used-for" && !supplies.hasCredentials) {
      throw usageFailure(
        "not-used-for is refused: the service does not report when a token was last used",
        "not-updated-for=180d is about the last change of its data; GitHub reports it with --github-org ORGANIZATION",
      );
    }
  }
}

/** Throws a usage failure for a rule that is about none of the resources that are read, and so would never find any. */
export function checkResources(rules: readonly WantedRule[], read: readonly Resource[]): void {
  const idle = rules.find(({ name }) => !ruleKinds[name].about.some((resource) => read.includes(resource)));
  if (idle === undefined) return;
  throw usageFailure(
    `the rule ${idle.text} is refused: it is about ${ruleKinds[idle.name].about.join("s and ")}s, which are not read here`,
    "this server has an organization's credentials alone: older-than, not-used-for, scope, no-expiry, expires-within, new",
  );
}

/** The rules of an audit without --fail-on: the usual ones whose inputs this run has. */
export function defaultRules(supplies: RuleSupplies, reportsExpiry: boolean): readonly WantedRule[] {
  const texts = [
    ...(supplies.hasKnown ? ["unknown-app"] : []),
    ...(supplies.hasSnapshot ? ["new"] : []),
    "scope=admin:*",
    "older-than=1y",
    "not-updated-for=180d",
    ...(supplies.hasCredentials ? ["not-used-for=90d"] : []),
    ...(reportsExpiry ? ["no-expiry", "expires-within=30d"] : []),
    "duplicate-note",
    "no-note",
  ];
  return texts.map(parseRule);
}
