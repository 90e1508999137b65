// How grants are shown.
import type { Grant } from "../api/resources.ts";
import { textOf, type Presentation } from "../output/presentation.ts";
import { fieldsOf } from "../output/json-schema.ts";
import { appName, scopesOf } from "./cells.ts";
import { grantSchema } from "./resource-schemas.ts";

export const grantPresentation: Presentation<Grant> = {
  moments: ["created_at", "updated_at"],
  toldWhenEmpty: ["scopes"],
  fields: fieldsOf(grantSchema),
  columns: [
    { title: "ID", field: "id", text: (grant) => textOf(grant.id), minimum: 8, isWhole: true },
    { title: "APP", field: "app.name", text: (grant) => appName(grant.app) },
    { title: "SCOPES", field: "scopes", text: (grant) => scopesOf(grant), priority: 2 },
    {
      title: "CREATED",
      field: "created_at",
      text: (grant) => textOf(grant.created_at),
      isMoment: true,
      priority: 4,
    },
    {
      title: "UPDATED",
      field: "updated_at",
      text: (grant) => textOf(grant.updated_at),
      isMoment: true,
      priority: 3,
    },
  ],
};
