// How grants are shown.
import type { Grant } from "../../api/resources.ts";
import { textOf, type Presentation } from "../../output/presentation.ts";
import { appFields, appName, dayOf, scopesOf } from "../cells.ts";

export const grantPresentation: Presentation<Grant> = {
  fields: ["id", "url", ...appFields, "created_at", "updated_at", "scopes"],
  columns: [
    { title: "ID", text: (grant) => textOf(grant.id), minimum: 8 },
    { title: "APP", text: (grant) => appName(grant.app) },
    { title: "SCOPES", text: (grant) => scopesOf(grant) },
    {
      title: "CREATED",
      text: (grant) => textOf(grant.created_at),
      short: (grant) => dayOf(grant.created_at),
      minimum: 10,
    },
    {
      title: "UPDATED",
      text: (grant) => textOf(grant.updated_at),
      short: (grant) => dayOf(grant.updated_at),
      minimum: 10,
    },
  ],
};
