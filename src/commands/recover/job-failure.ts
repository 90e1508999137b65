// What is said, and with which exit code, of an interrupted job whose items were looked at.
import { Failure } from "../../errors/errors.ts";
import type { Leftover } from "../../journal/journals.ts";
import { resumption } from "../../journal/resumption.ts";
import type { FoundItem } from "./found-items.ts";

/** `incomplete` when it is known of every item what became of it, and nothing is lost; else `unknown`. */
export function failureOfItems(rows: readonly FoundItem[], { id, path, contents }: Leftover): Failure {
  const { head, items } = contents;
  const count = (...states: readonly FoundItem["state"][]): number =>
    rows.filter(({ state }) => states.includes(state)).length;
  const said = [
    [count("live"), "had no effect: the token is live"],
    [count("gone"), "took effect: the token is gone"],
    [count("lost"), "took effect, and the new value is lost"],
    [count("unproven"), "took effect, or the credentials are wrong: the service does not find the token"],
    [count("unknown"), "not looked at: the input of the job, on standard input, is needed for that"],
  ] as const;
  const parts = said.filter(([number]) => number > 0).map(([number, text]) => `${number} ${text}`);
  const message = `the job ${head.operation} at ${head.address} was interrupted; ${rows.length} of ${head.total} items were sent and not answered${parts.map((part) => `; ${part}`).join("")}`;

  const done = [...items.values()].filter(({ state }) => state === "done").length;
  const isAllLost = count("lost") > 0 && count("lost") === head.total - done;
  const hint = isAllLost
    ? `make new tokens in the place of those that are lost; then: grantctl recover forget ${id}`
    : `give the job ${resumption(head, path)}`;
  return new Failure(count("lost", "unproven", "unknown") > 0 ? "unknown" : "incomplete", message, { hint });
}
