// The account's settings in a browser: who has access, and buttons to revoke it.
//
// The URL alone gives access: it contains a key that is created at each start and printed. So a browser has no session
// that a foreign page could misuse, and two-factor authentication needs no page. A wrong key results in the same 404 on
// every page.
//
// The list of applications equals the list of grants (the specification, 1), in pages. Revoking an application requires
// confirmation on another page; withdrawing a personal token's approval does not, because it can be granted again.
// After either, the browser is redirected to the list, which then reports the change.
import { type ServiceResponse, Refusal } from "../http/response.ts";
import { equalsConstantTime } from "../identity/secrets.ts";
import { readPage } from "../operations/lists.ts";
import { type Call, type HandlerContext, readId, route, type Route } from "../operations/operation.ts";
import { findOrganization } from "../seed/organizations.ts";
import type { GrantRecord } from "../store/access.ts";
import type { AccountRecord, ApprovalRecord } from "../store/store.ts";
import { showScopes } from "./approval.ts";
import { type Forms, formText } from "./forms.ts";
import { html, type Html, htmlPage, messagePage, redirectAfterForm, showUntrustedText } from "./layout.ts";

interface SettingsOptions {
  readonly forms: Forms;
  /** The secret part of the URLs. */
  readonly key: string;
  readonly login: string;
}

const pageSize = 25;
const maxListedApprovals = 100;

export function createSettingsRoutes(
  { store }: HandlerContext,
  { forms, key, login }: SettingsOptions,
): readonly Route<null>[] {
  function requireKey(sentKey: string): AccountRecord {
    const account = store.accounts.findByLogin(login);
    if (account === undefined || !equalsConstantTime(sentKey, key)) throw new Refusal(invalidUrlPage());
    return account;
  }

  const requireKeyInQuery = ({ request }: Call<null>): AccountRecord =>
    requireKey(new URLSearchParams(request.query).get("key") ?? "");

  function requireValidForm(call: Call<null>, purpose: string): AccountRecord {
    const account = requireKey(formText(call.body, "key"));
    forms.check(call, purpose);
    return account;
  }

  function findGrant(account: AccountRecord, { variables }: Call<null>): GrantRecord {
    const grant = store.grants.find(account.id, readId(variables["grant_id"]));
    if (grant === undefined) throw new Refusal(unknownGrantPage());
    return grant;
  }

  function unknownGrantPage(): ServiceResponse {
    const back = settingsUrlPath(key);
    return messagePage(
      404,
      "No such application",
      html`It has no access, or has lost it in the meantime.`,
      html`<a href="${back}">Back to the applications</a>`,
    );
  }

  function show(call: Call<null>): ServiceResponse {
    const account = requireKeyInQuery(call);
    const { query } = call.request;
    const grants = store.grants.of(account.id);
    const grantCount = grants.count();
    const last = Math.max(Math.ceil(grantCount / pageSize), 1);
    const page = Math.min(readPage(query, pageSize).number, last);
    const done = new URLSearchParams(query).get("done");
    return settingsPage({
      login,
      key,
      page,
      grants: grants.list(pageSize, (page - 1) * pageSize),
      grantCount,
      approvals: store.approvals.list(account.id, maxListedApprovals).map((approval) => ({
        approval,
        nonce: forms.issue(`withdraw ${approval.authorizationId} ${approval.organizationId}`),
      })),
      done: done === "revoked" || done === "withdrawn" ? done : null,
    });
  }

  function confirm(call: Call<null>): ServiceResponse {
    const grant = findGrant(requireKeyInQuery(call), call);
    return revokeConfirmationPage(login, grant, key, forms.issue(`revoke ${grant.id}`));
  }

  function revoke(call: Call<null>): ServiceResponse {
    const account = requireValidForm(call, `revoke ${call.variables["grant_id"]}`);
    store.transaction(() => store.access.removeGrant(account.id, findGrant(account, call).application.id));
    return redirectAfterForm(pathWithKey(settingsPath, key, { done: "revoked" }));
  }

  function withdraw(call: Call<null>): ServiceResponse {
    const token = formText(call.body, "token");
    const organization = formText(call.body, "organization");
    requireValidForm(call, `withdraw ${token} ${organization}`);
    store.transaction(() => store.approvals.remove(Number(token), Number(organization)));
    return redirectAfterForm(pathWithKey(settingsPath, key, { done: "withdrawn" }));
  }

  const revokeTemplate = `${settingsPath}/:grant_id/revoke`;
  return [
    route(`GET ${settingsPath}`, show),
    route(`GET ${revokeTemplate}`, confirm),
    route(`POST ${revokeTemplate}`, revoke, "form"),
    route(`POST ${withdrawPath}`, withdraw, "form"),
  ];
}

function invalidUrlPage(): ServiceResponse {
  return messagePage(
    404,
    "This URL is not valid",
    html`The URL of the settings changes each time the sandbox starts.`,
    html`<code>grantctl sandbox start</code> prints it.`,
  );
}

interface Settings {
  readonly login: string;
  readonly key: string;
  readonly grants: readonly GrantRecord[];
  readonly grantCount: number;
  /** From 1. */
  readonly page: number;
  /** Each with the nonce of its form. */
  readonly approvals: readonly { readonly approval: ApprovalRecord; readonly nonce: string }[];
  /** The change that was just made, or null. */
  readonly done: "revoked" | "withdrawn" | null;
}

const settingsPath = "/settings/applications";
const withdrawPath = "/settings/approvals/withdraw";

export function settingsUrlPath(key: string): string {
  return pathWithKey(settingsPath, key);
}

function pathWithKey(path: string, key: string, more: Readonly<Record<string, string>> = {}): string {
  return `${path}?${new URLSearchParams({ key, ...more }).toString()}`;
}

function revokePath(grant: Pick<GrantRecord, "id">): string {
  return `${settingsPath}/${grant.id}/revoke`;
}

function settingsPage(settings: Settings): ServiceResponse {
  const { login, grantCount } = settings;
  const count = grantCount === 1 ? "One application has" : `${grantCount || "No"} applications have`;
  return htmlPage(
    200,
    "Authorized applications",
    html`${showDone(settings.done)}
      <section>
        <h1>Authorized applications</h1>
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

function revokeConfirmationPage(
  login: string,
  grant: GrantRecord,
  key: string,
  nonce: string,
): ServiceResponse {
  return htmlPage(
    200,
    "Revoke access",
    html`<section>
      <h1>Revoke the access of ${showUntrustedText(grant.application.name)}?</h1>
      <p>
        All its tokens for ${login} are revoked at once, and programs that use them stop working. This cannot
        be undone.
      </p>
      <p class="quiet">Its scopes:</p>
      ${showScopes(grant.scopes)}
      <form method="post" action="${revokePath(grant)}">
        <input type="hidden" name="key" value="${key}" />
        <input type="hidden" name="once" value="${nonce}" />
        <div class="actions">
          <button class="button danger">Revoke access</button>
          <a class="button" href="${settingsUrlPath(key)}">Keep it</a>
        </div>
      </form>
    </section>`,
  );
}

function showDone(done: Settings["done"]): Html {
  if (done === null) return html``;
  const text = done === "revoked" ? "The application no longer has access." : "The approval was withdrawn.";
  return html`<p class="card done" role="status">${text}</p> `;
}

function showGrant(grant: GrantRecord, key: string): Html {
  const { application, scopes, createdAt, updatedAt } = grant;
  return html`<li>
    <div>
      <h2>${showUntrustedText(application.name)}</h2>
      <p class="quiet">
        ${showUntrustedText(application.url)}<br />since ${showDay(createdAt)}, last changed
        ${showDay(updatedAt)}
      </p>
      ${showScopes(scopes)}
    </div>
    <a
      class="button warn"
      href="${pathWithKey(revokePath(grant), key)}"
      aria-label="Revoke the access of ${application.name}"
      >Revoke</a
    >
  </li> `;
}

function showPages({ key, page, grantCount }: Settings): Html {
  const last = Math.ceil(grantCount / pageSize);
  if (last <= 1) return html``;
  const link = (number: number, text: string): Html =>
    number < 1 || number > last
      ? html`<span></span>`
      : html`<a href="${pathWithKey(settingsPath, key, { page: String(number) })}">${text}</a>`;
  return html`<nav aria-label="Pages">
    ${link(page - 1, "Previous")}<span>Page ${page} of ${last}</span>${link(page + 1, "Next")}
  </nav> `;
}

function showApprovals({ key, approvals }: Settings): Html {
  if (approvals.length === 0) {
    return html`<p class="quiet">
      No personal token is approved for an organization. The tokens of applications need no approval.
    </p> `;
  }
  const rows = approvals.map(({ approval, nonce }) => {
    const organization = findOrganization(approval.organizationId)?.login ?? "";
    return html`<li>
      <div>
        <strong>${organization}</strong>
        <p class="quiet">
          ${showUntrustedText(approval.note ?? "without a note")}<br />ends in
          <code>${approval.tokenLastEight}</code>, approved ${showDay(approval.approvedAt)}
        </p>
      </div>
      <form method="post" action="${withdrawPath}">
        <input type="hidden" name="key" value="${key}" />
        <input type="hidden" name="once" value="${nonce}" />
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

/** Shows a date as `20 November 2026`, in UTC. */
function showDay(seconds: number): Html {
  const day = new Date(seconds * 1000);
  const text = new Intl.DateTimeFormat("en-GB", { dateStyle: "long", timeZone: "UTC" }).format(day);
  return html`<time datetime="${day.toISOString().slice(0, 10)}">${text}</time>`;
}
