// What the auth commands print as JSON.
import { printsList, printsNothing, printsWhole, type Outputs } from "../../shapes/command-output.ts";
import { statusRowSchema } from "./status-row.ts";
import { loginSchema } from "./report-login.ts";

export const authOutputs: Outputs = {
  "auth login": printsWhole("who logged in where", loginSchema),
  "auth logout": printsNothing,
  "auth status": printsList(
    "an array of the parts of the credentials, each with where it comes from",
    statusRowSchema,
  ),
};
