// The recommendation for a unit of access: steps in this order, then alternatives.
//
//   gained scopes             are removed first
//   old or unneeded access    is deleted, because removing a scope would make it look recently updated
//   an old personal token     is replaced
//   other wrong scopes        are removed from the tokens that stay
//   what grantctl itself uses is deleted last, after its owner has replaced it
//
// Rules without a finding of high or medium severity are left out, unless there are no others. An alternative fixes all.
import { both } from "../errors/words.ts";
import { cellText } from "../printing/presentation.ts";
import type { Found } from "./findings.ts";
import { cutText } from "./html.ts";
import type { AuditItem } from "./items.ts";
import type { Rule } from "./rules.ts";

/** The most IDs in one command, which is shown as a whole. */
const mostIds = 25;

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
  /** The items that it changes. */
  readonly items: readonly AuditItem[];
  /** The finding of the grant that it deletes with all tokens; null if it does something else. */
  readonly deletedGrant: ItemFinding | null;
}

/** True for rules that ask whether the item should exist at all. */
function isAboutPresence({ name }: Rule): boolean {
  return name === "new" || name === "widened";
}

/** The recommendation for these findings of a unit with this number of tokens. */
export function actionsFor(
  found: readonly ItemFinding[],
  tokens: number,
  inUse: ReadonlySet<AuditItem>,
): readonly Action[] {
  const chosen = findingsToFix(found);
  const isSerious = chosen.some(({ finding }) => finding.severity !== "low");
  const ofAction = (action: Found["action"]): readonly ItemFinding[] =>
    chosen.filter((each) => isOfToken(each) && each.finding.action === action);
  const actions: Action[] = [];
  const add = (effect: string, those: readonly ItemFinding[], more: Partial<Action> = {}): void => {
    if (those.length === 0) return;
    const [commands, items] = [commandsOfMany(those), [...itemsOf(those)]];
    actions.push({ effect, commands, items, isAlternative: false, deletedGrant: null, ...more });
  };
  const inWords = (those: readonly ItemFinding[]): string => tokensOfUnit(those, tokens);

  const grant = chosen.find((each) => !isOfToken(each) && each.finding.action === "delete");
  const [rotations, updates] = [ofAction("rotate"), ofAction("update")];
  const gains = updates.filter(({ finding }) => finding.rule.name === "widened");
  const deletions = ofAction("delete");
  const own = deletions.filter(({ item }) => inUse.has(item));
  const others = deletions.filter(({ item }) => !inUse.has(item));
  const deleted = itemsOf(deletions);
  const isWhole = grant !== undefined && deleted.size === tokens && own.length === 0;
  const isUnexpected = chosen.every(
    ({ finding }) => finding.action !== "delete" || isAboutPresence(finding.rule),
  );
  const condition = (count: number): string =>
    `, if ${isUnexpected ? "you do not recognize" : "nothing needs"} ${count > 1 ? "them" : "it"}`;

  // A token that gained scopes is in use, so the least change comes first.
  const hasGains = gains.length > 0;
  add(`remove the gained scopes from ${inWords(gains)}, if you did not intend them`, gains);
  if (isWhole) {
    const deletedGrant = isUnexpected || hasGains ? null : grant;
    add(grantInWords(tokens, own) + condition(1), [grant], { deletedGrant, isAlternative: hasGains });
  } else add(`delete ${inWords(others)}${condition(itemsOf(others).size)}`, others);
  add(`replace ${inWords(rotations)}, install the new value at once, and then delete the file`, rotations);
  const done = new Set(gains.map(({ finding }) => finding.command));
  const remaining = updates.filter(({ item, finding }) => !deleted.has(item) && !done.has(finding.command));
  const scope = commonScope(remaining);
  add(
    isSerious
      ? `remove ${scope ?? "scopes"} from ${inWords(remaining)}, if nothing needs ${scope === null ? "them" : "it"}`
      : `describe ${inWords(remaining)}`,
    remaining,
  );
  add(`delete ${tokensInWords(own, "tokens")}, once your configuration has a replacement`, own);
  const lookUps = chosen.filter(({ finding }) => finding.action === "look-up");
  const isReplacement = lookUps.every(({ finding }) => finding.rule.name === "new");
  add(isReplacement ? "check that you replaced it" : "check whether it is still needed", lookUps);
  const deletable = [...new Set(rotations.flatMap(({ finding }) => finding.alternatives))];
  if (deletable.length > 0)
    add("delete the token if nothing needs it", rotations, { isAlternative: true, commands: deletable });
  if (grant !== undefined && !isWhole)
    add(grantInWords(tokens, own) + condition(1), [grant], { isAlternative: actions.length > 0 });
  return actions;
}

/** The findings that the recommendation fixes: all of the rules with a serious finding, or all if there are none. */
function findingsToFix(found: readonly ItemFinding[]): readonly ItemFinding[] {
  const serious = found.filter(({ finding }) => finding.severity !== "low");
  if (serious.length === 0) return found;
  const rules = new Set(serious.map(({ finding }) => finding.rule));
  return found.filter(
    (each) =>
      each.finding.severity !== "low" ||
      (isOfToken(each) && each.finding.judged && rules.has(each.finding.rule)),
  );
}

/** The only scope that these findings are about; null if there are more. */
function commonScope(found: readonly ItemFinding[]): string | null {
  const measures = new Set(found.map(({ finding }) => finding.measure));
  const [only = ""] = measures;
  return measures.size === 1 && !only.includes(",") ? only : null;
}

/** `delete the grant and all 12 tokens`. */
function grantInWords(tokens: number, own: readonly ItemFinding[]): string {
  const all = tokens === 0 ? "" : tokens === 1 ? " and its token" : ` and all ${tokens} tokens`;
  return `delete the grant${all}${own.length === 0 ? "" : ", including what grantctl itself uses"}`;
}

/** The tokens of these findings as part of a unit: `the token`, `all 3 tokens`, `authorization 12`, `5 of its 17 tokens`. */
function tokensOfUnit(those: readonly ItemFinding[], tokens: number): string {
  if (tokens <= 1) return "the token";
  if (itemsOf(those).size === tokens) return `all ${tokens} tokens`;
  return tokensInWords(those, `of its ${tokens} tokens`);
}

/** True for a finding of a token, not of a grant. */
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
  if (items.length === 1 && first.note !== null)
    return `${first.resource} ${ids}, “${cutText(first.note, 40)}”`;
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
