// What `--dry-run` of commands for one authorization prints as JSON.
import { objectWith, orNull, word, type Schema } from "../../schema/json-schema.ts";
import { id } from "../../schema/resources.ts";

/** The plan of a command that does one thing. */
export function plan(deed: string): Schema<{ readonly status: string }> {
  return objectWith("Plan", "With --dry-run: what would be done.", {
    status: word<string>("what would be done", deed),
  });
}

export const getOrCreatePlan = objectWith("Plan", "With --dry-run: what would be done.", {
  status: word("what would be done", "would-create", "would-find", "would-replace"),
  id: orNull(id("the authorization that exists; null where there is none")),
});
