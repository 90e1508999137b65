// Folds text for comparison: `foldText` ignores case and accents, for a search; `foldCase` ignores case only.
/** Accents on Latin, Greek and Cyrillic letters, which people leave off when they search. */
const accents = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{Mn}*)\p{Mn}/gu;

/** A text in small letters, without accents. */
export function foldText(text: string): string {
  return text.normalize("NFD").replace(accents, "").normalize("NFC").toLowerCase();
}

/** A text for comparison without regard to case, or to how its accents are encoded. */
export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
