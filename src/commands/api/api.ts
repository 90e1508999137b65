// `grantctl api`: any other request, with gh's flags and a choice of credentials (`--auth`).
//
// A request that may change something is not interrupted by the first Ctrl-C, and a failure to print its response says
// that the change was made.
import { Option } from "commander";
import { addExamples, type Context, type Define } from "../../command-line/command.ts";
import { collect } from "../../config/global-options.ts";
import { usageFailure } from "../../errors/errors.ts";
import { isWrite } from "../../http/request.ts";
import type { Service } from "../../http/service.ts";
import { finishRequest } from "../../jobs/signals.ts";
import { checkKeepsOutput, printUnlessPipeClosed } from "../../output/output-stream.ts";
import { isGraphql } from "./graphql.ts";
import { printGraphqlPages, printPages, printResponse } from "./print-response.ts";
import { buildCall, type RequestOptions } from "./request.ts";

const authTypes = ["basic", "token", "app", "none"] as const;

interface ApiOptions extends RequestOptions {
  readonly auth?: (typeof authTypes)[number];
  readonly include?: true;
  readonly paginate?: true;
  readonly slurp?: true;
}

export const define: Define = (command, act) => {
  command
    .description(
      "Make an authenticated request and print the body of the response unchanged (unless --jq, --paginate or --include is used). The method is GET by default, or POST if you pass fields or --input. The body of an error response is also printed, on lines of its own; exit codes are the same as for every other command. The path graphql is the GraphQL API: fields other than query become variables, errors in the response end the run with exit code 1, and --paginate needs a query that accepts $endCursor and selects pageInfo { hasNextPage endCursor }.",
    )
    .argument("<path>", "Path, relative to the base URL")
    .addOption(
      new Option(
        "--auth <type>",
        "Credentials to send (default: a token if there is one, otherwise user name and password)",
      ).choices(authTypes),
    )
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
    .action(act(run));
  addExamples(command, [
    "grantctl api /user --jq .login",
    "grantctl api /user/issues --paginate --jq '.[].title'",
    "grantctl api -X PATCH /authorizations/1 --auth basic -f 'add_scopes[]=gist'",
    "grantctl api graphql -f 'query={ viewer { login } }'",
  ]);
};

/** Paths whose responses to a write may contain a token's value, which is shown only once. */
const returnsToken = /\/(?:authorizations|tokens?|access_tokens)(?:[/?]|$)/;

async function run(context: Context, path: string, options: ApiOptions): Promise<void> {
  const { paginate = false, slurp = false, include = false } = options;
  const { json, format, jq } = context.options;
  // A word after --json may be a misplaced argument.
  if (typeof json === "string" || (jq === undefined && format?.endsWith("json") === false))
    throw usageFailure(
      "a response has no columns",
      "Write --json without fields and last, use --format json or ndjson, or select fields with --jq.",
    );
  if (slurp && !paginate) throw usageFailure("--slurp requires --paginate");
  const call = await buildCall(path, options, context);
  if (paginate && call.method !== "GET" && !isGraphql(call))
    throw usageFailure("--paginate requires a GET request");
  if (paginate && include) throw usageFailure("--include cannot be combined with --paginate");
  if (isWrite(call) && call.method !== "DELETE" && returnsToken.test(call.target))
    checkKeepsOutput(context.host, "the response");
  const usual = context.serverType.isOauth ? "app" : "basic";
  const auth = options.auth ?? (context.server.logins.hasToken() ? "token" : usual);
  const service = await connect(auth, context);
  const print = (): Promise<unknown> =>
    printUnlessPipeClosed(async () => {
      if (!paginate) await printResponse(service, call, { auth, include }, context);
      else await (isGraphql(call) ? printGraphqlPages : printPages)(service, call, slurp, context);
    });
  await (isWrite(call) ? finishRequest(context, print) : print());
}

async function connect(auth: string, { server }: Context): Promise<Service> {
  if (auth === "none") return server.tokenService(null);
  if (auth === "token") return server.tokenService(await server.logins.token());
  return (await (auth === "app" ? server.applicationService() : server.accountService())).service;
}
