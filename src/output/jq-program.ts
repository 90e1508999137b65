// Which programs of jq give the same, item after item, as over the whole array: those that begin with `.[]` and go on
// as a plain pipe. Decided by their words; whatever is not known here is not such a program, and sees the whole.

const word = String.raw`[A-Za-z_][A-Za-z0-9_]*`;

/** One sign of the language after the other. Texts with programs in them are none of these. */
const signs = new RegExp(
  String.raw`\s*(?:("(?:[^"\\]|\\[^(])*")|(\.\.|\|=|//)|(\.?${word}|@[a-z0-9]+)|(\d+(?:\.\d+)?)|(==|!=|<=|>=|[<>|,:()[\]{}.+*/%-]))\s*`,
  "y",
);

/** Functions that look at what they are given, and at nothing else. */
const harmless = new Set(
  (
    "select not and or true false null empty if then elif else end length utf8bytelength type keys has in " +
    "contains inside startswith endswith ltrimstr rtrimstr test split join index rindex ascii_downcase ascii_upcase " +
    "tostring tonumber tojson fromjson map any all add min max sort sort_by unique unique_by reverse flatten range " +
    "floor todate fromdate fromdateiso8601 todateiso8601 to_entries from_entries with_entries del first last"
  ).split(" "),
);

/** Whether a program gives for the items of an array, one after the other, what it gives for all of it. */
export function isItemByItem(program: string): boolean {
  const read = readSigns(program);
  if (read === null) return false;
  const rest = afterPath(read);
  return (
    rest !== null && (rest.length === 0 || (rest[0] === "|" && rest.length > 1 && isPipe(rest.slice(1))))
  );
}

/** The one field that such a program looks at of each item; null where that may be any. */
export function fieldOfItems(program: string): string | null {
  const first = isItemByItem(program) ? (readSigns(program)?.[3] ?? "") : "";
  return /^\.[A-Za-z_]/.test(first) ? first.slice(1) : null;
}

/** The signs of a program; null where there is one that is not known. */
function readSigns(program: string): readonly string[] | null {
  const found: string[] = [];
  signs.lastIndex = 0;
  for (let at = 0; at < program.length; at = signs.lastIndex) {
    signs.lastIndex = at;
    const sign = signs.exec(program);
    // Alternatives, updates and descents end what is plain.
    if (sign === null || sign[2] !== undefined) return null;
    found.push(sign[0].trim());
  }
  return found;
}

/** What stands behind `.[]` and the names, texts and numbers that lead on from it; null where that is not first. */
function afterPath(read: readonly string[]): readonly string[] | null {
  if (read[0] !== "." || read[1] !== "[" || read[2] !== "]") return null;
  let at = 3;
  for (;;) {
    const sign = read[at];
    if (sign === "[" && read[at + 1] === "]") at += 2;
    else if (sign === "[" && /^\d+$/.test(read[at + 1] ?? "") && read[at + 2] === "]") at += 3;
    else if (sign !== undefined && /^\.[A-Za-z_]/.test(sign)) at += 1;
    else if (sign === "." && read[at + 1]?.startsWith('"') === true) at += 2;
    else return read.slice(at);
  }
}

/** Whether every word is harmless, and no comma stands outside of brackets, where it would begin another program. */
function isPipe(read: readonly string[]): boolean {
  const open: string[] = [];
  return read.every((sign, index) => {
    if (/^[([{]$/.test(sign)) open.push(sign);
    else if (/^[)\]}]$/.test(sign)) open.pop();
    else if (sign === ",") return open.length > 0;
    else if (/^[A-Za-z_]/.test(sign)) return harmless.has(sign) || isKey(read, index, open.at(-1));
    return true;
  });
}

/** Whether a word is the name of a field that an object gets. */
function isKey(read: readonly string[], index: number, bracket: string | undefined): boolean {
  return bracket === "{" && /^[{,]$/.test(read[index - 1] ?? "") && /^[:,}]$/.test(read[index + 1] ?? "");
}
