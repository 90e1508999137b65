// The one table of what every command prints as JSON, for `grantctl schema`, or why it has no JSON of its own.
import { auditSchema } from "../audit/schema.ts";
import { deletionSchema } from "../deletion/delete-items.ts";
import { rotationSchema } from "../delivery/rotate.ts";
import { failureKinds } from "../errors/errors.ts";
import type { ErrorReport } from "../printing/notices.ts";
import {
  either,
  fieldsOf,
  type JsonSchema,
  list,
  object,
  optional,
  orNull,
  type Schema,
  text,
  wholeNumber,
  word,
} from "../schema/json-schema.ts";
import { placed } from "../reports/sources.ts";
import { inspectedTokenSchema } from "../printing/tokens.ts";
import { authorizationSchema, grantSchema, newAuthorizationSchema } from "../schema/resources.ts";
import { loginSchema } from "./auth/login.ts";
import { profileRowSchema } from "./auth/list.ts";
import { statusRowSchema } from "./auth/status.ts";
import { getOrCreatePlan, plan } from "./authorization/plan-schemas.ts";
import { pathSchema, settingSchema } from "./config/setting-rows.ts";
import { findingSchema } from "./doctor/finding.ts";
import { leftoverSchema } from "./recover/leftover-row.ts";
import { keptValueSchema } from "./recover/outcome-rows.ts";
import { codeSchema, noticeSchema, sandboxSchema } from "./sandbox/schemas.ts";
import { schemaRowSchema } from "./schema/schema-row.ts";
import { checkedToken, checkOutcome, outcome, reset, resetOutcome } from "./token/row-schemas.ts";

/** The JSON of a command: the whole document of `--json`, and one line of `--format ndjson`. */
export interface DescribedOutput {
  /** What it is, as the end of a sentence: `the grants, an array`. */
  readonly means: string;
  readonly document: JsonSchema;
  readonly line: JsonSchema;
}

/** A command without JSON of its own, and why. */
interface NoOutput {
  readonly none: string;
}

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

const ofEachToken = "what became of each token: an object, or an array for several";
const revocation = printsOneOrMany(ofEachToken, outcome("revoked", "already-gone", "would-revoke"));
const asServiceAnswers = { none: "it prints what the service answers, whatever that is" };
const printsNothing: NoOutput = { none: "it prints nothing on standard output" };

/** By the command's words. */
export const outputs: Readonly<Record<string, DescribedOutput | NoOutput>> = {
  "grant list": printsList("an array of grants", grantSchema),
  "grant view": printsOne("one grant", grantSchema),
  "grant delete": printsOneOrMany(
    "what became of each grant: an object, or an array for several",
    deletionSchema,
  ),
  "authorization list": printsList("an array of authorizations", authorizationSchema),
  "authorization view": printsOne("one authorization", authorizationSchema),
  "authorization create": printsOne(
    "the new authorization with its token's value",
    either(newAuthorizationSchema, plan("would-create")),
  ),
  "authorization get-or-create": printsOne(
    "the new authorization with its token's value, or the one that existed without it",
    either(newAuthorizationSchema, either(authorizationSchema, getOrCreatePlan)),
  ),
  "authorization identify": printsList(
    "an array of the authorizations that match",
    placed(authorizationSchema),
  ),
  "authorization update": printsOne(
    "the authorization as it is now",
    either(authorizationSchema, plan("would-update")),
  ),
  "authorization rotate": printsOneOrMany(
    "the new token that replaces the old one: an object, or an array for several",
    rotationSchema,
  ),
  "authorization delete": printsOneOrMany(
    "what became of each authorization: an object, or an array for several",
    deletionSchema,
  ),
  "authorization run": { none: "it prints what its command prints" },
  "token check": {
    means: "the authorization behind a token; for several an array of what became of each",
    document: either(checkedToken, list(checkOutcome)),
    line: checkOutcome,
  },
  "token inspect": printsOneOrMany(
    "what the token says of itself: an object, or an array for several",
    placed(inspectedTokenSchema),
  ),
  "token reset": {
    means:
      "the new value: an object, or an array for several; with --dry-run or --output-file only what became of each",
    document: either(either(reset, list(reset)), either(resetOutcome, list(resetOutcome))),
    line: either(reset, resetOutcome),
  },
  "token revoke": printsOneOrMany(
    ofEachToken,
    outcome("revoked", "already-gone", "accepted", "would-revoke"),
  ),
  "token revoke-grant": revocation,
  "token report": printsOneOrMany(ofEachToken, outcome("accepted", "would-report")),
  "auth login": printsOne("who logged in where", loginSchema),
  "auth logout": printsNothing,
  "auth list": printsList("an array of profiles", profileRowSchema),
  "auth switch": printsNothing,
  "auth status": printsList(
    "an array of the parts of the credentials, each with where it comes from",
    statusRowSchema,
  ),
  "recover list": printsList("an array of what earlier runs left", leftoverSchema),
  "recover show": printsOneOrMany(
    "the value that is kept: an object, or an array for a job of several; where none is, an array of what became of a job's tokens",
    keptValueSchema,
  ),
  "recover end": printsNothing,
  "recover forget": printsNothing,
  audit: printsOne("an audit of the account", auditSchema),
  "config get": printsOne("one setting", settingSchema),
  "config set": printsNothing,
  "config unset": printsNothing,
  "config list": printsList("an array of settings", settingSchema),
  "config path": printsOne("the path of the configuration", pathSchema),
  "sandbox start": printsOne("where it listens and who may log in, one line when it is ready", sandboxSchema),
  "sandbox run": { none: "it prints what its command prints" },
  "sandbox codes": printsList("an array of codes; with --now one code alone, which is not JSON", codeSchema),
  "sandbox notices": printsList("an array of notices, the oldest first", noticeSchema),
  api: asServiceAnswers,
  graphql: asServiceAnswers,
  doctor: printsList("an array of findings", findingSchema),
  schema: printsList("without a command, an array of the commands that have a schema", schemaRowSchema),
  completion: { none: "it prints the script of a shell" },
  help: { none: "it prints the help of a command" },
  [errorName]: printsOne("why a command failed, on standard error", failure),
};

/** The fields that `--json` takes for a command; none where it has no JSON of its own. */
export function jsonFieldsOf(command: string): readonly string[] {
  const output = outputs[command];
  return output === undefined || "none" in output ? [] : fieldsOf(output.document);
}

/** A command that prints a list, or with ndjson an item a line. */
function printsList<T>(means: string, item: Schema<T>): DescribedOutput {
  return { means, document: list(item), line: item };
}

/** A command that prints one thing. */
function printsOne<T>(means: string, item: Schema<T>): DescribedOutput {
  return { means, document: item, line: item };
}

/** A command that prints an object for one item, and an array for several. */
function printsOneOrMany<T>(means: string, row: Schema<T>): DescribedOutput {
  return { means, document: either(row, list(row)), line: row };
}
