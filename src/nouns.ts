// Grants and authorizations: how each is listed, read and shown, and what other modules also ask about them.
import { getAuthorization, listAuthorizations } from "./api/authorizations.ts";
import { getGrant, listGrants } from "./api/grants.ts";
import { isPersonal, type Authorization, type Grant, type ResourceName } from "./api/resources.ts";
import { withCommas } from "./errors/words.ts";
import type { ListOperation } from "./http/pages.ts";
import type { Service } from "./http/service.ts";
import { column, cellText, type Presentation } from "./output/presentation.ts";

export interface Noun<Item extends object> {
  readonly name: ResourceName;
  readonly list: ListOperation<Item>;
  readonly read: (service: Service, id: string) => Promise<Item>;
  readonly presentation: Presentation<Item>;
  /** The names that a person recognises: the note and the application; empty if it has neither. */
  readonly namesOf: (item: Item) => readonly string[];
}

const appFields = "app app.name app.client_id app.url";
const userFields =
  "user user.login user.id user.node_id user.avatar_url user.gravatar_id user.url user.html_url user.followers_url " +
  "user.following_url user.gists_url user.starred_url user.subscriptions_url user.organizations_url user.repos_url " +
  "user.events_url user.received_events_url user.type user.site_admin";

export const authorizations: Noun<Authorization> = {
  name: "authorization",
  list: listAuthorizations,
  read: getAuthorization,
  presentation: {
    fields:
      `id url ${appFields} token hashed_token token_last_eight note note_url created_at updated_at scopes
fingerprint expires_at installation`.split(/\s/),
    columns: [
      column("ID", "id", { isWhole: true }),
      column("NOTE", "note", { priority: 2 }),
      // Of a personal token, the server reports its note again.
      column("APP", "app.name", {
        priority: 4,
        text: (item) => (isPersonal(item) ? "" : cellText(item.app?.name)),
      }),
      column("SCOPES", "scopes", { priority: 3 }),
      column("LAST EIGHT", "token_last_eight", { isWhole: true, priority: 6 }),
      column("FINGERPRINT", "fingerprint", { priority: 7 }),
      column("UPDATED", "updated_at", { priority: 5 }),
    ],
  },
  namesOf,
};

export const grants: Noun<Grant> = {
  name: "grant",
  list: listGrants,
  read: getGrant,
  presentation: {
    fields: `id url ${appFields} created_at updated_at scopes ${userFields}`.split(" "),
    columns: [
      column("ID", "id", { isWhole: true }),
      column("APP", "app.name"),
      column("SCOPES", "scopes", { priority: 2 }),
      column("CREATED", "created_at", { priority: 4 }),
      column("UPDATED", "updated_at", { priority: 3 }),
    ],
  },
  namesOf,
};

/** The server reports the note of a personal token as its application, too. */
function namesOf({ note, app }: Partial<Pick<Authorization, "note" | "app">>): readonly string[] {
  return [...new Set([cellText(note), cellText(app?.name)])].filter((name) => name !== "");
}

/** The statement that the account has none of these items, of the type with this name. */
export function noneExists(name: string): (count: number, ids: readonly string[]) => string {
  return (count, [id = ""]) =>
    count === 1 ? `${name} ${id} does not exist` : `none of the ${withCommas(count)} ${name}s exists`;
}
