// The fingerprint of this user on this machine: stable, unique, and reveals nothing.
import { expect, test } from "vitest";
import { machineFingerprint } from "../../../src/commands/authorization/fingerprint.ts";

const machine = { hostname: "build-7", username: "ci", userId: 1000, homeFolder: "/home/ci" };

/** Has no registry, so there is no machine id. */
function fingerprintWithoutId(hostname: string, username: string): Promise<string> {
  return machineFingerprint({
    platform: "win32",
    childEnvironment: {},
    machine: { ...machine, hostname, username },
  });
}

test("is the same on each call", async () => {
  const first = await machineFingerprint({ platform: "linux", childEnvironment: {}, machine });
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  await expect(machineFingerprint({ platform: "linux", childEnvironment: {}, machine })).resolves.toBe(first);
});

test("differs by user", async () => {
  const other = { ...machine, username: "deploy" };
  expect(await machineFingerprint({ platform: "linux", childEnvironment: {}, machine: other })).not.toBe(
    await machineFingerprint({ platform: "linux", childEnvironment: {}, machine }),
  );
});

test("differs by host name if the machine has no id, and a user name cannot imitate a host name", async () => {
  expect(await fingerprintWithoutId("build-7", "ci")).not.toBe(await fingerprintWithoutId("build-8", "ci"));
  expect(await fingerprintWithoutId("build-7", "ci")).not.toBe(await fingerprintWithoutId("build-", "7ci"));
  expect(await fingerprintWithoutId("build-7", "ci")).toBe(await fingerprintWithoutId("build-7", "ci"));
});
