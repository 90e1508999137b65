// The page on which a user approves a personal token for an organization.
//
// The URL alone gives access: it cannot be guessed, can be used once within minutes, and was sent only to the token's
// holder. A real operator would require a sign-on at the organization's identity provider. The sandbox has none, and
// does not prompt for the password either, because users who start it from a script may not know it.
//
// | request                             | GET               | POST                                 |
// | ----------------------------------- | ----------------- | ------------------------------------ |
// | unknown, or of another organization | 404               | 404                                  |
// | answered, expired, or token deleted | 410 with a reason | 410 with a reason                    |
// | open                                | the question      | approves or cancels, which answers it|
import { Refusal, type ServiceResponse } from "../http/response.ts";
import { type Call, type HandlerContext, route, type Route } from "../operations/operation.ts";
import { findOrganization, type Organization } from "../seed/organizations.ts";
import type { AuthorizationRecord } from "../store/access.ts";
import { type Forms, formText } from "./forms.ts";
import { html, type Html, htmlPage, messagePage, showUntrustedText } from "./layout.ts";

const template = "/orgs/:org/sso";
const formPurpose = (requestId: string): string => `answer ${requestId}`;

export function createApprovalRoutes(
  { store, singleSignOn: { requests }, nowInSeconds }: HandlerContext,
  forms: Forms,
): readonly Route<null>[] {
  /** Throws a Refusal with a page if the request is not open. */
  function findQuestion({ variables }: Call<null>, requestId: string): Omit<Question, "nonce"> {
    const found = requests.find(requestId);
    const organization = found && findOrganization(found.organizationId);
    if (found === undefined || organization === undefined || organization.login !== variables["org"]) {
      throw new Refusal(unknownRequestPage());
    }
    if (found.state !== "open") throw new Refusal(closedRequestPage(found.state));
    const authorization = store.authorizations.find(found.authorizationId);
    if (authorization === undefined) throw new Refusal(closedRequestPage("deleted"));
    const { login } = store.accounts.get(authorization.accountId);
    return { login, authorization, organization, requestId };
  }

  function show(call: Call<null>): ServiceResponse {
    const id = new URLSearchParams(call.request.query).get("authorization_request") ?? "";
    const question = findQuestion(call, id);
    return questionPage({ ...question, nonce: forms.issue(formPurpose(id)) });
  }

  function decide(call: Call<null>): ServiceResponse {
    const id = formText(call.body, "authorization_request");
    const { authorization, organization } = findQuestion(call, id);
    forms.check(call, formPurpose(id));
    switch (formText(call.body, "decision")) {
      case "approve":
        store.transaction(() => store.approvals.add(authorization.id, organization.id, nowInSeconds()));
        requests.markAnswered(id);
        return messagePage(
          200,
          "Approved",
          html`The token that ends in <code>${authorization.tokenLastEight}</code> may now use what belongs to
            ${organization.login}.`,
          html`You can close this page. A waiting command continues automatically; run any other one again.`,
        );
      case "cancel":
        requests.markAnswered(id);
        return messagePage(
          200,
          "Cancelled",
          html`Nothing was approved. The organization still rejects the token.`,
          html`You can close this page.`,
        );
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
  /** The owner of the token. */
  readonly login: string;
  readonly authorization: AuthorizationRecord;
  readonly organization: Organization;
  readonly requestId: string;
  /** The form's single-use value. */
  readonly nonce: string;
}

function questionPage(question: Question): ServiceResponse {
  const { login, authorization, organization, requestId, nonce } = question;
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
            ${showUntrustedText(authorization.note ?? "without a note")}<br /><span class="quiet"
              >ends in <code>${authorization.tokenLastEight}</code></span
            >
          </dd>
        </div>
        <div>
          <dt>Scopes</dt>
          <dd>${showScopes(authorization.scopes)}</dd>
        </div>
      </dl>
      <form method="post" action="/orgs/${organization.login}/sso">
        <input type="hidden" name="authorization_request" value="${requestId}" />
        <input type="hidden" name="once" value="${nonce}" />
        <div class="actions">
          <button class="button main" name="decision" value="approve">Approve</button>
          <button class="button" name="decision" value="cancel">Cancel</button>
        </div>
      </form>
    </section>`,
  );
}

function showScopes(scopes: readonly string[]): Html {
  if (scopes.length === 0) return html`<span class="quiet">no scopes</span>`;
  const items = scopes.map((scope) => html`<li>${scope}</li>`);
  return html`<ul class="chips">
    ${items}
  </ul>`;
}

const retryHint = html`Run your command again: it prints a valid URL.`;

function unknownRequestPage(): ServiceResponse {
  return messagePage(404, "This URL is not valid", html`The sandbox has no such request.`, retryHint);
}

function closedRequestPage(reason: "answered" | "expired" | "deleted"): ServiceResponse {
  const texts = {
    answered: [
      "Already answered",
      "This request was approved or cancelled before, and can be used only once.",
    ],
    expired: ["Too late", "This request was open for fifteen minutes, and nobody answered it."],
    deleted: [
      "The token no longer exists",
      "It was deleted in the meantime, so there is nothing to approve.",
    ],
  } as const;
  const [title, text] = texts[reason];
  return messagePage(410, title, html`${text}`, retryHint);
}
