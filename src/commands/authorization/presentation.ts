// How authorizations are shown.
import type { Authorization } from "../../api/resources.ts";
import { textOf, type Presentation } from "../../output/presentation.ts";
import { appFields, appName, dayOf, scopesOf } from "../cells.ts";

export const authorizationPresentation: Presentation<Authorization> = {
  fields: [
    "id",
    "url",
    ...appFields,
    "token",
    "hashed_token",
    "token_last_eight",
    "note",
    "note_url",
    "created_at",
    "updated_at",
    "scopes",
    "fingerprint",
  ],
  columns: [
    { title: "ID", text: (item) => textOf(item.id), minimum: 8 },
    { title: "NOTE", text: (item) => textOf(item.note) },
    { title: "APP", text: (item) => appName(item.app) },
    { title: "SCOPES", text: (item) => scopesOf(item) },
    { title: "LAST EIGHT", text: (item) => textOf(item.token_last_eight), minimum: 10 },
    { title: "FINGERPRINT", text: (item) => textOf(item.fingerprint) },
    {
      title: "UPDATED",
      text: (item) => textOf(item.updated_at),
      short: (item) => dayOf(item.updated_at),
      minimum: 10,
    },
  ],
};
