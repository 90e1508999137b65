// A sandbox for one test, and a client that does not use the code under test to compute expected values.
import { createHmac } from "node:crypto";
import { request as sendRequest } from "node:http";
import { connect } from "node:net";
import { onTestFinished } from "vitest";
import {
  startSandbox,
  type Sandbox,
  type SandboxDescription,
  type SandboxOptions,
} from "../../src/sandbox/sandbox.ts";
import { plainSandbox } from "../support/account.ts";

export interface Reply {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON. */
  readonly json: () => unknown;
}

export interface Sending {
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
}

export interface TestSandbox {
  readonly description: SandboxDescription;
  readonly store: Sandbox["store"];
  readonly applications: readonly {
    readonly name: string;
    readonly url: string;
    readonly client_id: string;
    readonly client_secret: string;
  }[];
  /** The sandbox's clock, in milliseconds; a test may set it. */
  readonly clock: { now: number };
  /** The text messages sent so far. */
  readonly messages: string[];
  readonly send: (method: string, path: string, sending?: Sending) => Promise<Reply>;
  /** Sends the account's password, and a one-time password if required. */
  readonly asAccount: (method: string, path: string, body?: unknown) => Promise<Reply>;
  /** Sends the credentials of an application, by default the first. */
  readonly asApplication: (method: string, path: string, index?: number) => Promise<Reply>;
  /** Sends a token, by default one of the first application. */
  readonly asToken: (method: string, path: string, token?: string, body?: unknown) => Promise<Reply>;
  /** Creates a personal token and returns its ID and value. */
  readonly makePersonalToken: (
    note: string,
    scopes?: readonly string[],
  ) => Promise<{ id: number; token: string }>;
}

export const startOfTests = Date.UTC(2026, 10, 20, 19, 2, 4);

/** Starts a sandbox with defaults for most tests; it is closed when the test ends. */
export async function startTestSandbox(overrides: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
  const clock = { now: startOfTests };
  const messages: string[] = [];
  const sandbox = await startSandbox({
    ...plainSandbox,
    now: () => clock.now,
    onTextMessage: (message) => void messages.push(message),
    ...overrides,
  });
  onTestFinished(() => sandbox.close());
  const { description } = sandbox;
  const send = (method: string, path: string, sending?: Sending): Promise<Reply> =>
    sendTo(description.base_url, method, path, sending);
  const asAccount: TestSandbox["asAccount"] = (method, path, body) =>
    send(method, path, {
      headers: {
        ...basic(description.username, description.password),
        ...(description.totp_secret === null
          ? {}
          : { "X-Service-OTP": computeTotp(description.totp_secret, clock.now) }),
      },
      body,
    });
  return {
    description,
    store: sandbox.store,
    applications: sandbox.store.applications.map(({ name, url, clientId, clientSecret }) => ({
      name,
      url,
      client_id: clientId,
      client_secret: clientSecret,
    })),
    clock,
    messages,
    send,
    asAccount,
    asToken: (method, path, token = description.tokens[0]?.token ?? "", body) =>
      send(method, path, { headers: { Authorization: `token ${token}` }, body }),
    makePersonalToken: async (note, scopes = []) => {
      const reply = await asAccount("POST", "/authorizations", { note, scopes });
      return reply.json() as { id: number; token: string };
    },
    asApplication: (method, path, index = 0) => {
      const { clientId = "", clientSecret = "" } = sandbox.store.applications[index] ?? {};
      return send(method, path, { headers: basic(clientId, clientSecret) });
    },
  };
}

/** Sends one request with a User-Agent, and without a Content-Type. */
export function sendTo(baseUrl: string, method: string, path: string, sending: Sending = {}): Promise<Reply> {
  const { headers = {}, body } = sending;
  const { hostname, port } = new URL(baseUrl);
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  // Node does not send the length of a GET's or a DELETE's body unless it is set.
  const length = text === "" ? {} : { "Content-Length": String(Buffer.byteLength(text)) };
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      { hostname, port, method, path, headers: { "User-Agent": "tests", ...length, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => void chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const received = Buffer.concat(chunks).toString("utf8");
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            text: received,
            json: () => JSON.parse(received) as unknown,
          });
        });
      },
    );
    request.on("error", reject);
    request.end(text);
  });
}

/** Sends raw bytes and returns everything received until the server closes the connection. */
export function sendBytes(baseUrl: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(baseUrl).port), "127.0.0.1", () => socket.write(bytes));
    let received = "";
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => (received += text));
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
  });
}

export function basic(username: string, password: string): { Authorization: string } {
  return { Authorization: `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}` };
}

/** A code of RFC 6238: SHA-1, six digits, 30 seconds; base32 secret, time in milliseconds. */
export function computeTotp(secret: string, at: number): string {
  const bits = secret
    .split("")
    .map((letter) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  const key = Buffer.from((bits.match(/[01]{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const mac = createHmac("sha1", key).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

/** Approves a personal token for an organization, as its user does in a browser. */
export async function approve(
  { asToken }: Pick<TestSandbox, "asToken">,
  token: string,
  organization = "lanternfish",
): Promise<void> {
  const refused = await asToken("GET", `/orgs/${organization}/members`, token);
  const [, root = "", path = ""] =
    /url=(http:\/\/[^/]+)(\S+)/.exec(
      Object.entries(refused.headers).find(([name]) => name.endsWith("-sso"))?.[1] ?? "",
    ) ?? [];
  const { status } = await sendTo(root, "POST", path, { headers: { Origin: root } });
  if (status !== 200) throw new Error(`the form was answered ${status}`);
}
