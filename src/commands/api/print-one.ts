// One request of `grantctl api` and its answer. Pages of a list are in print-pages.ts.
import { isFailure } from "../../errors/errors.ts";
import { isWrite } from "../../http/request.ts";
import type { Exchange, RawCall, Service } from "../../http/service.ts";
import type { Context } from "../../run/context.ts";
import { sendOrWait, type ApprovalOptions } from "./approval.ts";
import { printBeside, printOutcome } from "./change.ts";
import { errorsIn, isGraphql, queryIn } from "./graphql-path.ts";
import { checkWhole } from "./json-output.ts";
import { printBody, printHead, printRefusal } from "./print-answer.ts";

/**
 * Sends a request and prints its answer, or the body of its refusal. Throws the refusal, and a failure for an answer
 * with errors of GraphQL.
 */
export async function printOne(
  service: Service,
  call: RawCall,
  options: ApprovalOptions & { readonly include?: true },
  context: Context,
): Promise<void> {
  const isHeadWanted = options.include === true;
  let exchange: Exchange;
  try {
    exchange = await sendOrWait(() => service.exchangeRaw(call), options, context);
  } catch (error) {
    if (isFailure(error)) {
      const { received } = error.details;
      await printBeside(() => printRefusal(received, isHeadWanted, context));
    }
    throw error;
  }
  const { answer } = exchange;
  checkWhole(exchange, context);
  const errors = isGraphql(call) ? await errorsIn(answer.body) : [];
  const print = async (): Promise<void> => {
    if (isHeadWanted) await printHead(answer, context);
    await printBody(answer.body, context);
  };
  if (errors.length === 0) await printOutcome(isWrite(call), print);
  else {
    await printBeside(print);
    const { failWith } = await import("../graphql/fail-with.ts");
    failWith(errors, { query: queryIn(call.body), pages: 0 }, context);
  }
}
