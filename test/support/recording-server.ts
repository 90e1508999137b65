// A loopback server that records every request and returns the responses that the test sets, to prove which requests
// were sent, and above all that none was.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { parseJson } from "../../src/json.ts";
import { makeFolder } from "./state-folder.ts";
import { runMain } from "./test-host.ts";

export interface RecordedRequest {
  readonly method: string;
  /** Path and query as sent, not decoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface ArrangedAnswer {
  readonly status: number;
  /** A string or bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Answer = (
  request: RecordedRequest,
  position: number,
) => ArrangedAnswer | Promise<ArrangedAnswer | "cut">;

export interface RecordingServer {
  readonly root: string;
  readonly requests: readonly RecordedRequest[];
  /** The requests without those that identify the server, which every login sends. */
  besidesMeta(): readonly RecordedRequest[];
  /** Method and path of each request, in order. */
  lines(): readonly string[];
  /** The requests that may change something. */
  writes(): readonly RecordedRequest[];
  /** The JSON body of the request at this position. */
  bodyOf(position: number): unknown;
  /** Configures grantctl to use this server, with credentials of the account and of the application. */
  readonly environment: Readonly<Record<string, string>>;
  /** Runs `grantctl` in this environment, in addition to that of the run. */
  readonly run: typeof runMain;
}

export const credentials = {
  username: "octavia",
  password: "correct horse battery",
  clientId: "0123456789abcdef0123",
  clientSecret: "c0ffee".repeat(6).padEnd(40, "5"),
} as const;

/** Configures grantctl to use a server, with these credentials. */
function environmentAt(root: string): Readonly<Record<string, string>> {
  return {
    GRANTCTL_BASE_URL: root,
    GRANTCTL_USERNAME: credentials.username,
    GRANTCTL_PASSWORD: credentials.password,
    GRANTCTL_CLIENT_ID: credentials.clientId,
    GRANTCTL_CLIENT_SECRET: credentials.clientSecret,
  };
}

/** Starts a server; it is closed after the test. The default response is a 500. */
export async function startRecordingServer(answer: Answer = refuseAll): Promise<RecordingServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer((message, response) => {
    void (async () => {
      const request = await record(message);
      requests.push(request);
      const arranged = await answer(request, requests.length - 1);
      if (arranged === "cut") {
        message.socket.destroy();
        return;
      }
      const { status, body, headers = {} } = arranged;
      const raw = body === undefined || typeof body === "string" || Buffer.isBuffer(body);
      response.writeHead(status, {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      });
      response.end(raw ? body : JSON.stringify(body));
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  // An interrupted run of an earlier test must not be announced.
  const stateFolder = makeFolder();
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = { ...environmentAt(root), GRANTCTL_STATE_DIR: stateFolder };
  return {
    root,
    requests,
    besidesMeta: () => requests.filter(({ path }) => !/\/meta$|\/\.well-known\//.test(path)),
    lines: () => requests.map(({ method, path }) => `${method} ${path}`),
    writes: () => requests.filter(({ method }) => method !== "GET"),
    bodyOf: (position) => parseJson(requests[position]?.body ?? ""),
    environment,
    run: (words, world) =>
      runMain(words, { ...world, environment: { ...environment, ...world?.environment } }),
  };
}

/** The user name and password, or client ID and client secret, of a request. */
export function credentialsOf(request: RecordedRequest | undefined): string {
  const [scheme, encoded = ""] = String(request?.headers["authorization"]).split(" ");
  return `${scheme} ${Buffer.from(encoded, "base64").toString("utf8")}`;
}

function refuseAll(): ArrangedAnswer {
  return { status: 500, body: { message: "nothing was arranged" } };
}

async function record(message: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return {
    method: message.method ?? "",
    path: message.url ?? "",
    headers: message.headers,
    body: Buffer.concat(chunks).toString("utf8"),
  };
}
