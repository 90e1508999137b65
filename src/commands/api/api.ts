// `grantctl api`: any REST endpoint, with gh's flags and a choice of credentials (`--auth`).
import { addExamples, type Define } from "../../command-line/command.ts";
import { isGraphql } from "./graphql.ts";
import { printGraphqlPages, printOne, printPages } from "./print-response.ts";
import {
  addAuthentication,
  checkJsonOutput,
  openRawService,
  type AuthenticationOptions,
} from "./raw-request.ts";
import { buildRequest, type RequestOptions } from "./request.ts";
import { collect } from "../../config/global-options.ts";
import { usageFailure } from "../../errors/errors.ts";
import { buildPathTarget } from "../../http/origin.ts";
import { isWrite } from "../../http/request.ts";
import { printUnlessPipeClosed } from "../../printing/output-stream.ts";
import type { Context } from "../../run/context.ts";

interface ApiOptions extends RequestOptions, AuthenticationOptions {
  readonly include?: true;
  readonly paginate?: true;
  readonly slurp?: true;
}

export const defineApi: Define = (command, act) => {
  addAuthentication(command)
    .description(
      "Make an authenticated request and print the body of the response unchanged (unless --jq, --paginate or --include is used). The method is GET by default, or POST if you pass fields or --input. The body of an error response is also printed; exit codes are the same as for every other command. The path graphql is the GraphQL API: fields other than query become variables, errors in the response end the run with exit code 1, and --paginate needs a query that accepts $endCursor and selects pageInfo { hasNextPage endCursor }.",
    )
    .argument("<path>", "Path, relative to the base URL")
    .option("-X, --method <method>", "HTTP method (default: GET, or POST with a body)")
    .option(
      "-f, --raw-field <key=text>",
      "Add a string parameter; use key[part]=… and key[]=… for nested values (can be repeated)",
      collect,
    )
    .option(
      "-F, --field <key=value>",
      "Add a typed parameter: number, true, false, null, @file or string (can be repeated)",
      collect,
    )
    .option(
      "-H, --header <header>",
      "Add a request header in the form 'Name: value' (can be repeated)",
      collect,
    )
    .option("--input <file>", "File to use as the request body (use - for standard input)")
    .option("-i, --include", "Include the response status and headers in the output")
    .option("--paginate", "Fetch all pages and print one array")
    .option("--slurp", "With --paginate, print an array of pages instead of items")
    .action(act(run, { printsList: true }));
  addExamples(command, [
    "grantctl api /user --jq .login",
    "grantctl api /user/issues --paginate --jq '.[].title'",
    "grantctl api -X PATCH /authorizations/1 --auth basic -f 'add_scopes[]=gist'",
    "grantctl api graphql -f 'query={ viewer { login } }'",
  ]);
};

async function run(context: Context, path: string, options: ApiOptions): Promise<void> {
  checkJsonOutput(context);
  if (options.slurp === true && options.paginate !== true) throw usageFailure("--slurp requires --paginate");
  const call = await buildRequest(path, options, context);
  if (options.paginate === true) {
    if (call.method !== "GET" && !isGraphql(call)) throw usageFailure("--paginate requires a GET request");
    if (options.include === true) throw usageFailure("--include cannot be combined with --paginate");
  }
  buildPathTarget(context.server.origin(), call.path, call.query);
  // The response may contain a new token's value; that of a DELETE is empty.
  if (isWrite(call) && call.method !== "DELETE") context.printer.checkCanDeliver("the response");
  const service = await openRawService(options, context);
  await printUnlessPipeClosed(async () => {
    if (options.paginate === true) {
      const print = isGraphql(call) ? printGraphqlPages : printPages;
      await print(service, call, options, context);
    } else await printOne(service, call, options, context);
  });
}
