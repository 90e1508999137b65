// Prints the response of `grantctl api`: the body unchanged, after the status and headers with --include. A response that
// should be JSON but is not is never printed as a success. With --paginate, the pages of a list are printed in order as
// one array, which stays open if the list breaks off.
import { sanitise } from "../../drawing/sanitise.ts";
import { Failure, type Received, isFailure, usageFailure } from "../../errors/errors.ts";
import { type ListPage, type PagePlace, readLinks, walkPages } from "../../http/pages.ts";
import { type RawResponse, isWrite } from "../../http/request.ts";
import { type Exchange, type RawCall, type Service, readResponse } from "../../http/service.ts";
import { brokenResponse } from "../../http/transport-failure.ts";
import { readJson, toJson } from "../../json/exact-json.ts";
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
 * Prints all pages as one array, whose items are whole pages with --slurp. Pages are fetched by their numbers, or by the
 * query that the server gives for the next one.
 */
export async function printPages(
  service: Service,
  call: RawCall,
  options: { readonly slurp?: true },
  context: Context,
): Promise<void> {
  const [path = "", query = ""] = call.path.split(/\?(.*)/s);
  const given = new Set([...new URLSearchParams(query).keys(), ...call.query.map(([name]) => name)]);
  if (given.has("page"))
    throw usageFailure("--paginate fetches every page, so it cannot be combined with page");
  const first = given.has("per_page") ? call.query : [...call.query, ["per_page", itemsAPage] as const];
  const { root } = context.server.origin();
  let url: URL | undefined;
  let isOfArrays: boolean | null = null;
  const itemsOf = (body: unknown): readonly unknown[] => {
    isOfArrays ??= Array.isArray(body);
    if (isOfArrays !== Array.isArray(body))
      throw new TypeError("a page does not have the structure of the first one");
    return Array.isArray(body) && options.slurp !== true ? body : [body];
  };
  const fetchPage = async (place: PagePlace): Promise<ListPage<unknown>> => {
    const number = place === 1 ? [] : [["page", String(place)] as const];
    const exchange = await service.exchangeRaw(
      typeof place === "string"
        ? { ...call, path: `${path}${place}`, query: [] }
        : { ...call, query: [...first, ...number] },
    );
    url ??= new URL(`${root}${exchange.request.target.path}`);
    const read = (): readonly unknown[] => readResponse(exchange, [200], itemsOf);
    return { ...readLinks(exchange.response.headers["link"], url), read };
  };
  const list = context.printer.openJsonList((item) => toJson(item, 0));
  for await (const items of walkPages(call.subject, watchWholeList(context), fetchPage))
    await list.add(items);
  await list.end();
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
