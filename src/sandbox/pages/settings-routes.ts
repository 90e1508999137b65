// The routes of the account's settings, which show who has access and revoke it. The address alone gives access: it
// holds a key that changes with every start and is printed when the sandbox starts. So a browser has no session that a
// foreign page could misuse, and two-factor authentication needs no page of its own.
import { Refusal, type Answer } from "../http/answer.ts";
import { offsetOf, readPage } from "../http/pages.ts";
import type { JsonObject } from "../http/request-body.ts";
import { route, type Call, type Route } from "../http/routes.ts";
import { isSameText } from "../identity/secrets.ts";
import type { SingleUseValues } from "../identity/single-use-values.ts";
import { readId, type HandlerOptions } from "../handlers/handler-options.ts";
import type { AccountRecord } from "../store/account-store.ts";
import type { GrantRecord } from "../store/grant-store.ts";
import { refuseForm, textOf } from "./forms.ts";
import { html } from "./html.ts";
import { answerMessage, seeOther } from "./layout.ts";
import {
  answerSettings,
  askBeforeRevoking,
  settingsAddress,
  settingsPath,
  withdrawPath,
} from "./settings-pages.ts";

export interface SettingsOptions {
  readonly values: SingleUseValues;
  readonly key: string;
  readonly login: string;
}

const pageSize = 25;
const mostApprovals = 100;

/**
 * The routes of the settings. `key` is the secret part of their address, `login` the account that they are about.
 */
export function createSettingsRoutes(
  { store }: HandlerOptions,
  { values, key, login }: SettingsOptions,
): readonly Route<null>[] {
  function admit(given: string): AccountRecord {
    const account = store.accounts.findByLogin(login);
    if (account === undefined || !isSameText(given, key)) throw new Refusal(answerStranger());
    return account;
  }

  const admitReader = ({ request }: Call<null>): AccountRecord =>
    admit(new URLSearchParams(request.query).get("key") ?? "");

  /** Throws a Refusal for a form that must not be carried out. */
  function admitForm({ request, body }: Call<null>, purpose: (form: JsonObject) => string): AccountRecord {
    const account = admit(textOf(body, "key"));
    const refusal = refuseForm(request, body, values, purpose(body));
    if (refusal !== null) throw new Refusal(refusal);
    return account;
  }

  function findGrant(account: AccountRecord, { variables }: Call<null>): GrantRecord {
    const grant = store.grants.find(account.id, readId(variables["grant_id"]));
    if (grant === undefined) throw new Refusal(answerNoGrant());
    return grant;
  }

  function answerNoGrant(): Answer {
    const back = settingsAddress(settingsPath, key);
    return answerMessage(
      404,
      "No such application",
      html`It has no access, or has lost it in the meantime.`,
      html`<a href="${back}">Back to the applications</a>`,
    );
  }

  function show(call: Call<null>): Answer {
    const account = admitReader(call);
    const { query } = call.request;
    const grantCount = store.grants.count(account.id, null);
    const last = Math.max(Math.ceil(grantCount / pageSize), 1);
    const page = { number: Math.min(readPage(query, pageSize).number, last), size: pageSize };
    const done = new URLSearchParams(query).get("done");
    return answerSettings({
      login,
      key,
      page,
      grants: store.grants.list(account.id, null, page.size, offsetOf(page)),
      grantCount,
      approvals: store.approvals.list(account.id, mostApprovals).map((approval) => ({
        approval,
        once: values.issue(`withdraw ${approval.authorizationId} ${approval.organizationId}`),
      })),
      done: done === "revoked" || done === "withdrawn" ? done : null,
    });
  }

  function confirm(call: Call<null>): Answer {
    const grant = findGrant(admitReader(call), call);
    return askBeforeRevoking(login, grant, key, values.issue(`revoke ${grant.id}`));
  }

  function revoke(call: Call<null>): Answer {
    const account = admitForm(call, () => `revoke ${call.variables["grant_id"]}`);
    store.transaction(() => store.access.removeGrant(account.id, findGrant(account, call).applicationId));
    return seeOther(settingsAddress(settingsPath, key, { done: "revoked" }));
  }

  function withdraw(call: Call<null>): Answer {
    const { body } = call;
    admitForm(call, (form) => `withdraw ${textOf(form, "token")} ${textOf(form, "organization")}`);
    store.transaction(() =>
      store.approvals.remove(Number(textOf(body, "token")), Number(textOf(body, "organization"))),
    );
    return seeOther(settingsAddress(settingsPath, key, { done: "withdrawn" }));
  }

  const revokeTemplate = `${settingsPath}/:grant_id/revoke`;
  return [
    route(`GET ${settingsPath}`, show),
    route(`GET ${revokeTemplate}`, confirm),
    route(`POST ${revokeTemplate}`, revoke, "form"),
    route(`POST ${withdrawPath}`, withdraw, "form"),
  ];
}

function answerStranger(): Answer {
  return answerMessage(
    404,
    "This address leads nowhere",
    html`The address of the settings changes each time the sandbox starts.`,
    html`<code>grantctl sandbox start</code> prints it.`,
  );
}
