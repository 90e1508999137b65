// The names of a keychain's entries: two secrets never share one.
import { assert, asyncProperty, constantFrom, oneof, record, string } from "fast-check";
import { expect, test } from "vitest";
import { createKeychainStore, type Keychain } from "../../src/credentials/keychain.ts";
import type { KeychainRequest } from "../../src/credentials/keychain-protocol.ts";
import { isSameKey, type SecretKey } from "../../src/config/configuration.ts";
import { failureOf } from "../support/failure-of.ts";

/** A keychain that records its requests. */
function makeKeychain(secret: string | null = "x"): {
  readonly keychain: Keychain;
  readonly requests: KeychainRequest[];
} {
  const requests: KeychainRequest[] = [];
  return {
    requests,
    keychain: {
      call(request) {
        requests.push(request);
        return Promise.resolve({ secret });
      },
      close: () => undefined,
    },
  };
}

async function entryOf(key: SecretKey): Promise<string> {
  const { keychain, requests } = makeKeychain();
  await createKeychainStore(keychain).get(key);
  return JSON.stringify([requests[0]?.service, requests[0]?.account]);
}

// Names of profiles and user names contain no colon; client IDs are any printable characters.
const words = constantFrom("client-secret", "password", "octavia", "Octavia", "https", "probe", " ");
const keys = record({
  profile: constantFrom("default", "work", "https", "grantctl"),
  baseUrl: constantFrom(
    "https://a.test",
    "https://a.test/one",
    "https://a.test/two",
    "https://[::1]:1",
    "http://a.test",
  ),
  kind: constantFrom("password" as const, "client-secret" as const, "token" as const),
  name: oneof(words, string({ unit: "grapheme" }), constantFrom("client-secret:octavia", "a:token:x")),
});

test("reports a failing keychain with the same reason as doctor, so that no hint refers to doctor", async () => {
  const keychain: Keychain = {
    call: () => Promise.resolve({ problem: "failed", reason: "r" }),
    close: () => undefined,
  };
  const failure = await failureOf(() =>
    createKeychainStore(keychain).get({
      profile: "work",
      baseUrl: "https://a.test/x",
      kind: "password",
      name: "octavia",
    }),
  );
  expect(failure.details.hint).toMatch(
    /^Run `grantctl auth login --store file` to keep the secret in a file/,
  );
});

test("are the same only for the same profile, base URL, kind and name", async () => {
  await assert(
    asyncProperty(keys, keys, async (first, second) => {
      expect((await entryOf(first)) === (await entryOf(second))).toBe(isSameKey(first, second));
    }),
    { numRuns: 2000 },
  );
});

test("are the same for every call, and hold no secret", async () => {
  const { keychain, requests } = makeKeychain();
  const store = createKeychainStore(keychain);
  const key = { profile: "work", baseUrl: "https://a.test/x", kind: "password", name: "octavia" } as const;
  await store.set(key, "hunter2");
  await store.get(key);
  await store.delete(key);
  const names = requests.map(({ call, service, account }) => [call, service, account]);
  expect(names).toEqual(
    ["set", "get", "delete"].map((call) => [call, "grantctl:work:https://a.test/x", "password:octavia"]),
  );
});

test("does not accept an empty response before the keychain has proved that it works", async () => {
  const { keychain, requests } = makeKeychain(null);
  const store = createKeychainStore(keychain);
  const key = { profile: "work", baseUrl: "https://a.test/x", kind: "password", name: "octavia" } as const;
  expect(await store.get(key)).toBeNull();
  expect(await store.delete(key)).toBe(false);
  expect(requests.map(({ call }) => call)).toEqual(["get", "probe", "delete", "probe"]);
  const locked: Keychain = {
    call: ({ call }) =>
      Promise.resolve(call === "probe" ? { problem: "locked", reason: "r" } : { secret: null }),
    close: () => undefined,
  };
  expect((await failureOf(() => createKeychainStore(locked).get(key))).kind).toBe("authentication");
  expect((await failureOf(() => createKeychainStore(locked).delete(key))).kind).toBe("usage");
});
