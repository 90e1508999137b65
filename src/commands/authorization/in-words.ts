// One authorization in a question or a plan.
import type { Authorization } from "../../api/resources.ts";
import { namesInBrackets } from "../../deletion/question.ts";
import { toJson } from "../../json/exact-json.ts";
import { namesOfAuthorization } from "../../printing/resources.ts";

/** The authorization with its ID and its names, which are marked as foreign text. */
export function inWords(authorization: Authorization): string {
  const id = toJson(authorization.id, 0);
  return `authorization ${id}${namesInBrackets([{ id, names: namesOfAuthorization(authorization) }])}`;
}
