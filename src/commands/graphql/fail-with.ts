// The failure of `grantctl graphql` after an answer with errors: each is printed with its place in the query, or all of
// them as one error with --json.
import { exitCodeOf, Failure, QuietExit } from "../../errors/errors.ts";
import { brokenOff, incompleteness } from "../../http/broken-list.ts";
import type { Context } from "../../run/context.ts";
import { isRateLimit, tellErrors, type GraphqlError } from "./answer.ts";

/** Prints the errors, and how many pages came before them, and throws the failure that ends the run. */
export function failWith(
  errors: readonly GraphqlError[],
  { query, pages }: { readonly query: string; readonly pages: number },
  { notices, printer }: Context,
): never {
  const kind = errors.some(isRateLimit) ? "rate-limited" : "refused";
  if (printer.isJson) {
    const said = errors.map(({ message }) => message).join("; ");
    throw brokenOff(new Failure(kind, said), { pages });
  }
  tellErrors(errors, query, notices);
  if (pages > 0) notices.show(`grantctl: ${incompleteness({ pages })}`);
  throw new QuietExit(exitCodeOf(kind));
}
