// The question before a rotation: which authorizations, by their notes or else their applications, at which address,
// and whether the old tokens will be deleted.
import type { Authorization } from "../../api/resources.ts";
import { namesInBrackets } from "../../deletion/question.ts";
import { textOf } from "../../printing/presentation.ts";

/** The question, with the names of those that are known, marked as foreign text. */
export function rotationQuestion(
  ids: readonly string[],
  known: ReadonlyMap<string, Authorization>,
  keepsOld: boolean,
  address: string,
): string {
  const items = ids.map((id) => {
    const { note, app } = known.get(id) ?? {};
    const name = textOf(note) || textOf(app?.name);
    return { id, names: name === "" ? [] : [name] };
  });
  const isOne = ids.length === 1;
  const what = isOne ? `authorization ${ids[0] ?? ""}` : `${ids.length} authorizations`;
  return `Rotate ${what}${namesInBrackets(items)} at ${address}, so that ${effect(isOne, keepsOld)}?`;
}

function effect(isOne: boolean, keepsOld: boolean): string {
  if (keepsOld) return isOne ? "the old token stays beside the new" : "the old tokens stay beside the new";
  return isOne ? "the old token ends when the new one works" : "the old tokens end when the new ones work";
}
