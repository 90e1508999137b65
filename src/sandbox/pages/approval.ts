// The page where a browser approves a personal token for an organization: its routes and its contents.
//
// The URL alone gives access: it cannot be guessed, is valid once and for minutes, and was sent only to the token's
// holder. An operator would require a sign-on at the organization's identity provider. The sandbox has none, and does
// not prompt for the password either, because users who start it from a script may not know it.
//
// | request                             | GET               | POST                                |
// | ----------------------------------- | ----------------- | ----------------------------------- |
// | unknown, or of another organization | 404               | 404                                 |
// | answered, expired, its token gone   | 410 with a reason | 410 with a reason                   |
// | open                                | the question      | approves or cancels; then answered  |
import type { ServiceResponse } from "../http/response.ts";
import { type Call, type HandlerOptions, route, type Route } from "../operations/operation.ts";
import { findOrganization, type Organization } from "../seed/organizations.ts";
import type { AuthorizationRecord } from "../store/access.ts";
import { type Forms, formText } from "./forms.ts";
import { html, type Html, htmlPage, messagePage, showChosenText } from "./layout.ts";

const template = "/orgs/:org/sso";
const purposeOf = (requestId: string): string => `answer ${requestId}`;

/** The routes of the approval page. */
export function createApprovalRoutes(
  { store, singleSignOn: { requests }, nowInSeconds }: HandlerOptions,
  forms: Forms,
): readonly Route<null>[] {
  /** The question of a request, or a page with the reason why it is not open. */
  function find(login: string, id: string): Omit<Question, "once"> | ServiceResponse {
    const found = requests.find(id);
    const organization = found && findOrganization(found.request.organizationId);
    if (found === undefined || organization?.login !== login) return unknownRequestResponse();
    if (found.state !== "open") return closedRequestResponse(found.state);
    const authorization = store.authorizations.find(found.request.authorizationId);
    const account = authorization && store.accounts.find(authorization.accountId);
    if (authorization === undefined || account === undefined) return closedRequestResponse("gone");
    return { login: account.login, authorization, organization, path: `/orgs/${login}/sso`, requestId: id };
  }

  function show({ variables, request }: Call<null>): ServiceResponse {
    const id = new URLSearchParams(request.query).get("authorization_request") ?? "";
    const question = find(variables["org"] ?? "", id);
    if ("status" in question) return question;
    return askForApproval({ ...question, once: forms.issue(purposeOf(id)) });
  }

  function decide({ variables, request, body }: Call<null>): ServiceResponse {
    const id = formText(body, "authorization_request");
    const question = find(variables["org"] ?? "", id);
    if ("status" in question) return question;
    const refusal = forms.refuse(request, body, purposeOf(id));
    if (refusal !== null) return refusal;
    switch (formText(body, "decision")) {
      case "approve":
        store.transaction(() =>
          store.approvals.add(question.authorization.id, question.organization.id, nowInSeconds()),
        );
        requests.finish(id);
        return approvedResponse(question);
      case "cancel":
        requests.finish(id);
        return cancelledResponse();
      default:
        return messagePage(
          400,
          "Neither approved nor cancelled",
          html`The form contains neither decision. Nothing was changed.`,
        );
    }
  }

  return [route(`GET ${template}`, show), route(`POST ${template}`, decide, "form")];
}

interface Question {
  /** The login of the account whose token it is. */
  readonly login: string;
  readonly authorization: AuthorizationRecord;
  readonly organization: Organization;
  /** The URL of the page, without its query. */
  readonly path: string;
  readonly requestId: string;
  /** The value with which the form can be sent once. */
  readonly once: string;
}

/** The page with the question. */
function askForApproval(question: Question): ServiceResponse {
  const { login, authorization, organization, path, requestId, once } = question;
  return htmlPage(
    200,
    "Approve a token",
    html`<section>
      <h1>Approve a token for ${organization.login}?</h1>
      <p>
        ${organization.name} lets in only tokens that its members have approved. Approve this one if you are
        using it yourself.
      </p>
      <dl>
        <div>
          <dt>Account</dt>
          <dd>${login}</dd>
        </div>
        <div>
          <dt>Organization</dt>
          <dd>${organization.login}</dd>
        </div>
        <div>
          <dt>Token</dt>
          <dd>
            ${showChosenText(authorization.note ?? "without a note")}<br /><span class="quiet"
              >ends in <code>${authorization.tokenLastEight}</code></span
            >
          </dd>
        </div>
        <div>
          <dt>Scopes</dt>
          <dd>${listScopes(authorization.scopes)}</dd>
        </div>
      </dl>
      <form method="post" action="${path}">
        <input type="hidden" name="authorization_request" value="${requestId}" />
        <input type="hidden" name="once" value="${once}" />
        <div class="actions">
          <button class="button main" name="decision" value="approve">Approve</button>
          <button class="button" name="decision" value="cancel">Cancel</button>
        </div>
      </form>
    </section>`,
  );
}

/** Scopes as a list, or a word if there are none. */
export function listScopes(scopes: readonly string[]): Html {
  if (scopes.length === 0) return html`<span class="quiet">no scopes</span>`;
  const items = scopes.map((scope) => html`<li>${scope}</li>`);
  return html`<ul class="chips">
    ${items}
  </ul>`;
}

/** The page after an approval. */
function approvedResponse({
  authorization,
  organization,
}: Pick<Question, "authorization" | "organization">): ServiceResponse {
  return messagePage(
    200,
    "Approved",
    html`The token that ends in <code>${authorization.tokenLastEight}</code> may now use what belongs to
      ${organization.login}.`,
    html`You can close this page. A waiting command continues automatically; run any other one again.`,
  );
}

/** The page after a refusal. */
function cancelledResponse(): ServiceResponse {
  return messagePage(
    200,
    "Cancelled",
    html`Nothing was approved. The organization still rejects the token.`,
    html`You can close this page.`,
  );
}

const again = html`Run your command again: it prints a valid URL.`;

/** The page for a URL without a request. */
function unknownRequestResponse(): ServiceResponse {
  return messagePage(
    404,
    "This URL is not valid",
    html`The sandbox has no such request. If it was restarted, it lost its open requests, but not its
    approvals.`,
    again,
  );
}

/** The page for a request that is no longer open: answered, expired, or its token is gone. */
function closedRequestResponse(reason: "answered" | "expired" | "gone"): ServiceResponse {
  const texts = {
    answered: [
      "Already answered",
      "This request was approved or cancelled before, and can be used only once.",
    ],
    expired: ["Too late", "This request was open for fifteen minutes, and nobody answered it."],
    gone: ["The token no longer exists", "It was deleted in the meantime, so there is nothing to approve."],
  } as const;
  const [title, text] = texts[reason];
  return messagePage(410, title, html`${text}`, again);
}
