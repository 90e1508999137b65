// A minimal server with the sandbox's responses to three requests: a page of authorizations, a check, and a new
// authorization by get-or-create. A Map in memory, JSON.stringify for each response, no authentication.
// `server-floor FILE`: the initial page, in JSON.
import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Item = Readonly<Record<string, unknown>>;

const page = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as readonly Item[];
const all = new Map<string, Item>(page.map((item) => [String(item["id"]), item]));

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value, null, 2));
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": body.length }).end(body);
}

function firstItems(): readonly Item[] {
  const items: Item[] = [];
  for (const item of all.values()) {
    if (items.push(item) === page.length) break;
  }
  return items;
}

function create(body: string, fingerprint: string): Item {
  const { note, scopes } = JSON.parse(body) as Item;
  const token = randomBytes(20).toString("hex");
  const hashed = createHash("sha256").update(token).digest("hex");
  const item = { ...page[0], note, scopes, fingerprint, token, hashed_token: hashed };
  all.set(fingerprint, { ...item, token: "" });
  return item;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? "/";
  if (request.method === "PUT") {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    send(
      response,
      201,
      create(Buffer.concat(chunks).toString("utf8"), path.slice(path.lastIndexOf("/") + 1)),
    );
  } else send(response, 200, path.startsWith("/authorizations") ? firstItems() : page[0]);
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ base_url: `http://127.0.0.1:${port}` })}\n`);
});
