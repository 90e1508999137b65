// The contents of the pages where a user approves a token. The routes carry the answers out.
import type { Answer } from "../http/answer.ts";
import type { AuthorizationRecord } from "../store/authorization-store.ts";
import type { Organization } from "../fixtures/organizations.ts";
import { html, showChosenText, type Html } from "./html.ts";
import { answerMessage, answerPageOf } from "./layout.ts";

export interface Question {
  /** The login of the account whose token it is. */
  readonly login: string;
  readonly authorization: AuthorizationRecord;
  readonly organization: Organization;
  /** The address of the page, without its query. */
  readonly path: string;
  readonly requestId: string;
  /** The value that makes the form good once. */
  readonly once: string;
}

/** Asks whether a token may use what belongs to an organization. */
export function askForApproval(question: Question): Answer {
  const { login, authorization, organization, path, requestId, once } = question;
  return answerPageOf(
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

/** Scopes as a list, or a word where there are none. */
export function listScopes(scopes: readonly string[]): Html {
  if (scopes.length === 0) return html`<span class="quiet">no scopes</span>`;
  const items = scopes.map((scope) => html`<li>${scope}</li>`);
  return html`<ul class="chips">
    ${items}
  </ul>`;
}

/** The page after an approval. */
export function answerApproved({
  authorization,
  organization,
}: Pick<Question, "authorization" | "organization">): Answer {
  return answerMessage(
    200,
    "Approved",
    html`The token that ends in <code>${authorization.tokenLastEight}</code> may now use what belongs to
      ${organization.login}.`,
    html`You can close this page. A command that waits goes on by itself; run any other one again.`,
  );
}

/** The page after a refusal. */
export function answerCancelled(): Answer {
  return answerMessage(
    200,
    "Cancelled",
    html`Nothing was approved. The token is refused as before.`,
    html`You can close this page.`,
  );
}

const again = html`Run your command again: it prints an address that is good.`;

/** The page for an address whose request the sandbox does not know. */
export function answerUnknownRequest(): Answer {
  return answerMessage(
    404,
    "This address leads nowhere",
    html`The sandbox knows no such request. It may have been restarted since, which forgets open requests but
    no approvals.`,
    again,
  );
}

/** The page for a request that is no longer open: answered, expired, or its token is gone. */
export function answerClosedRequest(reason: "answered" | "expired" | "gone"): Answer {
  const texts = {
    answered: ["Already answered", "This request was approved or cancelled before, and is good only once."],
    expired: ["Too late", "This request was open for fifteen minutes, and nobody answered it."],
    gone: ["The token is gone", "It was deleted after it asked, so there is nothing to approve."],
  } as const;
  const [title, text] = texts[reason];
  return answerMessage(410, title, html`${text}`, again);
}
