// Folds texts for a search: cafe finds Café, in any case and however its accents are encoded.

/** Accents on Latin, Greek and Cyrillic letters, which people leave off when they search. */
const accents = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{Mn}*)\p{Mn}/gu;

/** A text in small letters, without accents. */
export function foldText(text: string): string {
  return text.normalize("NFD").replace(accents, "").normalize("NFC").toLowerCase();
}
