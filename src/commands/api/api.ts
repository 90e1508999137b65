// `grantctl api`: a request to any address of the service, with the flags of `gh api`.
import { addExamples, type Define, type Context } from "../../command-line/command.ts";
import { collect } from "../../config/global-options.ts";
import { usageFailure } from "../../errors/errors.ts";
import { buildPathTarget } from "../../http/origin.ts";
import { isWrite } from "../../http/request.ts";
import { printWhileRead } from "../../output/output-stream.ts";
import { refuseClosedOutput } from "../../run/refuse-closed-output.ts";
import { addApprovalOptions, checkComplete, type ApprovalOptions } from "./approval.ts";
import { addAuthentication, openRawService, type AuthenticationOptions } from "./authentication.ts";
import { isToBeSent } from "./change.ts";
import { checkJsonOutput } from "./json-output.ts";
import { printOne } from "./print-one.ts";
import { requestOf, type RequestOptions } from "./request.ts";
import { describing } from "./verbose-headers.ts";

interface ApiOptions extends RequestOptions, AuthenticationOptions, ApprovalOptions {
  readonly include?: true;
  readonly paginate?: true;
  readonly slurp?: true;
  readonly verboseHeaders?: true;
}

export const defineApi: Define = (command, act) => {
  addAuthentication(command)
    .description(
      "Send a request to a path of the service and print the answer as it came. Without -X it is a GET, or with fields or --input a POST. Exit codes are those of every other command; the body of a refusal is printed too.",
    )
    .argument("<path>", "the path, relative to the base URL")
    .option("-X, --method <method>", "the request's method")
    .option("-f, --raw-field <key=text>", "a text field; key[part]=… and key[]=… nest; repeatable", collect)
    .option(
      "-F, --field <key=value>",
      "a field: a number, true, false, null, @file, or else text; repeatable",
      collect,
    )
    .option("--input <file>", "the body, from a file or from standard input for -")
    .option("-i, --include", "print status and headers of the answer too")
    .option("--paginate", "fetch every page and print one array")
    .option("--slurp", "with --paginate: one array of the pages instead of their items")
    .action(act(run));
  addApprovalOptions(command).option(
    "--verbose-headers",
    "describe both sides' headers on standard error, without secrets",
  );
  addExamples(command, [
    "grantctl api /user --jq .login",
    "grantctl api /user/issues --paginate --jq '.[].title'",
    "grantctl api -X PATCH /authorizations/1 --auth basic -f 'add_scopes[]=gist'",
  ]);
};

async function run(context: Context, path: string, options: ApiOptions): Promise<void> {
  checkJsonOutput(context);
  if (options.slurp === true && options.paginate !== true)
    throw usageFailure("--slurp belongs to --paginate");
  const call = await requestOf(path, options, context);
  if (options.paginate === true) {
    if (call.method !== "GET") throw usageFailure("--paginate is for GET");
    if (options.include === true)
      throw usageFailure("--include shows one answer, and --paginate fetches many");
  }
  buildPathTarget(context.address.origin(), call.path, call.query);
  // The answer to a DELETE is empty, so its exit code is all of its result. Any other may bring a value once.
  if (call.method !== "DELETE") refuseClosedOutput(context.host);
  const bare = await openRawService(options, context);
  if (!(await isToBeSent(call.subject, isWrite(call), context))) return;
  const service = options.verboseHeaders === true ? describing(bare, options.auth !== "none", context) : bare;
  await printWhileRead(async () => {
    if (options.paginate === true) {
      const { printPages } = await import("./print-pages.ts");
      await printPages(service, call, options, context);
    } else await printOne(service, call, options, context);
  });
  checkComplete(options, context);
}
