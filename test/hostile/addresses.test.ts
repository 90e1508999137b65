// URLs in responses are never requested: every field of a response names a second server, which must get no connection,
// and the first server gets only the requests built from the command's own templates. A soak runs every command against
// every response; other runs take a sixth of them in turn.
import type { Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { jsonAnswer, startRawServer, type RawServer } from "../support/raw-server.ts";
import { inTurn } from "../support/soak.ts";
import {
  commands,
  faultsOf,
  goodBody,
  goodStatus,
  honestReads,
  newValue,
  ownRequests,
  runOn,
  type Command,
} from "./hostile-run.ts";

let canary: RawServer;
beforeEach(async () => void (canary = await startRawServer((socket) => socket.write(jsonAnswer(200, [])))));
afterEach(() => canary.close());

/** The request lines that a command may send. */
const templates = [
  /^GET \/applications\/grants(?:\?per_page=100(?:&page=\d+)?|\/1) HTTP\/1\.1$/,
  /^(?:GET|POST|DELETE) \/applications\/[0-9a-f]{20}\/tokens\/canary-TOKENy+ HTTP\/1\.1$/,
  /^DELETE \/applications\/grants\/1 HTTP\/1\.1$/,
  /^POST \/authorizations HTTP\/1\.1$/,
  /^PUT \/authorizations\/clients\/[0-9a-f]{20} HTTP\/1\.1$/,
  /^PATCH \/authorizations\/1 HTTP\/1\.1$/,
  // The list that proves the credentials.
  /^GET \/applications\/grants\?per_page=1 HTTP\/1\.1$/,
];

function headersNaming(root: string): readonly string[] {
  const host = root.replace("http:", "");
  return [
    `Location: ${root}/stolen`,
    `Content-Location: ${root}/stolen`,
    `Refresh: 0; url=${root}/stolen`,
    `Link: <${root}/stolen?page=2>; rel="next", <${host}/stolen?page=2>; rel="last"`,
    `Link: <${root}/style.css>; rel=preload; as=style, <${root}>; rel=preconnect, <${root}>; rel="self canonical alternate"`,
    `Alt-Svc: h2="${host.slice(2)}"; ma=86400, http/1.1="${host.slice(2)}"`,
    `Alternates: {"${root}/stolen" 1.0}`,
    `Origin: ${root}`,
    `Host: ${host.slice(2)}`,
    `Set-Cookie: a=b; Domain=127.0.0.1`,
    `SourceMap: ${root}/map`,
    `Report-To: {"endpoints":[{"url":"${root}/r"}]}`,
    `NEL: {"report_to":"${root}"}`,
    `Content-Security-Policy: report-uri ${root}/csp`,
    `Proxy-Authenticate: Basic realm="${root}"`,
    `WWW-Authenticate: Basic realm="${root}", Bearer resource_metadata="${root}/meta"`,
    `X-Service-SSO: partial-results; organizations=1,2; url=${root}/sso`,
    `X-Service-OTP: ${root}`,
    `Clear-Site-Data: "*"`,
    `Upgrade: ${root}`,
  ];
}

function bodyNaming(root: string, request: string): unknown {
  const text = goodBody(request);
  const fields = {
    url: `${root}/stolen`,
    html_url: `${root}/stolen`,
    note_url: `${root}/stolen`,
    documentation_url: `${root}/docs`,
    next: `${root}/stolen?page=2`,
    app: { url: `${root}/stolen`, name: root, client_id: "0123456789abcdef0123" },
    user: { login: root, id: 1, url: `${root}/u`, repos_url: `${root}/r` },
    id: 1,
    message: `moved to ${root}/stolen`,
    token: "",
  };
  if (text?.startsWith("[") === true) return [fields];
  return /"token":"f/.test(text ?? "") ? { ...fields, token: newValue } : fields;
}

const statuses = [
  0, 300, 301, 302, 303, 304, 305, 307, 308, 400, 401, 403, 404, 407, 421, 426, 429, 451, 500, 503,
];

const rows = statuses.map((status, row) => [status, row] as const);

test.each(rows)("with status %i (0: as expected) is not followed", { tags: "soak" }, async (status, row) => {
  const one = async (command: Command): Promise<void> => {
    const answer = (socket: Socket, request: string): void => {
      const isPageTwo = request.includes("page=2");
      const headers = headersNaming(canary.root).filter((line) => !isPageTwo || !line.startsWith("Link"));
      // Otherwise the write would be retried.
      if (status === 429) headers.push("Retry-After: 100000");
      const code = status === 0 ? goodStatus(request) : status;
      socket.write(
        code === 204
          ? `HTTP/1.1 204 X\r\n${headers.join("\r\n")}\r\n\r\n`
          : jsonAnswer(code, bodyNaming(canary.root, request), headers),
      );
    };
    const server = await startRawServer(honestReads(command, answer));
    const run = await runOn(server, command);
    await server.close();
    expect.soft([command.name, faultsOf(run)]).toEqual([command.name, []]);
    // A valid list has two pages, requested by number.
    const pages = command.name === "grant list" && status === 0 ? 2 : 1;
    // A read is repeated after a bad gateway, and after a 304 with a length, whose body never comes.
    const isRepeated = [304, 502, 503, 504].includes(status) && !command.isWrite;
    const times = isRepeated ? 4 : pages;
    expect.soft([command.name, ownRequests(run).length]).toEqual([command.name, times]);
    for (const request of run.received) {
      const [line = "", ...headers] = request.split("\r\n");
      expect.soft(templates.some((template) => template.test(line)) ? "" : line).toBe("");
      expect.soft(headers).toContain(`host: ${server.root.replace("http://", "")}`);
      expect.soft(request).not.toContain(canary.root);
      expect.soft(request.toLowerCase()).not.toMatch(/\r\n(?:cookie|referer|origin|proxy-authorization):/);
    }
    // A 304 has no body: any bytes after it are invalid HTTP.
    const isRedirect = status >= 300 && status < 400 && status !== 304;
    const told = `redirects to ${canary.root}/stolen (status ${status})`;
    expect.soft([command.name, run.stderr.includes(told)]).toEqual([command.name, isRedirect]);
  };
  await Promise.all((status === 0 ? commands : inTurn(commands, 6, row)).map(one));
  expect(canary.connections()).toBe(0);
});
