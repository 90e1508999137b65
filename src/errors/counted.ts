// Numbers with their nouns, as messages say them.

/** A number and its noun, which has an s unless the number is 1: `2 findings`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
