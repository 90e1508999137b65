// The fourteen operations with grantctl on Windows, against a sandbox on this machine.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { makeWindowsUser, noWindowsReason, runOnWindows } from "../support/windows.ts";

describe.skipIf(noWindowsReason !== null)(`on Windows (${noWindowsReason ?? "Wine"})`, () => {
  let account: Account;
  const user = noWindowsReason === null ? makeWindowsUser() : null;
  beforeAll(async () => {
    account = await openAccount({ grants: 4, authorizations: 9 });
  });
  afterAll(() => account.sandbox.close());

  interface Item {
    readonly id: number;
    readonly token: string;
    readonly note: string | null;
    readonly scopes: readonly string[];
    readonly fingerprint: string;
  }

  async function run(words: readonly string[], input = ""): ReturnType<typeof runOnWindows> {
    if (user === null) throw new Error("there is no Windows");
    return runOnWindows(words, user, { environment: account.environment, input });
  }

  async function json<T>(words: readonly string[], input = ""): Promise<T> {
    const { code, stdout, stderr } = await run([...words, "--json"], input);
    expect([words, code, stderr]).toEqual([words, 0, ""]);
    return JSON.parse(stdout) as T;
  }

  test("1 to 3: list, view and delete grants", async () => {
    const grants = await json<Item[]>(["grant", "list"]);
    expect(grants).toHaveLength(4);
    const last = String(grants.at(-1)?.id);
    expect(await json<Item>(["grant", "view", last])).toEqual(grants.at(-1));
    expect(await json(["grant", "delete", last, "--yes"])).toMatchObject([{ status: "deleted" }]);
    expect(await json<Item[]>(["grant", "list"])).toEqual(grants.slice(0, -1));
  });

  test("4 to 6, 9 and 10: list, view, create, update and delete authorizations", async () => {
    const before = await json<Item[]>(["authorization", "list"]);
    const created = await json<Item>([
      "authorization",
      "create",
      "--note",
      'a "quoted" nöte \\ % ^',
      "--scope",
      "repo,gist",
      "--machine-fingerprint",
    ]);
    expect(created).toMatchObject({ note: 'a "quoted" nöte \\ % ^', scopes: ["repo", "gist"] });
    expect(created.token).toMatch(/^[0-9a-f]{40}$/);
    const id = String(created.id);
    expect(await json<Item>(["authorization", "view", id])).toEqual({ ...created, token: "" });
    const updated = await json<Item>(["authorization", "update", id, "--add-scope", "user"]);
    expect(updated.scopes).toEqual(["repo", "gist", "user"]);
    await json(["authorization", "delete", id, "--yes"]);
    expect(await json<Item[]>(["authorization", "list"])).toEqual(before);
    expect((await run(["authorization", "view", id])).code).toBe(3);
  });

  test("7 and 8: get-or-create, with a fingerprint and without", async () => {
    const words = ["authorization", "get-or-create", "--fingerprint", "web/1 %"];
    const created = await json<Item>(words);
    expect(created.token).toMatch(/^[0-9a-f]{40}$/);
    expect(await run(words)).toMatchObject({ code: 10, stdout: "" });
    expect((await run(["authorization", "get-or-create"])).code).toBe(10);
  });

  test("11 to 14: check, reset, revoke, and revoke the grant, with Windows line endings", async () => {
    const { token = "" } = account.sandbox.description.tokens[0] ?? {};
    expect(await json(["token", "check"], `\uFEFF${token}\r\n`)).toMatchObject([{ status: "active" }]);
    const reset = await run(["token", "reset", "--yes"], `${token}\r\n`);
    expect(reset).toMatchObject({ code: 0, stderr: "" });
    expect(reset.stdout).toMatch(/^[0-9a-f]{40}\n$/);
    expect((await run(["token", "check"], `${token}\r\n`)).code).toBe(9);
    expect(await json(["token", "revoke", "--yes"], reset.stdout)).toMatchObject([{ status: "revoked" }]);
    const other = await json<Item>(["authorization", "get-or-create", "--fingerprint", "last"]);
    expect(await json(["token", "revoke-grant", "--yes"], other.token)).toMatchObject([
      { status: "revoked" },
    ]);
  });
});
