// The recommendation for a unit of access: steps in this order, then alternatives.
//
//   old or unneeded access    is deleted, because removing a scope would make it look recently updated
//   gained or wrong scopes    are removed from the tokens that stay, and first of all if the unit gained some
//   an old personal token     is replaced
//   what grantctl itself uses is deleted last, after its owner has replaced it
//
// Only findings of high and medium severity count, unless there are no others. An alternative fixes all of them.
import { both } from "../errors/words.ts";
import { cellText } from "../printing/presentation.ts";
import type { Found } from "./findings.ts";
import type { AuditItem } from "./items.ts";
import type { Rule } from "./rules.ts";

/** The most IDs in one command, which is shown as a whole. */
const mostIds = 25;

/** A finding and its item. */
export interface ItemFinding {
  readonly item: AuditItem;
  readonly finding: Found;
}

/** An action that fixes findings of a unit: `delete 8 of its 17 tokens`. */
export interface Action {
  readonly effect: string;
  /** False for a step of the recommendation. */
  readonly isAlternative: boolean;
  readonly commands: readonly string[];
  /** The finding of the grant that it deletes with all tokens; null if it does something else. */
  readonly deletedGrant: ItemFinding | null;
}

/** True for rules that ask whether the item should exist at all. */
function isAboutPresence({ name }: Rule): boolean {
  return name === "new" || name === "unknown-app" || name === "widened";
}

/** The recommendation for these findings of a unit with this number of tokens. */
export function actionsFor(
  found: readonly ItemFinding[],
  tokens: number,
  inUse: ReadonlySet<AuditItem>,
): readonly Action[] {
  const serious = found.filter(({ finding }) => finding.severity !== "low");
  const chosen = serious.length > 0 ? serious : found;
  const ofAction = (action: Found["action"]): readonly ItemFinding[] =>
    chosen.filter((each) => isOfToken(each) && each.finding.action === action);
  const inWords = (those: readonly ItemFinding[]): string => {
    if (tokens <= 1) return "the token";
    if (itemsOf(those).size === tokens) return `all ${tokens} tokens`;
    return tokensInWords(those, `of its ${tokens} tokens`);
  };
  const actions: Action[] = [];
  const add = (effect: string, those: readonly ItemFinding[], more: Partial<Action> = {}): void => {
    if (those.length === 0) return;
    const commands = commandsOfMany(those);
    actions.push({ effect, commands, isAlternative: false, deletedGrant: null, ...more });
  };

  const grant = chosen.find((each) => !isOfToken(each) && each.finding.action === "delete");
  const [rotations, updates] = [ofAction("rotate"), ofAction("update")];
  const approvals = ofAction("delete").filter(({ item }) => item.resource === "credential");
  const deletions = ofAction("delete").filter(({ item }) => item.resource !== "credential");
  const own = deletions.filter(({ item }) => inUse.has(item));
  const deleted = itemsOf(deletions);
  const isWhole = grant !== undefined && deleted.size === tokens && own.length === 0;
  const deleteGrant = `delete the grant${tokens === 0 ? "" : tokens === 1 ? " and its token" : ` and all ${tokens} tokens`}`;
  const isUnexpected = chosen.every(
    ({ finding }) => finding.action !== "delete" || isAboutPresence(finding.rule),
  );
  const condition = isUnexpected ? ", if you do not recognize it" : ", if nothing needs it";
  // The least change comes first where it may be enough: what gained scopes is in use, and a note can be set.
  const updatesFirst =
    updates.length > 0 &&
    (serious.length === 0 || updates.some(({ finding }) => finding.rule.name === "widened"));
  const updated = updatesFirst ? updates : updates.filter(({ item }) => !deleted.has(item));
  const update = serious.length > 0 ? "remove scopes from" : "describe";

  if (updatesFirst) add(`${update} ${inWords(updated)}`, updated);
  if (isWhole) {
    const deletedGrant = isUnexpected || updatesFirst ? null : grant;
    add(deleteGrant + condition, [grant], { deletedGrant, isAlternative: updatesFirst });
  } else {
    const others = deletions.filter((each) => !own.includes(each));
    add(`delete ${inWords(others)}${condition}`, others, { isAlternative: updatesFirst });
  }
  add(`replace ${inWords(rotations)}, and install the new value from the file`, rotations);
  if (!updatesFirst) add(`${update} ${inWords(updated)}`, updated);
  add(`delete ${tokensInWords(own, "tokens")}, once your configuration has a replacement`, own, {
    isAlternative: updatesFirst,
  });
  if (deletions.length === 0)
    add("remove its approval for the organization (runs without a prompt)", approvals);
  const lookUps = chosen.filter(({ finding }) => finding.action === "look-up");
  const isReplacement = lookUps.every(({ finding }) => finding.rule.name === "new");
  add(isReplacement ? "check that you replaced it" : "check whether it is still needed", lookUps);
  const deletable = [...new Set(rotations.flatMap(({ finding }) => finding.alternatives))];
  if (deletable.length > 0)
    add("delete the token if nothing needs it", rotations, { isAlternative: true, commands: deletable });
  if (grant !== undefined && !isWhole) add(deleteGrant, [grant], { isAlternative: actions.length > 0 });
  return actions;
}

/** True for a finding of a token or a credential, not of a grant. */
export function isOfToken({ item }: ItemFinding): boolean {
  return item.resource !== "grant";
}

function itemsOf(found: readonly ItemFinding[]): ReadonlySet<AuditItem> {
  return new Set(found.map(({ item }) => item));
}

const mostNamed = 3;

/** `authorization 12`, `authorizations 12 and 13`, or a count: `5 of 17 tokens`. */
export function tokensInWords(found: readonly ItemFinding[], ofAll: string): string {
  const items = [...itemsOf(found)];
  const [first] = items;
  if (first === undefined || items.length > mostNamed) return `${items.length} ${ofAll}`;
  const ids = both(items.map(({ id }) => cellText(id)));
  return items.length === 1 ? `${first.resource} ${ids}` : `${first.resource}s ${ids}`;
}

/** The command of each item, or one for several of them. */
export function commandsOfMany(found: readonly ItemFinding[]): readonly string[] {
  const [first, ...others] = found.map(({ finding }) => finding.commandOfMany);
  const isOne = typeof first === "string" && others.every((other) => other === first);
  if (!isOne) return [...new Set(found.map(({ finding }) => finding.command))];
  const ids = [...new Set(found.map(({ item }) => cellText(item.id)))];
  const parts = Array.from({ length: Math.ceil(ids.length / mostIds) }, (_, part) =>
    ids.slice(part * mostIds, (part + 1) * mostIds),
  );
  return parts.map((part) => [first, ...part].join(" "));
}
