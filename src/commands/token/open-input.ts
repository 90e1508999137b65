// The bytes that tokens are read from: a file, or standard input.
import { usageFailure } from "../../errors/errors.ts";
import { foreign } from "../../errors/foreign.ts";
import { inputFilePieces, Unreadable } from "../../files/bounded-reads.ts";
import type { Refusal } from "../../reports/read-report.ts";
import type { Context } from "../../run/context.ts";

/** The bytes, and `refuse`, which makes the failure for bad ones and names the file or standard input. */
export function openInput(
  tokenFile: string | undefined,
  { standardInput }: Context,
): { readonly bytes: AsyncIterable<Buffer>; readonly refuse: Refusal } {
  if (tokenFile === undefined) {
    return {
      bytes: standardInput.pieces("the tokens"),
      refuse: (reason, hint) =>
        usageFailure(`standard input, which should hold the tokens, cannot be read: ${reason}`, hint),
    };
  }
  const refuse: Refusal = (reason, hint) =>
    usageFailure(`cannot read the tokens in ${foreign(tokenFile)}: ${reason}`, hint);
  return { bytes: readableOr(inputFilePieces(tokenFile), refuse), refuse };
}

async function* readableOr(bytes: AsyncIterable<Buffer>, refuse: Refusal): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    throw error instanceof Unreadable ? refuse(error.message) : error;
  }
}
