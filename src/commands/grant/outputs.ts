// What the grant commands print as JSON.
import { deletionSchema } from "../../deletion/deletion-rows.ts";
import { printsList, printsOne, printsOneOrMany, type Outputs } from "../../shapes/command-output.ts";
import { grantSchema } from "../../shapes/resource-schemas.ts";

export const grantOutputs: Outputs = {
  "grant list": printsList("an array of grants", grantSchema),
  "grant view": printsOne("one grant", grantSchema),
  "grant delete": printsOneOrMany(
    "what became of each grant: an object, or an array for several",
    deletionSchema,
  ),
};
