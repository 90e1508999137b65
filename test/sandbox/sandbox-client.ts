// A sandbox for one test, and a client that shares no code with it.
import { request as sendRequest } from "node:http";
import { TOTP } from "otpauth";
import { expect, onTestFinished } from "vitest";
import { startSandbox, type SandboxOptions } from "../../src/sandbox/sandbox.ts";
import { plainSandbox } from "../support/account.ts";

export interface Reply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON; null if there is none. */
  readonly json: unknown;
}

interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

export type TestSandbox = Awaited<ReturnType<typeof startTestSandbox>>;

export const startOfTests = Date.UTC(2026, 10, 20, 19, 2, 4);

/** Starts a sandbox whose clock stands still; it is closed when the test ends. */
export async function startTestSandbox(overrides: Partial<SandboxOptions> = {}) {
  const clock = { now: startOfTests };
  const messages: string[] = [];
  const sandbox = await startSandbox({
    ...plainSandbox,
    now: () => clock.now,
    onTextMessage: (message) => void messages.push(message),
    ...overrides,
  });
  onTestFinished(() => sandbox.close());
  const { description, store } = sandbox;
  const { base_url, username, password, tokens } = description;
  const send = (method: string, path: string, sending?: Sending): Promise<Reply> =>
    sendTo(base_url, method, path, sending);
  const secret = description.totp_secret;
  const codeAt = (timestamp: number): string => new TOTP({ secret: secret ?? "" }).generate({ timestamp });
  return {
    description,
    store,
    clock,
    messages,
    send,
    codeAt,
    /** Sends the account's password, and a one-time password if an app makes them. */
    asAccount: (method: string, path: string, body?: unknown): Promise<Reply> => {
      const otp: Record<string, string> = secret === null ? {} : { "X-Service-OTP": codeAt(clock.now) };
      return send(method, path, { headers: { ...basic(username, password), ...otp }, body });
    },
    /** Sends the credentials of an application, by default the first. */
    asApplication: (method: string, path: string, body?: unknown, index = 0): Promise<Reply> => {
      const { clientId = "", clientSecret = "" } = store.applications[index] ?? {};
      return send(method, path, { headers: basic(clientId, clientSecret), body });
    },
    /** Sends a token, by default one of the first application. */
    asToken: (method: string, path: string, token = tokens[0]?.token, body?: unknown): Promise<Reply> =>
      send(method, path, { headers: { Authorization: `token ${token}` }, body }),
  };
}

function sendTo(
  baseUrl: string,
  method: string,
  path: string,
  { headers = {}, body }: Sending = {},
): Promise<Reply> {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const length = text === "" ? {} : { "Content-Length": String(Buffer.byteLength(text)) };
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      { hostname, port, method, path, headers: { ...length, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => void chunks.push(chunk));
        response.on("end", () => {
          const received = Buffer.concat(chunks).toString("utf8");
          const isJson = response.headers["content-type"]?.startsWith("application/json") === true;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            text: received,
            json: isJson ? (JSON.parse(received) as unknown) : null,
          });
        });
      },
    );
    request.on("error", reject);
    request.end(text);
  });
}

export function basic(username: string, password: string): { Authorization: string } {
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}` };
}

export interface AuthorizationJson {
  readonly id: number;
  readonly app: { readonly name: string; readonly client_id: string };
  readonly token: string;
  readonly note: string | null;
  readonly scopes: readonly string[];
  readonly fingerprint: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly expires_at?: string | null;
}

export const rowOf = (reply: Reply): AuthorizationJson => reply.json as AuthorizationJson;
export const rowsOf = (reply: Reply): readonly AuthorizationJson[] => reply.json as AuthorizationJson[];
/** The status and body. */
export const outcomeOf = ({ status, json }: Reply): unknown => [status, json];
export const refused = (status: number, message: string): unknown => [
  status,
  { message, documentation_url: expect.stringMatching(/^https:/) as unknown },
];
export const notFound = refused(404, "Not Found");
export const gone = [204, null];
