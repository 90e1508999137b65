// A test double of a server, which is not measured itself: lists of any length, 204 for every deletion, a new value for
// every reset. It runs in a separate process and builds pages during their latency, so that it is never the bottleneck.
import { createHash } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The behaviour of the double. */
export interface DoubleOptions {
  readonly pages: number;
  readonly perPage: number;
  /** Milliseconds before each response. */
  readonly latencyMs: number;
  /** True if page 2 is answered only after a request for /release. */
  readonly holdsSecondPage: boolean;
}

const options = JSON.parse(process.argv[2] ?? "{}") as DoubleOptions;

/** All ids have the same number of digits, and stay within the precision of a double. */
const firstId = 1_000_000_000;

const item = {
  id: firstId,
  url: "https://api.example.com/authorizations/1000000000",
  app: { name: "Lanternfish Search", url: "https://app.example.com/", client_id: "abcde12345fghij67890" },
  token: "",
  hashed_token: "25f94a2a5c7fbaf499c665bc73d67c1c87e496da8985131633ee0a95819db2e8",
  token_last_eight: "12345678",
  note: "naïve importer",
  note_url: "https://notes.example.com/optional/note/url",
  created_at: "2011-09-06T17:26:27Z",
  updated_at: "2011-09-06T20:39:23Z",
  scopes: ["public_repo", "read:org"],
  fingerprint: "",
};

/** Ids beyond 2^53, on one page in ten, in steps of four, so that doubles represent them exactly in any program. */
const firstLargeId = 20_000_000_000_000_000n;

interface Template {
  readonly bytes: Buffer;
  readonly idPlaces: readonly number[];
}

function templateOf(id: string): Template {
  const text = JSON.stringify(Array.from({ length: options.perPage }, () => item));
  const bytes = Buffer.from(text.replaceAll(`"id":${firstId}`, `"id":${id}`));
  const idPlaces: number[] = [];
  for (let at = bytes.indexOf('"id":'); at !== -1; at = bytes.indexOf('"id":', at + 1)) idPlaces.push(at + 5);
  return { bytes, idPlaces };
}

const usual = templateOf(String(firstId));
const large = templateOf(String(firstLargeId));

function pageBody(page: number): Buffer {
  const isLarge = page % 10 === 3;
  const { bytes, idPlaces } = isLarge ? large : usual;
  const body = Buffer.from(bytes);
  const before = (page - 1) * options.perPage;
  for (const [index, place] of idPlaces.entries()) {
    const id = isLarge ? firstLargeId + 4n * BigInt(before + index) : firstId + before + index;
    body.write(String(id), place, "latin1");
  }
  return body;
}

function links(page: number, host: string): Record<string, string> {
  if (page >= options.pages) return {};
  return { Link: `${linkTo(page + 1, "next", host)}, ${linkTo(options.pages, "last", host)}` };
}

/** With the requested host, because some clients follow the link unchanged. */
function linkTo(page: number, relation: string, host: string): string {
  return `<http://${host}/authorizations?page=${page}>; rel="${relation}"`;
}

function sendJson(response: ServerResponse, body: Buffer, headers: Record<string, string> = {}): void {
  response
    .writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length, ...headers })
    .end(body);
}

let release: () => void = () => undefined;
const released = new Promise<void>((resolve) => {
  release = resolve;
});
let resets = 0;

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const target = request.url ?? "/";
  const page = request.method === "GET" ? Number(/[?&]page=(\d+)/.exec(target)?.[1] ?? 1) : null;
  const body = page === null ? null : pageBody(page);
  request.resume();
  const answer = (): void => {
    if (target === "/release") {
      release();
      response.writeHead(204).end();
    } else if (request.method === "DELETE") {
      response.writeHead(204).end();
    } else if (request.method === "POST") {
      resets += 1;
      const token = resets.toString(16).padStart(40, "0");
      const hashedToken = createHash("sha256").update(token).digest("hex");
      const made = {
        ...item,
        id: firstId + resets,
        token,
        token_last_eight: token.slice(-8),
        hashed_token: hashedToken,
      };
      sendJson(response, Buffer.from(JSON.stringify(made)));
    } else if (page !== null && body !== null) {
      const send = (): void => sendJson(response, body, links(page, request.headers.host ?? ""));
      if (page === 2 && options.holdsSecondPage) void released.then(send);
      else send();
    }
  };
  if (options.latencyMs > 0) setTimeout(answer, options.latencyMs);
  else answer();
});

server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
