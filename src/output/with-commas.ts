// How a count is written for a person.

/** A whole number with commas between its thousands. Node's own way loads all it knows of languages first. */
export function withCommas(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}
