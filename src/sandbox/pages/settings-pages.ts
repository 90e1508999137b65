// The contents of the settings pages. Their list of applications equals the list of grants (the specification, 1).
import { findOrganization } from "../fixtures/organizations.ts";
import type { Answer } from "../http/answer.ts";
import type { Page } from "../http/pages.ts";
import type { ApprovalRecord } from "../store/approval-store.ts";
import type { GrantRecord } from "../store/grant-store.ts";
import { listScopes } from "./approval-pages.ts";
import { html, showChosenText, type Html } from "./html.ts";
import { answerPageOf } from "./layout.ts";

export interface Settings {
  readonly login: string;
  /** The key that gives access, in every address and form. */
  readonly key: string;
  readonly grants: readonly GrantRecord[];
  readonly grantCount: number;
  readonly page: Page;
  /** The approvals, each with the single-use value of its form. */
  readonly approvals: readonly { readonly approval: ApprovalRecord; readonly once: string }[];
  /** The change that was just made; null for none. */
  readonly done: "revoked" | "withdrawn" | null;
}

export const settingsPath = "/settings/applications";
export const withdrawPath = "/settings/approvals/withdraw";

/** The address of a page of the settings. */
export function settingsAddress(
  path: string,
  key: string,
  more: Readonly<Record<string, string>> = {},
): string {
  return `${path}?${new URLSearchParams({ key, ...more }).toString()}`;
}

function revokePath(grant: Pick<GrantRecord, "id">): string {
  return `${settingsPath}/${grant.id}/revoke`;
}

/** The page with the applications that have access, and the personal tokens that were approved. */
export function answerSettings(settings: Settings): Answer {
  const { login, grantCount } = settings;
  const count = grantCount === 1 ? "One application has" : `${grantCount || "No"} applications have`;
  return answerPageOf(
    200,
    "Authorised applications",
    html`${showDone(settings.done)}
      <section>
        <h1>Authorised applications</h1>
        <p class="quiet">${count} access to the account ${login}.</p>
        <ul class="rows">
          ${settings.grants.map((grant) => showGrant(grant, settings.key))}
        </ul>
        ${showPages(settings)}
      </section>
      <section>
        <h2>Approved personal tokens</h2>
        ${showApprovals(settings)}
      </section>`,
  );
}

/** Asks before an application loses its access. */
export function askBeforeRevoking(login: string, grant: GrantRecord, key: string, once: string): Answer {
  return answerPageOf(
    200,
    "Revoke access",
    html`<section>
      <h1>Revoke the access of ${showChosenText(grant.application.name)}?</h1>
      <p>
        All tokens that it holds for ${login} end at once, and whatever uses them stops working. This cannot
        be undone.
      </p>
      <p class="quiet">Its scopes:</p>
      ${listScopes(grant.scopes)}
      <form method="post" action="${revokePath(grant)}">
        <input type="hidden" name="key" value="${key}" />
        <input type="hidden" name="once" value="${once}" />
        <div class="actions">
          <button class="button danger">Revoke access</button>
          <a class="button" href="${settingsAddress(settingsPath, key)}">Keep it</a>
        </div>
      </form>
    </section>`,
  );
}

function showDone(done: Settings["done"]): Html {
  if (done === null) return html``;
  const text = done === "revoked" ? "The application has no access any more." : "The approval was withdrawn.";
  return html`<p class="card done" role="status">${text}</p> `;
}

function showGrant(grant: GrantRecord, key: string): Html {
  const { application, scopes, createdAt, updatedAt } = grant;
  return html`<li>
    <div>
      <h2>${showChosenText(application.name)}</h2>
      <p class="quiet">
        ${showChosenText(application.url)}<br />since ${showDay(createdAt)}, last changed
        ${showDay(updatedAt)}
      </p>
      ${listScopes(scopes)}
    </div>
    <a
      class="button warn"
      href="${settingsAddress(revokePath(grant), key)}"
      aria-label="Revoke the access of ${application.name}"
      >Revoke</a
    >
  </li> `;
}

function showPages({ key, page, grantCount }: Settings): Html {
  const last = Math.ceil(grantCount / page.size);
  if (last <= 1) return html``;
  const link = (number: number, text: string): Html =>
    number < 1 || number > last
      ? html`<span></span>`
      : html`<a href="${settingsAddress(settingsPath, key, { page: String(number) })}">${text}</a>`;
  return html`<nav aria-label="Pages">
    ${link(page.number - 1, "Previous")}<span>Page ${page.number} of ${last}</span
    >${link(page.number + 1, "Next")}
  </nav> `;
}

function showApprovals({ key, approvals }: Settings): Html {
  if (approvals.length === 0) {
    return html`<p class="quiet">
      No personal token is approved for an organization. The tokens of applications need no approval.
    </p> `;
  }
  const rows = approvals.map(({ approval, once }) => {
    const organization = findOrganization(approval.organizationId)?.login ?? "";
    return html`<li>
      <div>
        <strong>${organization}</strong>
        <p class="quiet">
          ${showChosenText(approval.note ?? "without a note")}<br />ends in
          <code>${approval.tokenLastEight}</code>, approved ${showDay(approval.approvedAt)}
        </p>
      </div>
      <form method="post" action="${withdrawPath}">
        <input type="hidden" name="key" value="${key}" />
        <input type="hidden" name="once" value="${once}" />
        <input type="hidden" name="token" value="${approval.authorizationId}" />
        <input type="hidden" name="organization" value="${approval.organizationId}" />
        <button
          class="button warn"
          aria-label="Withdraw the approval of the token that ends in ${approval.tokenLastEight} for ${organization}"
        >
          Withdraw
        </button>
      </form>
    </li> `;
  });
  return html`<ul class="rows">
    ${rows}
  </ul> `;
}

/** A day as `20 November 2026`, in UTC. */
function showDay(seconds: number): Html {
  const day = new Date(seconds * 1000);
  const text = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(day);
  return html`<time datetime="${day.toISOString().slice(0, 10)}">${text}</time>`;
}
