// Finds out whether a jq program may run over the items one by one instead of over the whole array, with the same
// result: it may if it begins with `.[]` and is a plain pipe after that; and whether it is only a path into each item.
// Decided by the program's words; any program with an unknown word gets the whole array.

const word = String.raw`[A-Za-z_][A-Za-z0-9_]*`;

/** Matches one token of the language. Strings with interpolated programs match nothing. */
const signs = new RegExp(
  String.raw`\s*(?:("(?:[^"\\]|\\[^(])*")|(\.\.|\|=|//)|(\.?${word}|@[a-z0-9]+)|(\d+(?:\.\d+)?)|(==|!=|<=|>=|[<>|,:()[\]{}.+*/%-]))\s*`,
  "y",
);

/** Functions whose result depends on their input alone. */
const harmless = new Set(
  (
    "select not and or true false null empty if then elif else end length utf8bytelength type keys has in " +
    "contains inside startswith endswith ltrimstr rtrimstr test split join index rindex ascii_downcase ascii_upcase " +
    "tostring tonumber tojson fromjson map any all add min max sort sort_by unique unique_by reverse flatten range " +
    "floor todate fromdate fromdateiso8601 todateiso8601 to_entries from_entries with_entries del first last"
  ).split(" "),
);

/** Whether a program gives the same results for the items one by one as for the whole array. */
export function isItemByItem(program: string): boolean {
  const read = readSigns(program);
  if (read === null) return false;
  const rest = afterPath(read);
  return (
    rest !== null && (rest.length === 0 || (rest[0] === "|" && rest.length > 1 && isPipe(rest.slice(1))))
  );
}

/** The only field of each item that such a program reads; null where it may read others. */
export function fieldOfItems(program: string): string | null {
  const first = isItemByItem(program) ? readSigns(program)?.[itemsSigns] : undefined;
  return isName(first) ? first.slice(1) : null;
}

/** The names of a path into each item, such as `.[].app.name`; null for a program that is anything else. */
export function pathOfItems(program: string): readonly string[] | null {
  const read = readSigns(program);
  if (read === null || !beginsWithItems(read)) return null;
  const path = read.slice(itemsSigns);
  const isPlain = path.every((sign, at) => isName(sign) || (sign === "|" && isName(path[at + 1])));
  return isPlain ? path.filter(isName).map((sign) => sign.slice(1)) : null;
}

/** The tokens of a program; null where one is not known. */
function readSigns(program: string): readonly string[] | null {
  const found: string[] = [];
  signs.lastIndex = 0;
  for (let at = 0; at < program.length; at = signs.lastIndex) {
    signs.lastIndex = at;
    const sign = signs.exec(program);
    // With alternatives, updates or recursive descents it is no plain pipe.
    if (sign === null || sign[2] !== undefined) return null;
    found.push(sign[0].trim());
  }
  return found;
}

/** How many tokens `.[]` has. */
const itemsSigns = 3;

function beginsWithItems([dot, opening, closing]: readonly string[]): boolean {
  return dot === "." && opening === "[" && closing === "]";
}

/** Whether a token is a field, as in `.name`. */
function isName(sign: string | undefined): sign is string {
  return sign !== undefined && /^\.[A-Za-z_]/.test(sign);
}

/** The tokens after `.[]` and the path that follows it; null for a program that does not begin with `.[]`. */
function afterPath(read: readonly string[]): readonly string[] | null {
  if (!beginsWithItems(read)) return null;
  let at = itemsSigns;
  for (;;) {
    const sign = read[at];
    if (sign === "[" && read[at + 1] === "]") at += 2;
    else if (sign === "[" && /^\d+$/.test(read[at + 1] ?? "") && read[at + 2] === "]") at += 3;
    else if (isName(sign)) at += 1;
    else if (sign === "." && read[at + 1]?.startsWith('"') === true) at += 2;
    else return read.slice(at);
  }
}

/** Whether every word is harmless and no comma is outside of brackets, where it would join two programs. */
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
