// `grantctl grant view`: prints one grant.
import { grants } from "../../nouns.ts";
import { defineView } from "../../lists/pick-items.ts";

export const define = defineView(grants, "Show a grant's application, scopes and dates.", [
  "grantctl grant view 42",
  "grantctl grant view 42 --json scopes",
]);
