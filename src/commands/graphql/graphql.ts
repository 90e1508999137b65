// `grantctl graphql`: sends a query or mutation from an argument, a file or standard input, with variables.
import { addExamples, explainInherited, type Define } from "../../command-line/command.ts";
import { addApprovalOptions, checkComplete, type ApprovalOptions } from "../api/approval.ts";
import {
  addAuthentication,
  checkJsonOutput,
  needsSend,
  openRawService,
  printBeforeFailure,
  printOutcome,
  type AuthenticationOptions,
} from "../api/raw-request.ts";
import { readFields, type FieldOptions, readText } from "../api/request.ts";
import type { GraphqlResponse, GraphqlError, Variables } from "./send-query.ts";
import { collect } from "../../config/global-options.ts";
import { usageFailure } from "../../errors/errors.ts";
import { toJson } from "../../json/exact-json.ts";
import { printUnlessPipeClosed } from "../../printing/output-stream.ts";
import { checkAbility } from "../../run/operator-hints.ts";
import type { Context } from "../../run/context.ts";

interface GraphqlOptions extends FieldOptions, AuthenticationOptions, ApprovalOptions {
  readonly operationName?: string;
  readonly path: string;
  readonly paginate?: true;
}

export const defineGraphql: Define = (command, act) => {
  addAuthentication(command)
    .description(
      "Run a GraphQL query or mutation and print the response unchanged, including both data and errors. Each error is also reported with its line in the query. If the response contains errors, the exit code is 1 (7 for a rate limit), even if it also contains data.",
    )
    .argument("[query]", "Query, or @file to read it from a file (default: standard input)")
    .option("-f, --raw-field <name=text>", "Add a string variable (can be repeated)", collect)
    .option(
      "-F, --field <name=value>",
      "Add a typed variable: number, true, false, null, @file or string (can be repeated)",
      collect,
    )
    .option("--operation-name <name>", "Operation to run, if the query contains more than one")
    .option("--path <path>", "Path of the GraphQL API, relative to the base URL", "/graphql")
    .option(
      "--paginate",
      "Fetch all pages; the query must accept $endCursor and select pageInfo { hasNextPage endCursor }",
    )
    .action(act(run));
  addApprovalOptions(command);
  explainInherited(command, "--header", "--jq", "--dry-run");
  addExamples(command, [
    "grantctl graphql '{ viewer { login } }'",
    "grantctl graphql @grants.graphql -F first=10 --jq '.data.viewer'",
  ]);
};

async function run(context: Context, given: string | undefined, options: GraphqlOptions): Promise<void> {
  checkAbility(context.operator, "graphql");
  checkJsonOutput(context);
  const query = await readQuery(given, context);
  const variables = (await readFields(options, context)) ?? {};
  const { sendQuery, sendPages, throwErrors } = await import("./send-query.ts");
  if (options.paginate === true) checkPageable(query);
  const isWrite = mayChangeSomething(query);
  const service = await openRawService(options, context);
  if (!(await needsSend(isWrite ? "the mutation" : "the query", isWrite, context))) return;
  const send = (more: Variables): Promise<GraphqlResponse> =>
    sendQuery(
      service,
      { ...options, query, variables: { ...variables, ...more }, isRead: !isWrite },
      context,
    );

  const errors: GraphqlError[] = [];
  let pages = 0;
  const print = (write: () => Promise<void>): Promise<void> =>
    errors.length > 0 ? printBeforeFailure(write) : printOutcome(isWrite, write);
  await printUnlessPipeClosed(async () => {
    if (options.paginate !== true) {
      const response = await send({});
      errors.push(...(response.errors ?? []));
      const text = toJson(response, context.stdout.isTerminal ? 2 : 0);
      await print(() => context.printer.printJson(text));
      return;
    }
    const list = context.printer.openJsonList((item) => toJson(item, 0));
    for await (const response of sendPages(send)) {
      errors.push(...(response.errors ?? []));
      await print(() => list.add([response]));
      pages += 1;
      if (errors.length > 0) return;
    }
    await list.end();
  });
  if (errors.length > 0) throwErrors(errors, { query, pages }, context);
  checkComplete(options, context);
}

/** The query with strings and comments blanked out, so that only GraphQL syntax remains. */
function blankTexts(query: string): string {
  return query.replaceAll(/"""(?:\\"""|[^])*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|#[^\n\r]*/g, (text) =>
    text.replaceAll(/[^\n]/g, " "),
  );
}

/** True if a document holds an operation that may change something: a mutation outside of all braces. */
export function mayChangeSomething(query: string): boolean {
  let depth = 0;
  for (const [token] of blankTexts(query).matchAll(/[{}]|\bmutation\b/g)) {
    if (token === "{") depth += 1;
    else if (token === "}") depth -= 1;
    else if (depth <= 0) return true;
  }
  return false;
}

/** Throws a usage failure for a query that --paginate cannot walk page by page. */
export function checkPageable(query: string): void {
  const text = blankTexts(query);
  const selectsPageInfo = ["pageInfo", "hasNextPage", "endCursor"].every((name) =>
    new RegExp(String.raw`(?<![$\w])${name}\b`).test(text),
  );
  if (selectsPageInfo && /\$endCursor\s*:/.test(text)) return;
  throw usageFailure(
    "--paginate requires a query that accepts $endCursor and selects pageInfo { hasNextPage endCursor }",
    "Use a query such as `query($endCursor: String) { … (after: $endCursor) { … pageInfo { hasNextPage endCursor } } }`.",
  );
}

/** The query from the argument, a file or standard input. Throws a usage failure if there is none. */
async function readQuery(given: string | undefined, context: Context): Promise<string> {
  const hint =
    "For example: `grantctl graphql '{ viewer { login } }'`. Set the query's variables with -f and -F.";
  if (given === undefined && context.standardInput.isTerminal) {
    throw usageFailure("there is no query", hint);
  }
  const name =
    given === undefined ? "-" : given.startsWith("@") ? given.slice(1) : given === "-" ? "-" : null;
  const query = name === null ? (given ?? "") : await readText(name, "the query", context);
  if (query.trim() === "") throw usageFailure("the query is empty", hint);
  return query.replace(/^\uFEFF/, "");
}
