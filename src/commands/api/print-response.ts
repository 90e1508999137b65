// Prints the response of `grantctl api`: the body unchanged, after the status and headers with --include.
// A response that should be JSON but is not is
// never printed as a success. With --paginate, the pages of a list are fetched in parallel and printed in order as one
// array.
import { sanitise } from "../../drawing/sanitise.ts";
import { Failure, type Received, isFailure, usageFailure } from "../../errors/errors.ts";
import { createPage, walkPages } from "../../http/pages.ts";
import { type RawResponse, isWrite } from "../../http/request.ts";
import { type Exchange, type RawCall, type Service, readResponseAs } from "../../http/service.ts";
import { brokenResponse } from "../../http/transport-failure.ts";
import { readJson, toJson } from "../../json/exact-json.ts";
import { type JsonItem, type JsonItems, readItems } from "../../json/items.ts";
import { watchWholeList } from "../../lists/paging.ts";
import type { Context } from "../../run/context.ts";
import { printBeforeFailure, printOutcome } from "./raw-request.ts";
import { failureIn, isGraphql, walkCursor } from "./graphql.ts";
import { STATUS_CODES } from "node:http";

/**
 * Sends a request and prints its response, or the body of an error response. Throws the failure of an error response,
 * and a failure for GraphQL errors in a response.
 */
export async function printOne(
  service: Service,
  call: RawCall,
  options: { readonly include?: true },
  context: Context,
): Promise<void> {
  const isHeadWanted = options.include === true;
  let exchange: Exchange;
  try {
    exchange = await service.exchangeRaw(call);
  } catch (error) {
    if (isFailure(error)) {
      const { received } = error.details;
      await printBeforeFailure(() => printRefusal(received, isHeadWanted, context));
    }
    throw error;
  }
  const { response } = exchange;
  checkWhole(exchange, context);
  const failure = isGraphql(call) ? failureIn(response.body) : null;
  const print = async (): Promise<void> => {
    if (isHeadWanted) await printHead(response, context);
    await printBody(response.body, context);
  };
  if (failure === null) await printOutcome(isWrite(call), print);
  else {
    await printBeforeFailure(print);
    throw failure;
  }
}

/** Writes the status line and headers, as `curl -i` does. */
async function printHead({ status, headers }: Omit<RawResponse, "body">, { stdout }: Context): Promise<void> {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd(),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
  ];
  await stdout.write(lines.map((line) => `${stdout.isTerminal ? sanitise(line) : line}\n`).join(""));
}

/**
 * Writes a body: unchanged to a pipe; on a terminal as indented JSON, or as text if it is not JSON. With
 * `--format ndjson`, writes the items of an array, one per line. Throws a protocol failure if --jq or ndjson gets no
 * JSON.
 */
async function printBody(body: Buffer, { printer, stdout, options }: Context): Promise<void> {
  if (body.length === 0) return;
  const isLines = options.format === "ndjson";
  if (!printer.hasJq && !isLines && !stdout.isTerminal) {
    await stdout.write(body);
    return;
  }
  let value: unknown;
  try {
    value = readJson(body);
  } catch (cause) {
    if (printer.hasJq || isLines)
      throw new Failure("protocol", "the response is not JSON", {
        hint: "Run the command without --jq and --json to see it.",
        cause,
      });
    await stdout.write(textForTerminal(body));
    return;
  }
  if (!isLines) {
    await printer.printJson(toJson(value, 2));
    return;
  }
  const list = printer.openJsonList((item) => toJson(item, 0));
  await list.add(Array.isArray(value) ? value : [value]);
  await list.end();
}

/** Prints the body of an error response, which has more detail than the message. Skips truncated responses. */
async function printRefusal(
  received: Received | undefined,
  isHeadWanted: boolean,
  context: Context,
): Promise<void> {
  if (received?.headers === undefined || received.status < 400) return;
  if (isHeadWanted) await printHead({ ...received, headers: received.headers }, context);
  // With --jq, print nothing: the program was not written for error responses.
  if (context.printer.hasJq) return;
  // An error is one object, even with --format ndjson.
  const { format: _, ...options } = context.options;
  await printBody(received.body, { ...context, options });
}

function textForTerminal(body: Buffer): string {
  const lines = body.toString("utf8").split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => `${sanitise(line)}\n`).join("");
}

/**
 * Throws if a response that should be JSON is not: a protocol failure for a read, an unknown outcome for a change. A
 * script could otherwise mistake a truncated or empty document for the response.
 */
function checkWhole({ request, response }: Exchange, { printer }: Context): void {
  const { body } = response;
  const isWanted = printer.isJson && request.method === "GET" && response.status === 200;
  if (body.length === 0) {
    if (isWanted) throw brokenResponse(request, "is empty, although JSON was requested");
    return;
  }
  // With --jq, the response is validated later, when it is parsed.
  if (((isWanted && !printer.hasJq) || endsWithConnection(response)) && !isJson(body)) {
    throw brokenResponse(request, "is not JSON, or was cut off");
  }
}

/** True if only the end of the connection ends a JSON response (RFC 9112, 6.3), so that it may be truncated. */
function endsWithConnection({ headers }: RawResponse): boolean {
  const isMeasured = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return !isMeasured && /^application\/(?:[\w.-]+\+)?json\b/i.test(headers["content-type"] ?? "");
}

/** Not `readJson`, because it rejects deeply nested JSON, which may be printed unchanged here. */
function isJson(body: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    return true;
  } catch {
    return false;
  }
}

const itemsAPage = "100";

/**
 * Prints all pages as one array, whose items are whole pages with --slurp. If the list breaks off, throws and leaves the
 * array unclosed.
 */
export async function printPages(
  service: Service,
  call: RawCall,
  options: { readonly slurp?: true },
  context: Context,
): Promise<void> {
  const ofPath = new URLSearchParams(call.path.split("?").slice(1).join("?"));
  const given = new Set([...ofPath.keys(), ...call.query.map(([name]) => name)]);
  if (given.has("page"))
    throw usageFailure("--paginate fetches every page, so it cannot be combined with page");
  const fetchPage = (page: number): Promise<Exchange> =>
    service.exchangeRaw({
      ...call,
      query: [
        ...call.query,
        ...(given.has("per_page") ? [] : [["per_page", itemsAPage] as const]),
        ...(page === 1 ? [] : [["page", String(page)] as const]),
      ],
    });
  const paging = watchWholeList(context);
  let isOfArrays = false;
  /** The total in the latest response that has one: a list may shrink while it is read. */
  let announced = 0;
  let came = 0;
  const itemsOf = (body: JsonItems, page: number): readonly JsonItem<unknown>[] => {
    if (page === 1) isOfArrays = body.isArray;
    // Pages of one list are all arrays, or all objects.
    if (isOfArrays !== body.isArray)
      throw new TypeError(`page ${page} does not have the structure of the first one`);
    came += body.length;
    return body.items((item) => item);
  };
  const read = (bytes: Buffer): JsonItems => readItems(bytes, options.slurp === true);
  const pages = walkPages(call.subject, paging, async (page) => {
    const exchange = await fetchPage(page);
    return createPage(exchange.response, () => {
      announced = totalIn(exchange.response) ?? announced;
      return readResponseAs(read, exchange, [200], (body) => itemsOf(body, page));
    });
  });
  const list = context.printer.openSentJsonList();
  for await (const items of pages) await list.add(items);
  if (isOfArrays && announced > came) {
    throw new Failure(
      "protocol",
      `${call.subject}: the list is incomplete: the server announced ${announced} items and returned ${came}`,
    );
  }
  await list.end();
}

/** The total number of items in a list; null if the server does not report it. */
function totalIn({ headers }: RawResponse): number | null {
  const total = headers["x-total-count"] ?? "";
  return /^\d{1,9}$/.test(total) ? Number(total) : null;
}

/**
 * Prints the pages of a GraphQL query one after another, each through jq with --jq; with --slurp or --json as one
 * array. If a page is missing, throws and leaves the array unclosed.
 */
export async function printGraphqlPages(
  service: Service,
  call: RawCall,
  options: { readonly slurp?: true },
  context: Context,
): Promise<void> {
  const { printer } = context;
  const fetchPage = async (page: RawCall): Promise<Buffer> => {
    const exchange = await service.exchangeRaw(page);
    checkWhole(exchange, context);
    return exchange.response.body;
  };
  if (options.slurp !== true && (!printer.isJson || printer.hasJq)) {
    await walkCursor(call, fetchPage, (body) => printBody(body, context));
    return;
  }
  const list = printer.openJsonList((page) => toJson(page, 0));
  await walkCursor(call, fetchPage, (body) => list.add([readJson(body)]));
  await list.end();
}
