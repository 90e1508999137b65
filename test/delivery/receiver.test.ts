// The receiver of a resumed job. What it may not replace is in test/scripts/account/deliveries.txt.
import { expect, test } from "vitest";
import { openJobReceiver } from "../../src/delivery/receiver.ts";

test("a resumed job replaces a file of others if its first run was to", async () => {
  const head = { argv: ["token", "reset", "--force"], receiver: { outputFile: import.meta.filename } };
  const job = { hasOneItem: true, resumed: { contents: { head, entries: new Map() } } };
  const { outputFile } = await openJobReceiver({}, job as never, { printer: {} } as never);
  expect(outputFile).toBe(import.meta.filename);
});
