// How grants are shown.
import { column, present } from "../output/presentation.ts";
import { grantSchema } from "./resource-schemas.ts";

export const grantPresentation = present(
  grantSchema,
  [
    column("ID", "id", { minimum: 8, isWhole: true }),
    column("APP", "app.name"),
    column("SCOPES", "scopes", { priority: 2 }),
    column("CREATED", "created_at", { isMoment: true, priority: 4 }),
    column("UPDATED", "updated_at", { isMoment: true, priority: 3 }),
  ],
  { moments: ["created_at", "updated_at"], toldWhenEmpty: ["scopes"] },
);
