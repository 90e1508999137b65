// Texts as they are searched: cafe finds Café, in any case and however its accents are composed.

/** Accents on letters that are the same letters to whoever types without them. */
const accents = /(?<=[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]\p{Mn}*)\p{Mn}/gu;

/** A text in small letters, without accents. */
export function foldText(text: string): string {
  return text.normalize("NFD").replace(accents, "").normalize("NFC").toLowerCase();
}
