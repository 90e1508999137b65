// What a line did, as the lines that a script has of it: requests, output, screen and exit code.
import { credentials } from "../grantctl.ts";
import { screenOf } from "../screen.ts";
import type { ServedRequest } from "../serve.ts";
import type { Outcome } from "./invariants.ts";

interface Shown {
  /** The width of the terminal; 0 for pipes. */
  readonly columns: number;
  /** The headers of requests that the script shows. */
  readonly headers: readonly string[];
  /** Replaces what differs from run to run. */
  readonly replaced: (text: string) => string;
}

export function outcomeLines(outcome: Outcome, { columns, headers, replaced }: Shown): readonly string[] {
  const { code, stdout, stderr, sent, requests } = outcome;
  const sorted = requests
    .map((request) => [request.batch, requestLine(request, headers)] as const)
    .toSorted(([one, line], [other, otherLine]) => one - other || (line < otherLine ? -1 : 1));
  const screen = columns === 0 ? [] : screenOf(replaced(sent), columns);
  return [
    ...sorted.map(([, line]) => `@ ${line}`),
    ...marked("|", replaced(stdout)),
    ...marked("!", replaced(stderr)),
    ...screen.map((line) => `> ${line}`.trimEnd()),
    `= ${code}`,
  ];
}

function requestLine(
  { method, path, body, sender, headers }: ServedRequest,
  shown: readonly string[],
): string {
  const code = Object.entries(headers).find(([name]) => name.endsWith("-otp"))?.[1];
  return [
    method,
    path,
    sender === credentials.username ? "" : `(${sender})`,
    code === undefined ? "" : `(code ${String(code)})`,
    ...shown.flatMap((name) => {
      const value = String(headers[name] ?? "");
      const decoded = value.replace(/(?<=^Basic ).*/, (word) => Buffer.from(word, "base64").toString("utf8"));
      return value === "" ? [] : [`[${name}: ${decoded}]`];
    }),
    body.replaceAll(credentials.clientSecret, "$CLIENT_SECRET").replaceAll("\n", "\\n"),
  ]
    .filter((word) => word !== "")
    .join(" ");
}

function marked(mark: string, shown: string): readonly string[] {
  if (shown === "") return [];
  const lines = shown.split("\n").map(withEscapes);
  const last = lines.pop() ?? "";
  return [...lines.map((line) => `${mark} ${line}`.trimEnd()), ...(last === "" ? [] : [`${mark}- ${last}`])];
}

/** Control characters as they are written in a string. */
function withEscapes(line: string): string {
  return line
    .replaceAll("\u001b", "\\e")
    .replaceAll(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
      (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`,
    );
}
