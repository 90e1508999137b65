// `grantctl authorization view`: prints one authorization.
import { authorizations } from "../../nouns.ts";
import { defineView } from "../../lists/pick-items.ts";

export const define = defineView(authorizations, "Show an authorization, without the value of its token.", [
  "grantctl authorization view 42",
  "grantctl authorization view 42 --json note,scopes",
]);
