// `grantctl graphql`: a query or mutation of the GraphQL API.
import { addExamples, type Define, type Context } from "../../command-line/command.ts";
import { collect } from "../../config/global-options.ts";
import { toJson } from "../../json/exact-json.ts";
import { addApprovalOptions, checkComplete, type ApprovalOptions } from "../api/approval.ts";
import { addAuthentication, openRawService, type AuthenticationOptions } from "../api/authentication.ts";
import { isToBeSent, printBeside, printOutcome } from "../api/change.ts";
import { readFields, type FieldOptions } from "../api/fields.ts";
import { printWhileRead } from "../../output/output-stream.ts";
import { refuseClosedOutput } from "../../run/refuse-closed-output.ts";
import { checkJsonOutput } from "../api/json-output.ts";
import type { GraphqlAnswer, GraphqlError } from "./answer.ts";
import { checkPageable, mayChangeSomething, readQuery } from "./query-text.ts";
import type { Variables } from "./send-query.ts";

interface GraphqlOptions extends FieldOptions, AuthenticationOptions, ApprovalOptions {
  readonly operationName?: string;
  readonly path: string;
  readonly paginate?: true;
}

export const defineGraphql: Define = (command, act) => {
  addAuthentication(command)
    .description(
      "Send a query and print its answer as it came: its data, and the errors if there are any. Errors are reported with the line of the query they are about, and exit with 1, with 7 for a rate limit, also where there is data.",
    )
    .argument("[query]", "the query; @file reads a file; without one, standard input is read")
    .option("-f, --raw-field <name=text>", "a text variable; repeatable", collect)
    .option(
      "-F, --field <name=value>",
      "a variable: a number, true, false, null, @file, or else text; repeatable",
      collect,
    )
    .option("--operation-name <name>", "which of several operations to run")
    .option("--path <path>", "where the GraphQL API is, relative to the base URL", "/graphql")
    .option(
      "--paginate",
      "follow pageInfo: the query takes $endCursor and asks for hasNextPage and endCursor",
    )
    .action(act(run));
  addApprovalOptions(command);
  addExamples(command, [
    "grantctl graphql '{ viewer { login } }'",
    "grantctl graphql @grants.graphql -F first=10 --jq '.data.viewer'",
  ]);
};

async function run(context: Context, given: string | undefined, options: GraphqlOptions): Promise<void> {
  checkJsonOutput(context);
  const query = await readQuery(given, context);
  const variables = (await readFields(options, context)) ?? {};
  const { sendQuery, sendPages } = await import("./send-query.ts");
  if (options.paginate === true) checkPageable(query);
  refuseClosedOutput(context.host);
  const isWrite = mayChangeSomething(query);
  const service = await openRawService(options, context);
  if (!(await isToBeSent(isWrite ? "the mutation" : "the query", isWrite, context))) return;
  const ask = (more: Variables): Promise<GraphqlAnswer> =>
    sendQuery(service, { ...options, query, variables: { ...variables, ...more } }, context);

  const errors: GraphqlError[] = [];
  let pages = 0;
  const print = (write: () => Promise<void>): Promise<void> =>
    errors.length > 0 ? printBeside(write) : printOutcome(isWrite, write);
  await printWhileRead(async () => {
    if (options.paginate !== true) {
      const answer = await ask({});
      errors.push(...(answer.errors ?? []));
      const text = toJson(answer, context.stdout.isTerminal ? 2 : 0);
      await print(() => context.printer.printJson(text));
      return;
    }
    const list = context.printer.openJsonList((item) => toJson(item, 0));
    for await (const answer of sendPages(ask)) {
      errors.push(...(answer.errors ?? []));
      await print(() => list.add([answer]));
      pages += 1;
      if (errors.length > 0) return;
    }
    await list.end();
  });
  if (errors.length > 0) {
    const { failWith } = await import("./fail-with.ts");
    failWith(errors, { query, pages }, context);
  }
  checkComplete(options, context);
}
