// Asks a running sandbox what it told owners. Apart from notices.ts because it needs the checks of answers.
import * as v from "valibot";
import type { Context } from "../../run/context.ts";
import { askSandbox } from "./ask-sandbox.ts";
import type { NoticeRow } from "./notice-rows.ts";

const shape = v.object({
  notices: v.array(v.looseObject({ login: v.string(), token_last_eight: v.string(), sent_at: v.string() })),
});

/** The notices, oldest first. */
export async function fetchNotices(context: Context): Promise<readonly NoticeRow[]> {
  return (await askSandbox(context, { method: "GET", name: "notices", shape }))?.notices ?? [];
}
