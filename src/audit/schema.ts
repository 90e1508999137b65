// The schema of the audit's JSON document, for `grantctl schema`, for the field names of `--json`, and for the types of
// what is compared with an earlier audit.
import { changeKinds } from "./changes.ts";
import { breadthNames, type Resource } from "./items.ts";
import {
  fieldsOf,
  list,
  objectWith,
  orNull,
  text,
  truth,
  wholeNumber,
  word,
  type TypeOf,
} from "../schema/json-schema.ts";
import { authorizationSchema, grantSchema, id } from "../schema/resources.ts";

const resource = word<Resource>("the type of item", "grant", "authorization");
const name = text("a readable name: an application's name, a note, or a token's last eight characters");

const ruleCount = objectWith("RuleCount", "A rule of the audit.", {
  rule: text("the rule as --fail-on takes it"),
  findings: wholeNumber("number of findings, including items that it could not judge"),
  items: wholeNumber("number of items that it applies to"),
  unjudged: wholeNumber("number of items that it could not judge because data is missing"),
});

const breadthCount = objectWith("BreadthCount", "The number of items with this breadth of access.", {
  breadth: word("the permissions of the broadest scope", ...breadthNames, "unknown"),
  grants: wholeNumber("number of grants"),
  authorizations: wholeNumber("number of authorizations"),
});

const changeCount = objectWith("ChangeCount", "The number of changes of one type.", {
  change: word("the kind", ...changeKinds),
  count: wholeNumber("number of changes"),
});

const summary = objectWith("AuditSummary", "The totals of an audit.", {
  grants: wholeNumber("number of grants"),
  authorizations: wholeNumber("number of authorizations"),
  findings: wholeNumber("number of findings"),
  items_with_findings: wholeNumber("number of items with a finding"),
  changes: orNull(wholeNumber("number of changes since the earlier audit; null without one")),
  rules: list(ruleCount, "the rules that were applied"),
  breadths: list(breadthCount, "items by breadth of access"),
  change_kinds: list(changeCount, "the changes by type"),
});

export type Summary = TypeOf<typeof summary>;

const finding = objectWith("Finding", "A finding of a rule.", {
  rule: text("the rule as --fail-on takes it"),
  resource,
  id: id("the ID of the item"),
  name,
  measure: text("the measured value in words, which may change between versions"),
  command: text(
    "the safest command that fixes it; if the rule could not judge the item, a command that shows it",
  ),
  severity: word("how serious it is", "high", "medium", "low"),
  judged: truth("false if data is missing, so that the rule could not judge the item"),
  alternatives: list(text("one command"), "other commands that fix it"),
});

const incomplete = objectWith("IncompleteAudit", "Items that single sign-on omitted.", {
  organizations: list(text("an organization's ID"), "the organizations that omitted items, if reported"),
});

const state = objectWith("SnapshotItem", "What is compared of an item with access.", {
  id: id("its identifier"),
  name,
  application: orNull(text("the application's name; null for none")),
  client_id: orNull(text("the application's client ID; null for none")),
  scopes: orNull(
    list(text("one scope"), "its scopes in alphabetical order; null if the server does not report them"),
  ),
  created_at: orNull(text("when it was created, ISO 8601")),
  updated_at: orNull(text("when it was last updated, ISO 8601")),
  expires_at: orNull(text("when it expires, ISO 8601; null for never or unknown")),
  hashed_token: orNull(text("a hash of the token, as published by the server")),
});

export type SnapshotItem = TypeOf<typeof state>;

const change = objectWith("Change", "A change since the earlier audit.", {
  change: word("the type of change; replaced scopes are both widened and narrowed", ...changeKinds),
  resource,
  id: id("the ID of the item"),
  name,
  before: orNull(state),
  after: orNull(state),
});

export type Change = TypeOf<typeof change>;

export const auditSchema = objectWith("Audit", "Everything that has access to an account.", {
  account: text("the account's user name"),
  base_url: text("the server's address"),
  operator: text("the type of server"),
  incomplete: orNull(incomplete),
  summary,
  findings: list(finding, "the findings of the rules, the most serious first"),
  changes: list(change, "the changes since the earlier audit; empty without one"),
  grants: list(grantSchema, "the grants as the server returns them"),
  authorizations: list(authorizationSchema, "the authorizations as the server returns them, without a value"),
});

/** Every field that `--json` may name. */
export const auditFields = fieldsOf(auditSchema);
