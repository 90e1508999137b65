// Prints one answer of `grantctl api`: its body unchanged, after its status and headers with --include.
import { STATUS_CODES } from "node:http";
import type { Context } from "../../run/context.ts";
import { Failure, type Received } from "../../errors/errors.ts";
import { readJson, toJson } from "../../json/exact-json.ts";
import type { HttpAnswer } from "../../http/request.ts";
import { sanitise } from "../../output/sanitise.ts";

/** Writes the head of an answer, as `curl -i` does. */
export async function printHead(
  { status, headers }: Omit<HttpAnswer, "body">,
  { stdout }: Context,
): Promise<void> {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd(),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
  ];
  await stdout.write(lines.map((line) => `${stdout.isTerminal ? sanitise(line) : line}\n`).join(""));
}

/**
 * Writes a body: into a pipe unchanged, on a terminal as indented JSON, or as text where it is no JSON. With
 * `--format ndjson` the items of an array, a line each. Throws a protocol failure where --jq gets no JSON.
 */
export async function printBody(body: Buffer, { printer, stdout, options }: Context): Promise<void> {
  if (body.length === 0) return;
  const isLines = options.format === "ndjson";
  if (!printer.hasJq && !isLines && !stdout.isTerminal) {
    await stdout.write(body);
    return;
  }
  let value: unknown;
  try {
    value = readJson(body);
  } catch (cause) {
    if (printer.hasJq || isLines)
      throw new Failure("protocol", "the answer is not JSON", { hint: "run it as it is to see it", cause });
    await stdout.write(textForTerminal(body));
    return;
  }
  if (!isLines) {
    await printer.printJson(toJson(value, 2));
    return;
  }
  const list = printer.openJsonList((item) => toJson(item, 0));
  await list.add(Array.isArray(value) ? value : [value]);
  await list.end();
}

/** Prints the body of a refusal, which says more than the message. An answer that was cut off has no headers here. */
export async function printRefusal(
  received: Received | undefined,
  isHeadWanted: boolean,
  context: Context,
): Promise<void> {
  if (received?.headers === undefined || received.status < 400) return;
  if (isHeadWanted) await printHead({ ...received, headers: received.headers }, context);
  // With --jq nothing is printed: the program was written for an answer and not for a refusal.
  if (!context.printer.hasJq) await printRefusedBody(received.body, context);
}

/** Prints the body of a refusal; --format ndjson does not apply to it. */
function printRefusedBody(body: Buffer, context: Context): Promise<void> {
  const { format: _, ...options } = context.options;
  return printBody(body, { ...context, options });
}

function textForTerminal(body: Buffer): string {
  const lines = body.toString("utf8").split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => `${sanitise(line)}\n`).join("");
}
