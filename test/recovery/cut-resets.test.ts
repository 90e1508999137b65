// The response to a reset is cut off at the bytes it has, in each way in which a response says where it ends; at every
// byte in a soak. A file of its own, beside cut-responses.test.ts, because a soak of both takes longest of all.
import { expect, test } from "vitest";
import { cutEverywhere, framings, makings } from "../support/cut-responses.ts";
import { inFull, soakStep } from "../support/soak.ts";

test.each(Object.entries(framings))(
  "a response to reset, %s, that is cut anywhere never loses a value silently",
  { tags: "soak" },
  async (_, frame) => {
    const { cuts, wrong } = await cutEverywhere(makings.reset, frame);
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(cuts).toBeGreaterThan(inFull(40, 500 / soakStep));
  },
);
