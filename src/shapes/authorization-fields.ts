// How authorizations are shown.
import { column, present } from "../output/presentation.ts";
import { authorizationSchema } from "./resource-schemas.ts";

export const authorizationPresentation = present(
  authorizationSchema,
  [
    column("ID", "id", { minimum: 8, isWhole: true }),
    column("NOTE", "note", { priority: 2 }),
    column("APP", "app.name", { priority: 4 }),
    column("SCOPES", "scopes", { priority: 3 }),
    column("LAST EIGHT", "token_last_eight", { isWhole: true, priority: 6 }),
    column("FINGERPRINT", "fingerprint", { priority: 7 }),
    column("UPDATED", "updated_at", { isMoment: true, priority: 5 }),
  ],
  { moments: ["created_at", "updated_at"], toldWhenEmpty: ["scopes"] },
);
