import { getSystemErrorMap } from "node:util";

/** The meaning of an error code of the operating system; an unknown code is returned unchanged. */
export function inWords(code: string): string {
  return [...getSystemErrorMap().values()].find(([name]) => name === code)?.[1] ?? code;
}
