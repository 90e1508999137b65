// Reads a GraphQL answer: its data, its errors, and the cursor of its next page.
import * as v from "valibot";
import { foreign } from "../../errors/foreign.ts";
import { isObject, toJson } from "../../json/exact-json.ts";
import type { Notices } from "../../output/notices.ts";
import { markPlace } from "./query-text.ts";

const place = v.looseObject({ line: v.number(), column: v.number() });
const error = v.looseObject({ message: v.string(), locations: v.nullish(v.array(place)) });
const answer = v.pipe(
  v.looseObject({ data: v.optional(v.unknown()), errors: v.nullish(v.array(error)) }),
  v.check(({ data, errors }) => data !== undefined || (errors ?? []).length > 0),
);

export type GraphqlError = v.InferOutput<typeof error>;
export type GraphqlAnswer = v.InferOutput<typeof answer>;

/** Checks an answer's body, and gives back the same; throws where it is not GraphQL's. */
export function checkAnswer(body: unknown): GraphqlAnswer {
  v.assert(answer, body);
  // What valibot makes of it has its fields in another order.
  return body;
}

/** The errors of an answer, in any form, with as much of each as can be shown. */
export function readErrors(found: readonly unknown[]): readonly GraphqlError[] {
  return found.map((one) => {
    const checked = v.safeParse(error, one);
    if (checked.success) return checked.output;
    const { message, type, extensions } = isObject(one) ? one : {};
    return { message: typeof message === "string" ? message : toJson(one, 0), type, extensions };
  });
}

/** Whether this error is a rate limit, in the form of GitHub or of Apollo. */
export function isRateLimit({ type, extensions }: GraphqlError): boolean {
  const code = v.safeParse(v.looseObject({ code: v.string() }), extensions);
  return [type, code.success ? code.output.code : null].includes("RATE_LIMITED");
}

/** Prints the errors: each on a line with its place, and below it the line of the query that is wrong. */
export function tellErrors(errors: readonly GraphqlError[], query: string, notices: Notices): void {
  for (const { message, locations } of errors) {
    const [first] = locations ?? [];
    notices.show(
      `grantctl: ${foreign(message)}${first === undefined ? "" : ` (${first.line}:${first.column})`}`,
    );
    const marked = first === undefined ? null : markPlace(query, first.line, first.column);
    for (const line of marked ?? []) notices.show(`  ${foreign(line)}`);
  }
}

/** Where the next page begins, by the first `pageInfo` in an answer. */
export type NextPage =
  | { readonly kind: "cursor"; readonly cursor: string }
  | { readonly kind: "end" }
  /** There are more pages, and no cursor. */
  | { readonly kind: "missing" }
  /** There is no pageInfo. */
  | { readonly kind: "absent" };

/** Finds out from an answer's data where the next page begins. */
export function nextPageOf(data: unknown): NextPage {
  const info = findPageInfo(data);
  if (info === null) return { kind: "absent" };
  if (!info.hasNextPage) return { kind: "end" };
  return typeof info.endCursor === "string"
    ? { kind: "cursor", cursor: info.endCursor }
    : { kind: "missing" };
}

const pageInfo = v.looseObject({ hasNextPage: v.boolean(), endCursor: v.nullish(v.string()) });

function findPageInfo(value: unknown): v.InferOutput<typeof pageInfo> | null {
  if (typeof value !== "object" || value === null) return null;
  const own = v.safeParse(pageInfo, "pageInfo" in value ? value.pageInfo : undefined);
  if (own.success) return own.output;
  for (const inner of Object.values(value)) {
    const found = findPageInfo(inner);
    if (found !== null) return found;
  }
  return null;
}
