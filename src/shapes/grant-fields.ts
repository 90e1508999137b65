// How grants are shown.
import type { Grant } from "../api/resources.ts";
import { textOf, type Presentation } from "../output/presentation.ts";
import { appFields, appName, scopesOf, userFields } from "./cells.ts";

export const grantPresentation: Presentation<Grant> = {
  moments: ["created_at", "updated_at"],
  toldWhenEmpty: ["scopes"],
  fields: ["id", "url", ...appFields, "created_at", "updated_at", "scopes", ...userFields],
  columns: [
    { title: "ID", field: "id", text: (grant) => textOf(grant.id), minimum: 8, isWhole: true },
    { title: "APP", text: (grant) => appName(grant.app) },
    { title: "SCOPES", text: (grant) => scopesOf(grant), priority: 2 },
    {
      title: "CREATED",
      text: (grant) => textOf(grant.created_at),
      isMoment: true,
      priority: 4,
    },
    {
      title: "UPDATED",
      text: (grant) => textOf(grant.updated_at),
      isMoment: true,
      priority: 3,
    },
  ],
};
