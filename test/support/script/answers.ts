// What a script's double of a server answers: the lines that begin with "<".
import type { HttpHandler } from "msw";
import { authorizationJson, checkedJson, grantJson, tokenValue } from "../resources.ts";
import { cut, json, on, plain, silent, type ServedRequest } from "../serve.ts";

/** The handlers of these lines; several lines for one operation are its answers in order. */
export function handlersOf(lines: readonly string[], root: string): readonly HttpHandler[] {
  const byOperation = new Map<string, ReturnType<typeof answerOf>[]>();
  for (const line of lines) {
    const [, operation = "", rest = ""] = /^< (\S+ \S+) (.*)$/.exec(line) ?? [];
    const path = expandResources(operation);
    const answer = answerOf(rest.replaceAll("$ROOT", root));
    byOperation.set(path, [...(byOperation.get(path) ?? []), answer]);
  }
  return [...byOperation].map(([operation, [first, ...others]]) =>
    on(operation as `GET /${string}`, first ?? silent, ...others),
  );
}

/** The answer of a line: a status, headers and a body. */
function answerOf(words: string): Response | ((request: ServedRequest) => Response) {
  const [, status = "", rest = ""] = /^(\S+) ?(.*)$/.exec(words) ?? [];
  if (status === "cut") return cut;
  if (status === "silent") return silent;
  const headers: Record<string, string> = {};
  let body = rest;
  for (let header = headerAt(body); header !== null; header = headerAt(body)) {
    headers[header[1] ?? ""] = header[2] ?? "";
    body = body.slice(header[0].length);
  }
  if (body === "") return plain(Number(status), "", headers);
  const [value = "", addition] = body.split(" + request");
  const expanded = expandResources(value);
  if (addition === undefined) {
    if (!/^[[{"\d]|^(?:null|true|false)/.test(expanded)) return plain(Number(status), expanded, headers);
    return plain(Number(status), expanded, { "Content-Type": "application/json", ...headers });
  }
  return (request) => {
    const { client_secret: _, ...asked } = JSON.parse(request.body) as Record<string, unknown>;
    return json(Number(status), { ...(JSON.parse(expanded) as object), ...asked }, headers);
  };
}

function headerAt(body: string): RegExpExecArray | null {
  return /^\[([A-Z][\w-]*): ([^\]]*)\] ?/.exec(body);
}

const resources = { authorization: authorizationJson, grant: grantJson } as const;

function expandResources(body: string): string {
  return body
    .replaceAll(/\$T(\d+)/g, (_, number: string) => tokenValue(Number(number)))
    .replaceAll(
      /\b(authorization|grant|checked)\(((?:"(?:\\.|[^"\\])*"|[^)"])*)\)/g,
      (_, kind: string, fields: string) => {
        const changes = JSON.parse(`{${fields}}`) as Record<string, unknown>;
        if (kind === "checked") return JSON.stringify(checkedJson(String(changes["token"]), changes));
        return JSON.stringify(resources[kind as "grant"](changes));
      },
    );
}
