// `grantctl authorization delete`: deletes one or many, named or picked from a list.
import { deleteAuthorization } from "../../api/authorizations.ts";
import { defineDelete } from "../../deletion/delete-items.ts";
import { authorizations } from "../../nouns.ts";

export const define = defineDelete(
  {
    ...authorizations,
    operation: "delete-authorization",
    effect: { ofOne: "and revoke its token", ofMany: "and revoke their tokens" },
    remove: deleteAuthorization,
  },
  "Their tokens stop working at once.",
  [
    "grantctl authorization delete",
    "grantctl authorization delete --not-updated-for 1y",
    "grantctl authorization delete 42",
    "grantctl authorization delete - --yes < ids.txt",
  ],
);
