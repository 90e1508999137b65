// A row of `grantctl auth status`: one part of a run's credentials, with the places where it is looked for. Its fields,
// its columns, and its lines for a person.
import { list, objectWith, orNull, text, word, type TypeOf } from "../../output/json-schema.ts";
import type { Labelled } from "../../output/labelled-lines.ts";
import { column, present } from "../../output/presentation.ts";

const placeSchema = objectWith("Place", "One place that was looked at.", {
  source: text("flag, environment, profile, keychain, file, prompt or default"),
  name: text("the flag, variable or key; empty where the source says it all"),
  state: word("elsewhere: there, but for another address or user", "set", "unset", "elsewhere"),
});

export const statusRowSchema = objectWith("Setting", "A part of the credentials, and where it comes from.", {
  setting: text("which part"),
  value: orNull(text("its value; null where there is none, and always for secrets")),
  source: orNull(text("where it comes from; null where nowhere")),
  state: orNull(text("what is known of a secret that is stored")),
  chain: list(placeSchema, "every place, in the order they are looked at"),
});

export type Place = TypeOf<typeof placeSchema>;

export type StatusRow = TypeOf<typeof statusRowSchema>;

export const statusPresentation = present(statusRowSchema, [
  column("SETTING", "setting", { minimum: 14 }),
  { title: "VALUE", text: (row) => row.value ?? row.state ?? "" },
  column("FROM", "source", { priority: 2 }),
  { title: "CHAIN", text: describeChain, priority: 3 },
]);

/** Whether a secret is available without asking the user. */
export function isReady({ source, state }: StatusRow): boolean {
  return source !== null && source !== "prompt" && (state === null || state === keptState);
}

/** The state of a secret that its store still has. */
export const keptState = "kept";

/** A row for a person: its value and source, and below them every place that was looked at. */
export function describeRow(row: StatusRow): Labelled {
  const { setting, value, source, state } = row;
  const known = [value, state].filter((part) => part !== null).join(", ");
  const from = source === null || source === value ? "" : `from ${source}`;
  const first = [known, known === "" ? from : from === "" ? "" : `(${from})`]
    .filter((part) => part !== "")
    .join(" ");
  return {
    label: setting,
    lines: [first === "" ? "not set" : first, ...(row.chain.length === 0 ? [] : [describeChain(row)])],
  };
}

function describeChain({ chain }: StatusRow): string {
  return chain.map(describePlace).join(" > ");
}

function describePlace({ source, name, state }: Place): string {
  const place = source === "profile" ? `profile's ${name}` : name === "" ? source : name;
  return { set: `[${place}]`, unset: place, elsewhere: `${place} (elsewhere)` }[state];
}
