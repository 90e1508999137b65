// The account's settings in a browser: who has access, and buttons to revoke it. Routes and contents.
//
// The URL alone gives access: it contains a key that changes with every start and is printed when the sandbox starts.
// So a browser has no session that a foreign page could misuse, and two-factor authentication needs no page of its own.
// A wrong key leads to the same 404 everywhere.
//
// Applications are listed exactly like grants (the specification, 1), in pages. Revoking one requires a confirmation
// page; withdrawing an approval of a personal token does not, because it can be granted again. After either, the
// browser is redirected to the list, which then reports the change.
import { type ServiceResponse, Refusal } from "../http/response.ts";
import type { JsonObject } from "../http/request.ts";
import { isSameText } from "../identity/secrets.ts";
import { offsetOf, type Page, readPage } from "../operations/lists.ts";
import { type Call, type HandlerOptions, readId, route, type Route } from "../operations/operation.ts";
import { findOrganization } from "../seed/organizations.ts";
import type { GrantRecord } from "../store/access.ts";
import type { AccountRecord, ApprovalRecord } from "../store/store.ts";
import { listScopes } from "./approval.ts";
import { type Forms, formText } from "./forms.ts";
import { html, type Html, htmlPage, messagePage, redirectTo, showChosenText } from "./layout.ts";

interface SettingsOptions {
  readonly forms: Forms;
  readonly key: string;
  readonly login: string;
}

const pageSize = 25;
const mostApprovals = 100;

/**
 * The routes of the settings. `key` is the secret part of their URL, `login` the account.
 */
export function createSettingsRoutes(
  { store }: HandlerOptions,
  { forms, key, login }: SettingsOptions,
): readonly Route<null>[] {
  function admit(given: string): AccountRecord {
    const account = store.accounts.findByLogin(login);
    if (account === undefined || !isSameText(given, key)) throw new Refusal(strangerResponse());
    return account;
  }

  const admitReader = ({ request }: Call<null>): AccountRecord =>
    admit(new URLSearchParams(request.query).get("key") ?? "");

  /** Throws a Refusal for a form that must not be carried out. */
  function admitForm({ request, body }: Call<null>, purpose: (form: JsonObject) => string): AccountRecord {
    const account = admit(formText(body, "key"));
    const refusal = forms.refuse(request, body, purpose(body));
    if (refusal !== null) throw new Refusal(refusal);
    return account;
  }

  function findGrant(account: AccountRecord, { variables }: Call<null>): GrantRecord {
    const grant = store.grants.find(account.id, readId(variables["grant_id"]));
    if (grant === undefined) throw new Refusal(noGrantResponse());
    return grant;
  }

  function noGrantResponse(): ServiceResponse {
    const back = settingsAddress(key);
    return messagePage(
      404,
      "No such application",
      html`It has no access, or has lost it in the meantime.`,
      html`<a href="${back}">Back to the applications</a>`,
    );
  }

  function show(call: Call<null>): ServiceResponse {
    const account = admitReader(call);
    const { query } = call.request;
    const grantCount = store.grants.count(account.id, null);
    const last = Math.max(Math.ceil(grantCount / pageSize), 1);
    const page = { number: Math.min(readPage(query, pageSize).number, last), size: pageSize };
    const done = new URLSearchParams(query).get("done");
    return settingsResponse({
      login,
      key,
      page,
      grants: store.grants.list(account.id, null, page.size, offsetOf(page)),
      grantCount,
      approvals: store.approvals.list(account.id, mostApprovals).map((approval) => ({
        approval,
        once: forms.issue(`withdraw ${approval.authorizationId} ${approval.organizationId}`),
      })),
      done: done === "revoked" || done === "withdrawn" ? done : null,
    });
  }

  function confirm(call: Call<null>): ServiceResponse {
    const grant = findGrant(admitReader(call), call);
    return askBeforeRevoking(login, grant, key, forms.issue(`revoke ${grant.id}`));
  }

  function revoke(call: Call<null>): ServiceResponse {
    const account = admitForm(call, () => `revoke ${call.variables["grant_id"]}`);
    store.transaction(() => store.access.removeGrant(account.id, findGrant(account, call).applicationId));
    return redirectTo(pageAddress(settingsPath, key, { done: "revoked" }));
  }

  function withdraw(call: Call<null>): ServiceResponse {
    const { body } = call;
    admitForm(call, (form) => `withdraw ${formText(form, "token")} ${formText(form, "organization")}`);
    store.transaction(() =>
      store.approvals.remove(Number(formText(body, "token")), Number(formText(body, "organization"))),
    );
    return redirectTo(pageAddress(settingsPath, key, { done: "withdrawn" }));
  }

  const revokeTemplate = `${settingsPath}/:grant_id/revoke`;
  return [
    route(`GET ${settingsPath}`, show),
    route(`GET ${revokeTemplate}`, confirm),
    route(`POST ${revokeTemplate}`, revoke, "form"),
    route(`POST ${withdrawPath}`, withdraw, "form"),
  ];
}

function strangerResponse(): ServiceResponse {
  return messagePage(
    404,
    "This URL is not valid",
    html`The URL of the settings changes each time the sandbox starts.`,
    html`<code>grantctl sandbox start</code> prints it.`,
  );
}

interface Settings {
  readonly login: string;
  /** The key that gives access, in every URL and form. */
  readonly key: string;
  readonly grants: readonly GrantRecord[];
  readonly grantCount: number;
  readonly page: Page;
  /** The approvals, each with the single-use value of its form. */
  readonly approvals: readonly { readonly approval: ApprovalRecord; readonly once: string }[];
  /** The change that was just made; null for none. */
  readonly done: "revoked" | "withdrawn" | null;
}

const settingsPath = "/settings/applications";
const withdrawPath = "/settings/approvals/withdraw";

/** The path of the settings, below the base URL. */
export function settingsAddress(key: string): string {
  return pageAddress(settingsPath, key);
}

function pageAddress(path: string, key: string, more: Readonly<Record<string, string>> = {}): string {
  return `${path}?${new URLSearchParams({ key, ...more }).toString()}`;
}

function revokePath(grant: Pick<GrantRecord, "id">): string {
  return `${settingsPath}/${grant.id}/revoke`;
}

/** The page with the applications that have access, and the personal tokens that were approved. */
function settingsResponse(settings: Settings): ServiceResponse {
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

/** Asks before an application loses its access. */
function askBeforeRevoking(login: string, grant: GrantRecord, key: string, once: string): ServiceResponse {
  return htmlPage(
    200,
    "Revoke access",
    html`<section>
      <h1>Revoke the access of ${showChosenText(grant.application.name)}?</h1>
      <p>
        All its tokens for ${login} are revoked at once, and programs that use them stop working. This cannot
        be undone.
      </p>
      <p class="quiet">Its scopes:</p>
      ${listScopes(grant.scopes)}
      <form method="post" action="${revokePath(grant)}">
        <input type="hidden" name="key" value="${key}" />
        <input type="hidden" name="once" value="${once}" />
        <div class="actions">
          <button class="button danger">Revoke access</button>
          <a class="button" href="${settingsAddress(key)}">Keep it</a>
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
      <h2>${showChosenText(application.name)}</h2>
      <p class="quiet">
        ${showChosenText(application.url)}<br />since ${showDay(createdAt)}, last changed
        ${showDay(updatedAt)}
      </p>
      ${listScopes(scopes)}
    </div>
    <a
      class="button warn"
      href="${pageAddress(revokePath(grant), key)}"
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
      : html`<a href="${pageAddress(settingsPath, key, { page: String(number) })}">${text}</a>`;
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
