// Reads the input of an earlier run again: tokens, as a list or as a scanner's report.
import type { Context } from "../../run/context.ts";
import { usageFailure } from "../../errors/errors.ts";

/**
 * The tokens on standard input, each once; null where it is empty or a terminal. `what` describes them in messages.
 * Throws a usage failure that names a wrong line or item and never repeats it.
 */
export async function readGivenTokens(
  what: string,
  { standardInput, redactor, operator }: Context,
): Promise<readonly string[] | null> {
  if (standardInput.isTerminal) return null;
  const bytes = await unlessEmpty(standardInput.pieces(what));
  if (bytes === null) return null;
  const { readReport } = await import("../../reports/read-report.ts");
  const { tokens } = await readReport(bytes, {
    from: "auto",
    // All tokens are read: those that the earlier run left out are not in its journal, and so do not matter.
    onlyVerified: false,
    skipsOtherKinds: false,
    longestToken: operator.longestToken,
    refuse: (reason, hint) =>
      usageFailure(`standard input, which should hold ${what}, cannot be read: ${reason}`, hint),
  });
  for (const token of tokens) redactor.add(token);
  return tokens;
}

/** The same bytes; null where all of them are white space. */
async function unlessEmpty(pieces: AsyncIterable<Buffer>): Promise<AsyncIterable<Buffer> | null> {
  const iterator = pieces[Symbol.asyncIterator]();
  const before: Buffer[] = [];
  for (;;) {
    const next = await iterator.next();
    if (next.done === true) return null;
    before.push(next.value);
    if (next.value.some((byte) => !whiteSpace.includes(byte))) break;
  }
  return (async function* () {
    yield* before;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}

const whiteSpace: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];
