// `grantctl grant list`: prints the account's grants.
import { defineList } from "../../lists/filtered-list.ts";
import { grants } from "../../nouns.ts";

export const define = defineList(
  grants,
  "List the applications that can access your account. Each application has one grant, which covers the scopes of all its tokens.",
  [
    "grantctl grant list",
    "grantctl grant list --json id,app.name",
    "grantctl grant list --scope repo --sort updated_at --limit 10",
    "grantctl grant list --older-than 90d | grantctl grant delete - --dry-run",
  ],
);
