// What the authorization commands print as JSON.
import { rotationSchema } from "../../delivery/rotation/rows.ts";
import { either, objectWith, orNull, word, type Schema } from "../../output/json-schema.ts";
import { deletionSchema } from "../../deletion/deletion-rows.ts";
import { printsList, printsOne, printsOneOrMany, type Outputs } from "../../shapes/command-output.ts";
import { placed } from "../../reports/sources-schema.ts";
import { authorizationSchema, id, newAuthorizationSchema } from "../../shapes/resource-schemas.ts";

function plan(deed: string): Schema<{ readonly status: string }> {
  return objectWith("Plan", "With --dry-run: what would be done.", {
    status: word<string>("what would be done", deed),
  });
}

const getOrCreatePlan = objectWith("Plan", "With --dry-run: what would be done.", {
  status: word("what would be done", "would-create", "would-find", "would-replace"),
  id: orNull(id("the authorization that exists; null where there is none")),
});

export const authorizationOutputs: Outputs = {
  "authorization list": printsList("an array of authorizations", authorizationSchema),
  "authorization view": printsOne("one authorization", authorizationSchema),
  "authorization create": printsOne(
    "the new authorization with its token's value",
    either(newAuthorizationSchema, plan("would-create")),
  ),
  "authorization get-or-create": printsOne(
    "the new authorization with its token's value, or the one that existed without it",
    either(newAuthorizationSchema, either(authorizationSchema, getOrCreatePlan)),
  ),
  "authorization identify": printsList(
    "an array of the authorizations that match",
    placed(authorizationSchema),
  ),
  "authorization update": printsOne(
    "the authorization as it is now",
    either(authorizationSchema, plan("would-update")),
  ),
  "authorization rotate": printsOneOrMany(
    "the new token in the place of the old one: an object, or an array for several",
    rotationSchema,
  ),
  "authorization delete": printsOneOrMany(
    "what became of each authorization: an object, or an array for several",
    deletionSchema,
  ),
};
