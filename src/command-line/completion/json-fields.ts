// Which fields --json may name, by command: what each command checks its list against. A command that prints what the
// service answers, or no list of fields, is not here.
import { auditFields } from "../../audit/documents/json.ts";
import { statusPresentation } from "../../commands/auth/status-rows.ts";
import { authorizationPresentation } from "../../shapes/authorization-fields.ts";
import { inspectedTokenPresentation } from "../../shapes/inspected-token.ts";
import { withPlaces } from "../../reports/places.ts";
import type { Presentation } from "../../output/presentation.ts";
import { settingPresentation } from "../../commands/config/setting-rows.ts";
import { deletionPresentation } from "../../deletion/deletion-rows.ts";
import { rotationPresentation } from "../../delivery/rotation/rows.ts";
import { doctorPresentation } from "../../commands/doctor/doctor.ts";
import { grantPresentation } from "../../shapes/grant-fields.ts";
import { leftoverPresentation } from "../../commands/recover/leftover-rows.ts";
import { codesPresentation } from "../../commands/sandbox/codes.ts";
import { keptValuePresentation } from "../../commands/recover/print-values.ts";
import { schemaPresentation } from "../../commands/schema/schema.ts";
import { checkedTokenPresentation, itemPresentation, resetPresentation } from "../../shapes/token-fields.ts";

/** The fields by the command's words. */
export type JsonFields = Readonly<Record<string, readonly string[]>>;

export const jsonFields: JsonFields = {
  "grant list": grantPresentation.fields,
  "grant view": grantPresentation.fields,
  "grant delete": deletionPresentation.fields,
  "authorization list": authorizationPresentation.fields,
  "authorization view": authorizationPresentation.fields,
  "authorization create": authorizationPresentation.fields,
  "authorization get-or-create": authorizationPresentation.fields,
  "authorization update": authorizationPresentation.fields,
  "authorization rotate": rotationPresentation.fields,
  "authorization identify": withSources(authorizationPresentation),
  "authorization delete": deletionPresentation.fields,
  "token check": withSources(checkedTokenPresentation),
  "token inspect": withSources(inspectedTokenPresentation),
  "token reset": withSources(resetPresentation),
  "token revoke": withSources(itemPresentation([])),
  "token revoke-grant": withSources(itemPresentation([])),
  audit: auditFields,
  "auth status": statusPresentation.fields,
  "recover list": leftoverPresentation.fields,
  "recover show": keptValuePresentation.fields,
  "config get": settingPresentation.fields,
  "config list": settingPresentation.fields,
  "sandbox codes": codesPresentation.fields,
  doctor: doctorPresentation.fields,
  schema: schemaPresentation.fields,
};

function withSources<T extends object>(presentation: Presentation<T>): readonly string[] {
  return withPlaces(presentation, false).fields;
}
