// How authorizations are shown.
import type { Authorization } from "../api/resources.ts";
import { textOf, type Presentation } from "../output/presentation.ts";
import { fieldsOf } from "../output/json-schema.ts";
import { appName, scopesOf } from "./cells.ts";
import { authorizationSchema } from "./resource-schemas.ts";

export const authorizationPresentation: Presentation<Authorization> = {
  fields: fieldsOf(authorizationSchema),
  moments: ["created_at", "updated_at"],
  toldWhenEmpty: ["scopes"],
  columns: [
    { title: "ID", field: "id", text: (item) => textOf(item.id), minimum: 8, isWhole: true },
    { title: "NOTE", field: "note", text: (item) => textOf(item.note), priority: 2 },
    { title: "APP", field: "app.name", text: (item) => appName(item.app), priority: 4 },
    { title: "SCOPES", field: "scopes", text: (item) => scopesOf(item), priority: 3 },
    {
      title: "LAST EIGHT",
      field: "token_last_eight",
      text: (item) => textOf(item.token_last_eight),
      isWhole: true,
      priority: 6,
    },
    {
      title: "FINGERPRINT",
      field: "fingerprint",
      text: (item) => textOf(item.fingerprint),
      priority: 7,
    },
    {
      title: "UPDATED",
      field: "updated_at",
      text: (item) => textOf(item.updated_at),
      isMoment: true,
      priority: 5,
    },
  ],
};
