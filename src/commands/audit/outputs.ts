// What an audit prints as JSON.
import { auditSchema } from "../../audit/documents/audit-schema.ts";
import { printsOne, type Outputs } from "../../shapes/command-output.ts";

export const auditOutputs: Outputs = { audit: printsOne("an audit of the account", auditSchema) };
