// Runs commands against a server that sends arbitrary bytes, with secrets planted everywhere, and then searches all
// streams and files for them.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";
import { startRawServer, type RawServer } from "../support/raw-server.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";

/** Values that must not appear in any stream or file, in any encoding. */
const planted = {
  username: "octavia",
  password: "canary-PASSWORD/ä",
  otp: "canary-OTP",
  clientId: "0123456789abcdef0123",
  clientSecret: "canary-SECRET".padEnd(40, "z"),
  token: "canary-TOKEN".padEnd(40, "y"),
  proxyPassword: "canary-PROXY",
} as const;

const pairs = [
  `${planted.username}:${planted.password}`,
  `${planted.clientId}:${planted.clientSecret}`,
  `corp:${planted.proxyPassword}`,
];
const secrets = [planted.password, planted.otp, planted.clientSecret, planted.token, planted.proxyPassword];
const forms = [
  ...secrets,
  ...secrets.map(encodeURIComponent),
  ...[...secrets, ...pairs].map((text) => Buffer.from(text).toString("base64").replace(/=+$/, "")),
];

/** A value that the server sends; only a successful run may print it, and only on standard output. */
export const newValue = "f".repeat(32) + "VALUE".padEnd(8, "9");

export interface Command {
  readonly name: string;
  readonly isWrite: boolean;
  readonly words: readonly string[];
  readonly input?: string;
}

export const commands: readonly Command[] = [
  { name: "grant list", isWrite: false, words: ["grant", "list", "--json"] },
  { name: "grant view", isWrite: false, words: ["grant", "view", "1", "--json"] },
  { name: "token check", isWrite: false, words: ["token", "check", "--json"], input: planted.token },
  { name: "grant delete", isWrite: true, words: ["grant", "delete", "1", "--yes"] },
  { name: "token revoke", isWrite: true, words: ["token", "revoke", "--yes"], input: planted.token },
  { name: "token reset", isWrite: true, words: ["token", "reset", "--yes"], input: planted.token },
  { name: "create", isWrite: true, words: ["authorization", "create", "--note", "n"] },
  { name: "get-or-create", isWrite: true, words: ["authorization", "get-or-create"] },
  { name: "update", isWrite: true, words: ["authorization", "update", "1", "--note", "n"] },
];

/** The JSON of a valid response to this request, or null for a 204. */
export function goodBody(request: string): string | null {
  const [method = "", path = ""] = request.split(" ");
  if (method === "DELETE") return null;
  if (method === "GET" && path.startsWith("/applications/grants?")) return '[{"id":1}]';
  return JSON.stringify({ id: 1, token: method === "GET" || method === "PATCH" ? "" : newValue });
}

/** The status that goes with it. */
export function goodStatus(request: string): number {
  const method = request.split(" ")[0] ?? "";
  const isNew = method === "PUT" || request.startsWith("POST /authorizations");
  return method === "DELETE" ? 204 : isNew ? 201 : 200;
}

export interface HostileRun {
  readonly command: Command;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Every request as it arrived. */
  readonly received: readonly string[];
  /** CPU time, so that the load of the machine does not count. */
  readonly milliseconds: number;
  /** The locations of planted secrets. */
  readonly leaks: readonly string[];
}

/** Runs one command against a fresh server that responds as `answer` does. */
export async function runAgainst(
  command: Command,
  answer: (socket: Socket, request: string) => void,
  /** In seconds. */
  timeLimit: number,
): Promise<HostileRun> {
  const server = await startRawServer(honestReads(command, answer));
  onTestFinished(() => server.close());
  const run = await runOn(server, command, ["--timeout", String(timeLimit)]);
  await server.close();
  return run;
}

/** Answers the read that precedes a write of a token honestly, so that the write is sent. */
export function honestReads(
  { isWrite }: Command,
  answer: (socket: Socket, request: string) => void,
): (socket: Socket, request: string) => void {
  return (socket, request) => {
    if (!isWrite || !request.startsWith("GET /applications/0123")) return answer(socket, request);
    const body = goodBody(request) ?? "";
    socket.end(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  };
}

/** Runs one command against this server, then searches for the planted secrets. */
export async function runOn(
  server: RawServer,
  command: Command,
  flags: readonly string[] = [],
): Promise<HostileRun> {
  const state = makeStateFolder();
  const before = process.cpuUsage();
  const run = await runMain([...command.words, "--debug", ...flags], {
    environment: {
      ...state.environment,
      GRANTCTL_BASE_URL: server.root,
      GRANTCTL_USERNAME: planted.username,
      GRANTCTL_PASSWORD: planted.password,
      GRANTCTL_OTP: planted.otp,
      GRANTCTL_CLIENT_ID: planted.clientId,
      GRANTCTL_CLIENT_SECRET: planted.clientSecret,
      // Has no effect here: plain http stays on this machine.
      HTTP_PROXY: `http://corp:${planted.proxyPassword}@127.0.0.1:1`,
    },
    input: command.input ?? "",
  });
  const { user, system } = process.cpuUsage(before);
  const milliseconds = (user + system) / 1000;
  const places: Readonly<Record<string, string>> = {
    stdout: run.stdout,
    stderr: run.stderr,
    ...filesIn(state.path),
  };
  const leaks = Object.entries(places).flatMap(([place, text]) =>
    forms.filter((form) => text.includes(form)).map((form) => `${form} in ${place}`),
  );
  if (run.stderr.includes(newValue)) leaks.push("the new value in stderr");
  return { command, ...run, received: [...server.received], milliseconds, leaks };
}

/** The requests for the command's action, without the read that precedes the write of a token. */
export function ownRequests({ command, received }: HostileRun): readonly string[] {
  return received.filter((request) => command.isWrite !== request.startsWith("GET "));
}

/** True for no output, and for rows that say of each item that it is not done. */
export function isOfFailure(stdout: string): boolean {
  return (
    stdout === "" ||
    (/\b(?:failed|unknown|unproven)\b/.test(stdout) && !/\b(?:active|deleted|revoked)\b/.test(stdout))
  );
}

/**
 * Defects of any run, whatever its expected result: a leaked secret, a repeated write, too much time. Only endless
 * responses may use the full time limit; all others must be accepted or rejected earlier.
 */
export function faultsOf(run: HostileRun, isEndless = false): readonly string[] {
  const { command, code, stdout, stderr, leaks, milliseconds } = run;
  const faults = leaks.map((leak) => `leaked ${leak}`);
  if (stderr.includes("this is a bug")) faults.push(`a bug: ${stderr}`);
  if (command.isWrite && ownRequests(run).length > 1) faults.push(`sent ${ownRequests(run).length} times`);
  // In a soak, nine runs share the CPU time; a run with unbounded growth would take hours.
  if (milliseconds > 100_000) faults.push(`took ${Math.round(milliseconds)} ms`);
  const [waited] = /no complete response came within [^\n]*/.exec(stderr) ?? [];
  if (waited !== undefined && !isEndless) faults.push(waited);
  // No control, bidirectional or other terminal character may be printed, whatever its source.
  if (/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/.test(stderr)) {
    faults.push(`raw bytes: ${JSON.stringify(stderr.slice(0, 300))}`);
  }
  if (code !== 0 && command.isWrite && !isOfFailure(stdout)) faults.push(`printed ${stdout}`);
  return faults;
}

/** Empty if no run has created the folder. */
function filesIn(folder: string): Record<string, string> {
  const entries = existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [];
  return Object.fromEntries(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [file, readFileSync(file, "utf8")]),
  );
}
