// The global output flags where an answer can have any shape: JSON or lines of JSON, and no columns to choose from. What
// is to be JSON, and is none, is never printed as a success.
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";
import type { HttpAnswer } from "../../http/request.ts";
import type { Exchange } from "../../http/service.ts";
import { brokenAnswer } from "../../http/transport-failure.ts";

/** Throws a usage failure for flags that would choose columns. A word behind --json may be the argument itself. */
export function checkJsonOutput({ options: { json, format, jq } }: Context): void {
  if (typeof json === "string")
    throw usageFailure("--json takes no list of fields here", "write --json last, or choose with --jq");
  if (jq === undefined && format !== undefined && format !== "json" && format !== "ndjson")
    throw usageFailure(`an answer has no columns for --format ${format}`, "--format is json or ndjson here");
}

/**
 * Throws a protocol failure, or for a change an unknown outcome, where an answer that should be JSON is none. Asked for
 * JSON, a script would take half a document, or nothing at all, for the answer.
 */
export function checkWhole({ request, answer }: Exchange, { printer }: Context): void {
  const { body } = answer;
  const isWanted = printer.isJson && request.method === "GET" && answer.status === 200;
  if (body.length === 0) {
    if (isWanted) throw brokenAnswer(request, "is empty, and JSON was asked for");
    return;
  }
  // What jq is given is read anyway.
  if (((isWanted && !printer.hasJq) || endsWithConnection(answer)) && !isJson(body)) {
    throw brokenAnswer(request, "is not JSON, or was cut off");
  }
}

/** Whether JSON came of which only the end of the connection says where it ends (RFC 9112, 6.3), so it may be half. */
function endsWithConnection({ headers }: HttpAnswer): boolean {
  const isMeasured = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return !isMeasured && /^application\/(?:[\w.-]+\+)?json\b/i.test(headers["content-type"] ?? "");
}

/** Not by `readJson`, which refuses what is nested deeply: these answers are printed as they came, whatever they are. */
function isJson(body: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return true;
  } catch {
    return false;
  }
}
