// The table of JSON outputs, for `grantctl schema`: the JSON of each command, or the reason why it has none.
import type { IntrospectedToken } from "../api/standard-tokens.ts";
import { auditSchema } from "../audit/schema.ts";
import { deletionSchema } from "../deletion/delete-items.ts";
import { rotationSchema } from "../delivery/rotate.ts";
import { failureKinds } from "../errors/errors.ts";
import type { ErrorReport } from "../printing/notices.ts";
import { column, present } from "../printing/presentation.ts";
import { introspectedProperties, introspectedSchema } from "../printing/introspected.ts";
import { type ItemRow, inspectedTokenSchema, resetSchema } from "../printing/tokens.ts";
import { type Placed, placed } from "../reports/sources.ts";
import {
  type JsonSchema,
  type Schema,
  either,
  fieldsOf,
  list,
  object,
  objectWith,
  optional,
  orNull,
  text,
  wholeNumber,
  word,
} from "../schema/json-schema.ts";
import {
  type CheckedToken,
  authorizationSchema,
  checkedProperties,
  checkedTokenSchema,
  grantSchema,
  newAuthorizationSchema,
  statusSchema,
} from "../schema/resources.ts";
import { profileRowSchema } from "./auth/list.ts";
import { loginSchema } from "./auth/login.ts";
import { statusRowSchema } from "./auth/status.ts";
import { pathSchema } from "./config/path.ts";
import { settingSchema } from "./config/setting.ts";
import { findingSchema } from "./doctor/finding.ts";
import { leftoverSchema } from "./recover/list.ts";
import { keptValueSchema } from "./recover/token-outcomes.ts";
import { sandboxSchema } from "./sandbox/schemas.ts";

/** The JSON of a command: the whole document of `--json`, and one line of `--format ndjson`. */
export interface DescribedOutput {
  /** Description of the document: `an array of grants`. */
  readonly means: string;
  readonly document: JsonSchema;
  readonly line: JsonSchema;
}

/** The name of the schema for the JSON of failures on standard error. No command has this name. */
export const errorName = "error";

const failure = object<ErrorReport>("Failure", "The failure of a command.", {
  error: object<ErrorReport["error"]>("FailureDetails", "The failure and a hint.", {
    class: word("the class of the failure, which decides the exit code", ...failureKinds),
    message: text("what happened, in words that may change"),
    status: orNull(wholeNumber("the HTTP status of the response behind it, or null")),
    exit_code: wholeNumber("the exit code of the run"),
    hint: orNull(text("what to do about it, or null")),
    request_id: optional(text("the server's own identifier of the request, for its operators")),
    url: optional(text("the URL at which the token is approved for an organization; with class sso")),
  }),
});

const lastEight = orNull(text("the last eight characters of the token"));
const ofEachToken = "the outcome of each token: an object, or an array for more than one";
const revocation = printsOneOrMany(ofEachToken, outcome("revoked", "already-gone", "would-revoke"));
const printsResponse = { none: "it prints the response of the server" };
const printsNothing = { none: "it prints nothing on standard output" };

/** The schema of a row with only a token's outcome; `done` are the statuses of success. */
function outcome(...done: readonly string[]): Schema<Placed<ItemRow>> {
  return placed(
    object<ItemRow>("Outcome", "The outcome of one token.", {
      status: statusSchema(...done),
      token_last_eight: lastEight,
    }),
  );
}

const checkedToken = either(placed(checkedTokenSchema), placed(introspectedSchema));

const activeToken = placed(
  object<IntrospectedToken & { readonly status: string }>(
    "ActiveToken",
    "One of the tokens, as an OAuth 2.0 server describes it.",
    { status: word<string>("an active token", "live"), ...introspectedProperties },
  ),
);

const checkOutcome = either(
  either(
    placed(
      object<CheckedToken & { readonly status: string }>(
        "LiveToken",
        "One of the tokens, with the authorization and the user behind it.",
        { status: word<string>("an active token", "live"), ...checkedProperties },
      ),
    ),
    activeToken,
  ),
  placed(
    object<ItemRow>("UncheckedToken", "One of the tokens: one that is not active, or that was not checked.", {
      status: statusSchema(),
      token_last_eight: lastEight,
    }),
  ),
);

const reset = placed(resetSchema);
const resetOutcome = outcome("would-reset", "reset");

/** The whole document of `--json`, or one line of `--format ndjson`. */
export type SchemaForm = "document" | "line";

const schemaRowSchema = objectWith("CommandSchema", "A command whose JSON has a schema.", {
  command: text("the command's words; error for the failures that every command writes to standard error"),
  id: text("the identifier of the schema of its --json"),
  means: text("the content of the command's output"),
});

export const schemaPresentation = present(schemaRowSchema, [
  column("COMMAND", "command", { minimum: 27 }),
  column("PRINTS", "means"),
]);

/** By command, as in `grant list`; `none` is the reason why a command has no JSON of its own. */
export const outputs: Readonly<Record<string, DescribedOutput | { readonly none: string }>> = {
  "grant list": printsList("an array of grants", grantSchema),
  "grant view": printsOne("one grant", grantSchema),
  "grant delete": printsOneOrMany(
    "the result for each grant: an object, or an array for more than one",
    deletionSchema,
  ),
  "authorization list": printsList("an array of authorizations", authorizationSchema),
  "authorization view": printsOne("one authorization", authorizationSchema),
  "authorization create": printsOne("the new authorization with its token's value", newAuthorizationSchema),
  "authorization get-or-create": printsOne(
    "the new authorization with its token's value, or the one that existed without it",
    either(newAuthorizationSchema, authorizationSchema),
  ),
  "authorization identify": printsList(
    "an array of the authorizations that match",
    placed(authorizationSchema),
  ),
  "authorization update": printsOne("the authorization as it is now", authorizationSchema),
  "authorization rotate": printsOneOrMany(
    "the new token that replaces the old one: an object, or an array for more than one",
    rotationSchema,
  ),
  "authorization delete": printsOneOrMany(
    "the result for each authorization: an object, or an array for more than one",
    deletionSchema,
  ),
  "authorization run": { none: "it prints what its command prints" },
  "token check": {
    means: "the authorization behind a token; for more than one, an array of the results",
    document: either(checkedToken, list(checkOutcome)),
    line: checkOutcome,
  },
  "token inspect": printsOneOrMany(
    "the status, owner, scopes and expiration of the token: an object, or an array for more than one",
    placed(inspectedTokenSchema),
  ),
  "token reset": {
    means:
      "the new value: an object, or an array for more than one; with --dry-run or --output-file only the results",
    document: either(either(reset, list(reset)), either(resetOutcome, list(resetOutcome))),
    line: either(reset, resetOutcome),
  },
  "token revoke": printsOneOrMany(
    ofEachToken,
    outcome("revoked", "already-gone", "accepted", "would-revoke"),
  ),
  "token revoke-grant": revocation,
  "token report": printsOneOrMany(ofEachToken, outcome("accepted")),
  "auth login": printsOne("who logged in where", loginSchema),
  "auth logout": printsNothing,
  "auth list": printsList("an array of profiles", profileRowSchema),
  "auth switch": printsNothing,
  "auth status": printsList("an array of credentials and settings, each with its source", statusRowSchema),
  "recover list": printsList("an array of items that earlier runs left behind", leftoverSchema),
  "recover show": printsOneOrMany(
    "the saved value: an object, or an array for a job with more than one; if there is none, an array of the outcomes of a job's tokens",
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
  "sandbox start": printsOne("its URL and credentials, in one line when it is ready", sandboxSchema),
  "sandbox run": { none: "it prints what its command prints" },
  "sandbox code": { none: "it prints one code" },
  api: printsResponse,
  doctor: printsList("an array of findings", findingSchema),
  schema: printsList("without a command, an array of the commands that have a schema", schemaRowSchema),
  completion: { none: "it prints the script of a shell" },
  help: { none: "it prints the help of a command" },
  [errorName]: printsOne("why a command failed, on standard error", failure),
};

/** The fields that `--json` accepts for a command; empty if it has no JSON of its own. */
export function jsonFieldsOf(command: string): readonly string[] {
  const output = outputs[command];
  return output === undefined || "none" in output ? [] : fieldsOf(output.document);
}

/** A command that prints a list, or with ndjson an item per line. */
function printsList<T>(means: string, item: Schema<T>): DescribedOutput {
  return { means, document: list(item), line: item };
}

function printsOne<T>(means: string, item: Schema<T>): DescribedOutput {
  return { means, document: item, line: item };
}

/** A command that prints an object for one item, and an array for more than one. */
function printsOneOrMany<T>(means: string, row: Schema<T>): DescribedOutput {
  return { means, document: either(row, list(row)), line: row };
}
