// Cuts off the response to a reset at some of its bytes (every byte in a soak), for each way to frame a body. Separate
// from cut-responses.test.ts, because these two soaks take the longest.
import { expect, test } from "vitest";
import { cutEverywhere, framings, makings } from "../support/cut-responses.ts";
import { inFull, soakStep } from "../support/soak.ts";

test.each(Object.entries(framings))(
  "a response to reset, %s, cut at any byte never loses a value silently",
  { tags: "soak" },
  async (_, frame) => {
    const { cuts, wrong } = await cutEverywhere(makings.reset, frame);
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(cuts).toBeGreaterThan(inFull(40, 500 / soakStep));
  },
);
