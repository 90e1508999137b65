// Asks a running sandbox for its one-time passwords. Apart from codes.ts because it needs the checks of answers.
import * as v from "valibot";
import type { Context } from "../../run/context.ts";
import { askSandbox } from "./ask-sandbox.ts";
import type { CodeRow } from "./code-rows.ts";

const shape = v.object({
  codes: v.array(
    v.looseObject({
      login: v.string(),
      // Printed as it is, for a command that gives one to another run.
      code: v.pipe(v.string(), v.regex(/^\d{6,8}$/)),
      sent_at: v.string(),
      expires_at: v.string(),
    }),
  ),
});

/** GET lists the codes that were sent; POST gives one that is good now. None where the sandbox wants none. */
export async function fetchCodes(method: "GET" | "POST", context: Context): Promise<readonly CodeRow[]> {
  return (await askSandbox(context, { method, name: "codes", shape }))?.codes ?? [];
}
