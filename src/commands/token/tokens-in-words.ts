// Tokens in a question and in a plan: by their last eight characters, with what a check tells of them.
import type { Authorization } from "../../api/resources.ts";
import { readOne } from "../../deletion/look-up.ts";
import { mostNamed, quoteName } from "../../deletion/question.ts";
import { capitalised } from "../../errors/words.ts";
import type { ApplicationService } from "../../run/address.ts";
import type { Context } from "../../run/context.ts";
import { appName } from "../../printing/resources.ts";
import { textOf } from "../../printing/presentation.ts";
import { lastEight } from "../../token-value.ts";

/** What is to be done with tokens in words at an address, as in `revoke 2 tokens at https://ghe.example.com`. */
export type TokenDeed = (what: string, address: string) => string;

/** What checks told of tokens. */
export type KnownTokens = ReadonlyMap<string, Pick<Authorization, "note" | "app">>;

/** Up to ten of the tokens with their notes, and their application, as far as they are known; marked as foreign text. */
export function tokensInWords(tokens: readonly string[], known: KnownTokens = new Map()): string {
  const app = tokens.map((token) => appName(known.get(token)?.app)).find((name) => name !== "");
  const nameOf = (token: string): string => {
    const note = textOf(known.get(token)?.note);
    return `${lastEight(token)}${note === "" ? "" : ` ${quoteName(note)}`}`;
  };
  const named = tokens.slice(0, mostNamed).map(nameOf).join(", ");
  const of = app === undefined ? "" : ` of ${quoteName(app)}`;
  if (tokens.length === 1) return `the token ending in ${named}${of}`;
  const more = tokens.length - mostNamed;
  return `${tokens.length} tokens${of} (ending in ${named}${more > 0 ? `, and ${more} more` : ""})`;
}

/** Asks about tokens, which are checked before for their names. Throws a usage failure unless the answer is yes. */
export async function confirmTokens(
  tokens: readonly string[],
  { service, clientId }: ApplicationService,
  context: Context,
  deed: TokenDeed,
): Promise<void> {
  if (tokens.length === 0 || context.options.yes === true) return;
  const { checkToken } = await import("../../api/tokens.ts");
  const known = new Map<string, Authorization>();
  const read = (_: typeof service, token: string): Promise<Authorization> =>
    checkToken(service, clientId, token);
  await Promise.all(
    tokens.slice(0, mostNamed).map(async (token) => {
      const found = await readOne(service, token, { read });
      if (found !== null) known.set(token, found);
    }),
  );
  const toDo = deed(tokensInWords(tokens, known), context.address.origin().href);
  await context.confirm(`${capitalised(toDo)}?`);
}
