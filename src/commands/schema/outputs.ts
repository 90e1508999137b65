// The one table of what every command prints as JSON, with the commands that have no JSON of their own.
import { failureKinds } from "../../errors/errors.ts";
import type { ErrorReport } from "../../output/error-report.ts";
import { fieldsOf, object, optional, orNull, text, wholeNumber, word } from "../../output/json-schema.ts";
import { auditOutputs } from "../audit/outputs.ts";
import { authOutputs } from "../auth/outputs.ts";
import { authorizationOutputs } from "../authorization/outputs.ts";
import { printsList, printsWhole, type Outputs } from "../../shapes/command-output.ts";
import { configOutputs } from "../config/outputs.ts";
import { doctorOutputs } from "../doctor/outputs.ts";
import { grantOutputs } from "../grant/outputs.ts";
import { recoverOutputs } from "../recover/outputs.ts";
import { sandboxOutputs } from "../sandbox/outputs.ts";
import { tokenOutputs } from "../token/outputs.ts";
import { schemaRowSchema } from "./schema-row.ts";

/** The name of the schema for the JSON of failures on standard error. No command has this name. */
export const errorName = "error";

const failure = object<ErrorReport>("Failure", "Why a command failed.", {
  error: object<ErrorReport["error"]>("FailureDetails", "What happened, and what to do.", {
    class: word("the class of the failure, which decides the exit code", ...failureKinds),
    message: text("what happened, for a person; its words may change"),
    status: orNull(wholeNumber("the HTTP status of the answer behind it; null where there is none")),
    exit_code: wholeNumber("the exit code of the run"),
    hint: orNull(text("what to do about it; null where nobody knows")),
    request_id: optional(text("the service's own identifier of the request, for its operators")),
    url: optional(text("where an organization approves the token; with class sso")),
  }),
});

const asServiceAnswers = { none: "it prints what the service answers, whatever that is" };

export const outputs: Outputs = {
  ...grantOutputs,
  ...authorizationOutputs,
  ...tokenOutputs,
  ...authOutputs,
  ...recoverOutputs,
  ...auditOutputs,
  ...configOutputs,
  ...sandboxOutputs,
  api: asServiceAnswers,
  graphql: asServiceAnswers,
  ...doctorOutputs,
  schema: printsList("without a command, an array of the commands that have a schema", schemaRowSchema),
  completion: { none: "it prints the script of a shell" },
  help: { none: "it prints the help of a command" },
  [errorName]: printsWhole("why a command failed, on standard error", failure),
};

/** The fields that `--json` takes for a command; none where it has no JSON of its own, or always prints every field. */
export function jsonFieldsOf(command: string): readonly string[] {
  const output = outputs[command];
  return output === undefined || "none" in output || output.isWhole ? [] : fieldsOf(output.document);
}
