// `grantctl grant delete`: deletes one or many, named or picked from a list.
import { deleteGrant } from "../../api/grants.ts";
import { defineDelete } from "../../deletion/delete-items.ts";
import { grants } from "../../nouns.ts";

export const define = defineDelete(
  {
    ...grants,
    operation: "delete-grant",
    effect: { ofOne: "and revoke all its tokens", ofMany: "and revoke all their tokens" },
    remove: deleteGrant,
  },
  "Each application loses access to your account, and all its tokens for the account are revoked.",
  [
    "grantctl grant delete",
    "grantctl grant delete --not-updated-for 1y",
    "grantctl grant delete 42",
    "grantctl grant list --not-updated-for 1y | grantctl grant delete - --dry-run",
  ],
);
