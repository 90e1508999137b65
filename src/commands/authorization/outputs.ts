// What the authorization commands print as JSON.
import type { Id } from "../../api/resources.ts";
import { failureKinds } from "../../errors/errors.ts";
import type { RotationRow } from "../../delivery/rotation/rows.ts";
import { either, object, optional, orNull, text, word, type Schema } from "../../output/json-schema.ts";
import { printsList, printsOne, printsOneOrMany, type Outputs } from "../../shapes/command-output.ts";
import { deletionSchema } from "../../shapes/outcome-schemas.ts";
import { sourcesSchema, type Placed } from "../../reports/sources-schema.ts";
import {
  authorizationSchema,
  id,
  listedProperties,
  newAuthorizationSchema,
  type Listed,
} from "../../shapes/resource-schemas.ts";

/** What --dry-run says would be done. */
function plan(deed: string): Schema<{ readonly status: string }> {
  return object("Plan", "With --dry-run: what would be done.", {
    status: word<string>("what would be done", deed),
  });
}

const getOrCreatePlan = object<{
  readonly status: "would-create" | "would-find" | "would-replace";
  readonly id: Id | null;
}>("Plan", "With --dry-run: what would be done.", {
  status: word("what would be done", "would-create", "would-find", "would-replace"),
  id: orNull(id("the authorization that exists; null where there is none")),
});

const identifiedSchema = object<Placed<Listed>>(
  "Authorization",
  "An authorization whose token was given, with the places where a report found it.",
  { ...listedProperties, sources: optional(sourcesSchema) },
);

const rotation = object<RotationRow>("Rotation", "One authorization and its successor.", {
  status: word<string>(
    "what became of it; delivered is told with the value, before the old one is gone",
    "delivered",
    "rotated",
    "old-kept",
    "would-rotate",
    "unproven",
    "not-tried",
    ...failureKinds,
  ),
  id_before: id("the old authorization's identifier"),
  id: orNull(id("the new authorization's identifier; null where there is none")),
  token: orNull(text("the new value; empty where it went elsewhere, null where there is none")),
  note: orNull(text("what both are for")),
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
  "authorization identify": printsList("an array of the authorizations that match", identifiedSchema),
  "authorization update": printsOne(
    "the authorization as it is now",
    either(authorizationSchema, plan("would-update")),
  ),
  "authorization rotate": printsOneOrMany(
    "the new token in the place of the old one: an object, or an array for several",
    rotation,
  ),
  "authorization delete": printsOneOrMany(
    "what became of each authorization: an object, or an array for several",
    deletionSchema,
  ),
};
