// Prints the response of `grantctl api`: the body unchanged, after the status and headers with --include. With
// --paginate, the pages of a list are printed in order as one array, which stays open if the list breaks off.
import { STATUS_CODES } from "node:http";
import { sanitise } from "../../output/sanitise.ts";
import { Failure, isFailure, usageFailure } from "../../errors/errors.ts";
import { incompleteListFailure, readLinks, walkPages } from "../../http/pages.ts";
import type { ListPage, PagePlace } from "../../http/pages.ts";
import { type RawResponse, isWrite } from "../../http/request.ts";
import { type Service, readResponse } from "../../http/service.ts";
import { readJson } from "../../json.ts";
import { writeOrUndelivered } from "../../output/output-stream.ts";
import type { Context } from "../../command-line/command.ts";
import { failureIn, isGraphql, nextBody } from "./graphql.ts";
import type { ApiCall } from "./request.ts";

/** Sends a request and prints its response. Throws the failure of an error response, whose body is printed, too. */
export async function printResponse(
  service: Service,
  call: ApiCall,
  { auth, include }: { readonly auth: string; readonly include: boolean },
  context: Context,
): Promise<void> {
  const { response } = await service.exchange(call).catch(async (error: unknown) => {
    const { status = 0, headers, body } = isFailure(error) ? (error.details.received ?? {}) : {};
    // It has more detail than the message, but a jq program is for other responses.
    if (headers !== undefined && body !== undefined && status >= 400 && !context.printer.hasJq)
      await printError({ status, headers, body }, include, context).catch(() => undefined);
    throw isFailure(error, "not-found")
      ? error.with({ hint: authHint(call, auth) ?? error.details.hint })
      : error;
  });
  const print = (): Promise<void> => printWhole(response, include, context);
  const failure = isGraphql(call) ? failureIn(response.body) : null;
  if (failure !== null) {
    // The exit code reports the request.
    await printError(response, include, context).catch(() => undefined);
    throw failure;
  }
  if (!isWrite(call)) return print();
  await writeOrUndelivered(print, "the server made the change, but its response could not be printed");
}

/** Ends the last line, because a message follows. */
async function printError(response: RawResponse, include: boolean, context: Context) {
  await printWhole(response, include, context);
  const isRaw = !context.stdout.isTerminal && !context.printer.isJson;
  if (isRaw && response.body.at(-1) !== 10) await context.stdout.write("\n");
}

/** Servers do not find the paths of an account and of an application with other credentials. */
function authHint({ target }: ApiCall, auth: string): string | undefined {
  const [, app, account] =
    /^.*?\/(?:(applications\/(?!grants))|(authorizations|applications\/grants)\b)/.exec(target) ?? [];
  const wanted = app !== undefined ? "app" : account !== undefined ? "basic" : auth;
  return wanted === auth ? undefined : `This path requires --auth ${wanted}.`;
}

async function printWhole({ status, headers, body }: RawResponse, include: boolean, context: Context) {
  const { stdout } = context;
  if (include) {
    const lines = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd(),
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      "",
    ];
    await stdout.write(lines.map((line) => `${stdout.isTerminal ? sanitise(line) : line}\n`).join(""));
  }
  await printBody(body, context);
}

/**
 * Writes a body: unchanged to a pipe; on a terminal as indented JSON, or as text if it is not JSON. With `--format
 * ndjson`, writes the items of an array, one per line. Throws a protocol failure if JSON was requested and it is not.
 */
async function printBody(body: Buffer, { printer, stdout, options }: Context): Promise<void> {
  if (body.length === 0) return;
  const isJsonRequested = printer.isJson;
  if (!isJsonRequested && !stdout.isTerminal) return stdout.write(body);
  let value: unknown;
  try {
    value = readJson(body);
  } catch (cause) {
    if (isJsonRequested)
      throw new Failure("protocol", "the response is not JSON", {
        hint: "Run the command without --jq and --json to see it.",
        cause,
      });
    const lines = body.toString("utf8").trimEnd().split(/\r?\n/);
    return stdout.write(lines.map((line) => `${sanitise(line)}\n`).join(""));
  }
  if (options.format === "ndjson") {
    const list = printer.openJsonList();
    await list.add(Array.isArray(value) ? value : [value]);
    await list.end();
  } else if (printer.hasJq || stdout.isTerminal) await printer.printJson(value);
  else await stdout.write(body);
}

/** Prints all pages as one array, whose items are whole pages with --slurp. */
export async function printPages(service: Service, call: ApiCall, slurp: boolean, context: Context) {
  const list = new URL(call.target, context.server.origin().root);
  if (list.searchParams.has("page"))
    throw usageFailure("--paginate fetches every page, so it cannot be combined with page");
  if (!list.searchParams.has("per_page")) list.search += `${list.search === "" ? "" : "&"}per_page=100`;
  const itemsOf = (body: unknown): readonly unknown[] => (Array.isArray(body) && !slurp ? body : [body]);
  const fetchPage = async (place: PagePlace): Promise<ListPage<unknown>> => {
    const query = typeof place === "string" ? place : `${list.search}${place === 1 ? "" : `&page=${place}`}`;
    const exchange = await service.exchange({ ...call, target: `${list.pathname}${query}` });
    const read = (): readonly unknown[] => readResponse(exchange, [200], itemsOf);
    return { ...readLinks(exchange.response.headers["link"], list), read };
  };
  const output = context.printer.openJsonList();
  for await (const items of walkPages(context.paging(), fetchPage)) await output.add(items);
  await output.end();
}

/** Prints the pages of a query one after another, or with --slurp as one array, which stays open if a page is missing. */
export async function printGraphqlPages(service: Service, call: ApiCall, slurp: boolean, context: Context) {
  const list = slurp ? context.printer.openJsonList() : null;
  const cursors = new Set<string>();
  let next: ApiCall | null = call;
  for (let pages = 0; next !== null;) {
    try {
      const { body } = (await service.exchange(next)).response;
      if (list === null) await printBody(body, context);
      else await list.add([readJson(body)]);
      pages += 1;
      const failure = failureIn(body);
      if (failure !== null) throw failure;
      const following = nextBody(call, body, cursors);
      next = following === null ? null : { ...call, body: following };
    } catch (error) {
      throw incompleteListFailure(error, { pages });
    }
  }
  await list?.end();
}
