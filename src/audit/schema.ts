// The JSON of an audit: its whole document, for `grantctl schema` and for the names that `--json` takes.
import { changeKinds, type Change } from "./changes.ts";
import { breadthNames } from "./items.ts";
import type { Resource } from "./items.ts";
import type { SnapshotItem } from "./snapshot.ts";
import {
  fieldsOf,
  list,
  object,
  objectWith,
  orNull,
  text,
  truth,
  wholeNumber,
  word,
  type Schema,
  type TypeOf,
} from "../schema/json-schema.ts";
import { authorizationSchema, credentialAuthorizationSchema, grantSchema, id } from "../schema/resources.ts";

const resource = word<Resource>("what kind of thing it is", "grant", "authorization", "credential");
const name = text(
  "what a person knows it by: an application's name, a note, a token's last eight characters, or a member and the kind of credential",
);
const number = (what: string): Schema<number> => wholeNumber(`how many ${what}`);

const ruleCount = objectWith("RuleCount", "A rule of the audit.", {
  rule: text("the rule as --fail-on takes it"),
  findings: number("findings it has, those included that it could not judge"),
  items: number("items it looked at"),
  unjudged: number("items it could not judge, because data is missing"),
});

const breadthCount = objectWith("BreadthCount", "How many things reach so far.", {
  breadth: word("how much the broadest scope allows", ...breadthNames, "unknown"),
  grants: number("grants"),
  authorizations: number("authorizations"),
  credentials: number("credential authorizations"),
});

const changeCount = objectWith("ChangeCount", "How many changes of a kind there are.", {
  change: word("the kind", ...changeKinds),
  count: number("changes"),
});

const summary = objectWith(
  "AuditSummary",
  "The numbers of an audit; null for what was not read or compared.",
  {
    grants: orNull(number("grants there are")),
    authorizations: orNull(number("authorizations there are")),
    credentials: orNull(number("credential authorizations the organization has")),
    findings: number("findings there are"),
    items_with_findings: number("things have a finding"),
    changes: orNull(number("changes there are since the snapshot")),
    rules: list(ruleCount, "the rules that were applied"),
    breadths: list(breadthCount, "how far what has access reaches"),
    change_kinds: list(changeCount, "the changes by kind"),
  },
);

export type Summary = TypeOf<typeof summary>;

const finding = objectWith("Finding", "What a rule found.", {
  rule: text("the rule as --fail-on takes it"),
  resource,
  id: id("the identifier of what it was found at"),
  name,
  measure: text("what was measured, in words, which may change"),
  command: text("the safest command that fixes it; for what could not be judged, one that shows the item"),
  severity: word("how serious it is", "high", "medium", "low"),
  judged: truth("false if data is missing, so that the rule could not judge the item"),
  alternatives: list(text("one command"), "other commands that fix it"),
});

const incomplete = objectWith("IncompleteAudit", "What single sign-on left out.", {
  organizations: list(text("an organization's ID"), "the organizations that left items out, if reported"),
});

const state = object<SnapshotItem>("SnapshotItem", "A thing that has access, as a snapshot holds it.", {
  id: id("its identifier"),
  name,
  application: orNull(text("the application's name; null for none")),
  client_id: orNull(text("the application's client ID; null for none")),
  scopes: orNull(
    list(text("one scope"), "its scopes in alphabetical order; null if the server does not report them"),
  ),
  created_at: orNull(text("when it was created, ISO 8601")),
  updated_at: orNull(text("when it was last updated, ISO 8601")),
  expires_at: orNull(text("when it expires, ISO 8601; null for never, or not known")),
  expired: truth("whether that has passed"),
  hashed_token: orNull(text("a hash of the token, as the service publishes it")),
});

const change = object<Change>("Change", "What changed since the snapshot.", {
  change: word("what happened; exchanged scopes are both widened and narrowed", ...changeKinds),
  resource,
  id: id("the identifier of what changed"),
  name,
  before: orNull(state),
  after: orNull(state),
});

export const auditSchema = objectWith("Audit", "Everything that has access to an account.", {
  account: text("the account's user name; where the organization alone was read, the organization's"),
  base_url: text("the service's address"),
  operator: text("the kind of service"),
  organization: orNull(text("the organization whose credential authorizations were read; null for none")),
  incomplete: orNull(incomplete),
  summary,
  findings: list(finding, "what the rules found, the most serious first"),
  changes: list(change, "what changed since the snapshot; empty without one"),
  grants: list(grantSchema, "the grants as the server returns them"),
  authorizations: list(authorizationSchema, "the authorizations as the server returns them, without a value"),
  credentials: list(
    credentialAuthorizationSchema,
    "the organization's credential authorizations as the server returns them",
  ),
});

/** Every field that `--json` may name. */
export const auditFields = fieldsOf(auditSchema);
