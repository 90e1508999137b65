// Prints one answer of `grantctl api`: its body as it came, with its status and headers in front if they are wanted.
import { STATUS_CODES } from "node:http";
import type { Context } from "../../context.ts";
import { readJson, toJson } from "../../exact-json.ts";
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

/** Writes a body: into a pipe every byte as it came, on a terminal JSON for a person; what is no JSON as text. */
export async function printBody(body: Buffer, { printer, stdout }: Context): Promise<void> {
  if (body.length === 0) return;
  let value: unknown;
  try {
    value = readJson(body);
  } catch {
    const text = body.toString("utf8");
    await stdout.write(stdout.isTerminal ? `${text.split("\n").map(sanitise).join("\n")}\n` : body);
    return;
  }
  if (printer.hasJq || stdout.isTerminal) await printer.printJson(toJson(value, 2));
  else await stdout.write(body);
}
