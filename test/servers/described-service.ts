// A proxy between grantctl and a sandbox that validates against a published OpenAPI description, and records every
// request and response that the description does not allow.
import { readFileSync } from "node:fs";
import { createServer, request as forward, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { OpenAPIRouter, OpenAPIValidator, type Document } from "openapi-backend";
import { onTestFinished } from "vitest";

export interface Judge {
  readonly root: string;
  /** The violations, one per line. */
  readonly violations: readonly string[];
  /** The operations used, each once: `GET /authorizations`. */
  readonly operations: ReadonlySet<string>;
}

/** Reads a description from the fixtures. */
export function readDescription(name: string): Document {
  const path = fileURLToPath(new URL(`../servers/descriptions/${name}.json`, import.meta.url));
  const document = JSON.parse(readFileSync(path, "utf8")) as Document;
  return expand(document, document as unknown as Tree) as Document;
}

type Tree = Readonly<Record<string, unknown>>;

/** Resolves references; the descriptions have no cycles. */
function expand(value: unknown, root: Tree): unknown {
  if (Array.isArray(value)) return value.map((each) => expand(each, root));
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value && typeof value.$ref === "string") {
    const keys = value.$ref.split("/").slice(1);
    return expand(
      keys.reduce<unknown>((tree, key) => (tree as Tree)[key], root),
      root,
    );
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, expand(each, root)]));
}

/** Starts a validating proxy in front of the service at `target`; it is closed after the test. */
export async function startJudge(description: string, target: string): Promise<Judge> {
  const definition = readDescription(description);
  const validator = new OpenAPIValidator({
    definition,
    coerceTypes: false,
    // Validators are created on first use, because each of them validates the description itself.
    lazyCompileValidators: true,
    ajvOpts: { strict: false, validateFormats: false, allErrors: true, meta: false, validateSchema: false },
  });
  const router = new OpenAPIRouter({ definition, apiRoot: "/" });
  const violations: string[] = [];
  const operations = new Set<string>();

  const judge = (message: IncomingMessage, body: string, status: number, answer: string): void => {
    const [path = "", query = ""] = (message.url ?? "").split("?");
    const request = {
      method: message.method ?? "",
      path,
      query: Object.fromEntries(new URLSearchParams(query)),
      headers: Object.fromEntries(
        Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
      ),
      body,
    };
    const operation = router.matchOperation(request);
    const line = `${request.method} ${operation?.path ?? path}`;
    if (operation === undefined) {
      violations.push(`${line} is not described`);
      return;
    }
    operations.add(line);
    const asked = validator.validateRequest(typed(request), operation);
    for (const { instancePath, message: what } of asked.errors ?? []) {
      violations.push(`${line} is sent wrongly: ${instancePath} ${what}`);
    }
    if (operation.responses?.[String(status)] === undefined) {
      violations.push(`${line} is answered ${status}, which is not described`);
      return;
    }
    if (status === 204) return;
    const answered = validator.validateResponse(JSON.parse(answer), operation, status);
    for (const { instancePath, message: what } of answered.errors ?? []) {
      violations.push(`${line} is answered ${status} wrongly: ${instancePath} ${what}`);
    }
  };

  const server = createServer((message, response) => {
    void (async () => {
      const body = await textOf(message);
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const { method, url = "", headers } = message;
        const sent = forward(
          new URL(url, target),
          { ...(method === undefined ? {} : { method }), headers },
          resolve,
        );
        sent.on("error", reject);
        sent.end(body);
      });
      const text = await textOf(answer);
      judge(message, body, answer.statusCode ?? 0, text);
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      response.end(text);
    })();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { root: `http://127.0.0.1:${port}`, violations, operations };
}

/** Converts numbers in the query, because the description types them as integers. */
function typed<T extends { readonly query: Readonly<Record<string, string>>; readonly body: string }>(
  request: T,
): T {
  const query = Object.fromEntries(
    Object.entries(request.query).map(([name, value]) => [
      name,
      /^\d+$/.test(value) && name !== "client_id" ? Number(value) : value,
    ]),
  );
  return { ...request, query: query as T["query"], body: request.body };
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
