// Folds text for comparison: `foldText` ignores case and accents, for a search; `foldCase` ignores case only.

/** Accents that people omit in a search: on Latin, Greek and Cyrillic letters. */
const accents = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{Mn}*)\p{Mn}/gu;

export function foldText(text: string): string {
  return text.normalize("NFD").replace(accents, "").normalize("NFC").toLowerCase();
}

/** Folds case, and normalises the encoding of accents. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
