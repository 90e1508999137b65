// The global output flags for answers of any shape: JSON or lines of JSON, without a choice of columns. An answer that
// should be JSON and is none is never printed as a success.
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";
import type { HttpAnswer } from "../../http/request.ts";
import type { Exchange } from "../../http/service.ts";
import { brokenAnswer } from "../../http/transport-failure.ts";

/** Throws a usage failure for flags that would choose columns. The word after --json may be the argument itself. */
export function checkJsonOutput({ options: { json, format, jq } }: Context): void {
  if (typeof json === "string")
    throw usageFailure("--json takes no list of fields here", "write --json last, or choose with --jq");
  if (jq === undefined && format !== undefined && format !== "json" && format !== "ndjson")
    throw usageFailure(`an answer has no columns for --format ${format}`, "--format is json or ndjson here");
}

/**
 * Throws a protocol failure, or for a change an unknown outcome, where an answer that should be JSON is none: a script
 * would take half a document, or nothing at all, for the answer.
 */
export function checkWhole({ request, answer }: Exchange, { printer }: Context): void {
  const { body } = answer;
  const isWanted = printer.isJson && request.method === "GET" && answer.status === 200;
  if (body.length === 0) {
    if (isWanted) throw brokenAnswer(request, "is empty, and JSON was asked for");
    return;
  }
  // With --jq, the answer is parsed, and so checked, later on.
  if (((isWanted && !printer.hasJq) || endsWithConnection(answer)) && !isJson(body)) {
    throw brokenAnswer(request, "is not JSON, or was cut off");
  }
}

/** Whether a JSON answer ends with the connection (RFC 9112, 6.3), so that it may have been cut off. */
function endsWithConnection({ headers }: HttpAnswer): boolean {
  const isMeasured = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return !isMeasured && /^application\/(?:[\w.-]+\+)?json\b/i.test(headers["content-type"] ?? "");
}

/** Whether a body is JSON. `readJson` would refuse deeply nested JSON, which may be printed unchanged here. */
function isJson(body: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return true;
  } catch {
    return false;
  }
}
