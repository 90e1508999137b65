// The fingerprint of this user on this machine.
import { expect, test } from "vitest";
import { machineFingerprint } from "../../src/system/machine.ts";

/** With a platform whose machine ID cannot be read here, so that the host name stands for it. */
const of = (hostname: string, username: string): Promise<string> =>
  machineFingerprint({
    platform: "win32",
    childEnvironment: {},
    machine: { hostname, username, userId: 1000, homeFolder: "/home/ci" },
  });

test("is a hash of machine and user, and none can imitate another", async () => {
  const own = await of("build-7", "ci");
  expect(own).toMatch(/^[0-9a-f]{64}$/);
  expect(await of("build-7", "ci")).toBe(own);
  for (const other of [of("build-8", "ci"), of("build-7", "deploy"), of("build-", "7ci")])
    expect(await other).not.toBe(own);
});
