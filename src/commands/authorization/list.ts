// `grantctl authorization list`: prints the account's authorizations.
import { defineList } from "../../lists/filtered-list.ts";
import { authorizations } from "../../nouns.ts";

export const define = defineList(
  authorizations,
  "List the account's authorizations, for both personal tokens and application tokens. Token values are not shown.",
  [
    "grantctl authorization list",
    "grantctl authorization list --json id,note,token_last_eight",
    'grantctl authorization list --note "nightly backup" --not-updated-for 1y --sort updated_at',
  ],
);
