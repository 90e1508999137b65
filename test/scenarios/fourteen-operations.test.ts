// Every operation of the service once, with the built program and the sandbox.
import { afterAll, beforeAll, expect, test } from "vitest";
import { openShell, type Shell } from "../support/shell.ts";

let shell: Shell;
beforeAll(async () => {
  shell = await openShell("--grants", "2", "--authorizations", "5");
});
afterAll(() => shell.close());

async function json<T>(line: string, input = ""): Promise<T> {
  const { code, stdout, stderr } = await shell.run(`${line} --json`, { input });
  expect([line, code, stderr]).toEqual([line, 0, ""]);
  return JSON.parse(stdout) as T;
}

interface Item {
  readonly id: number;
  readonly token: string;
  readonly note: string | null;
  readonly scopes: readonly string[];
  readonly fingerprint: string;
  readonly user?: { readonly login: string };
}

test("1 to 3: list, view and delete grants", async () => {
  const grants = await json<Item[]>("grantctl grant list");
  expect(grants).toHaveLength(2);
  const [, second] = grants;
  expect(await json<Item>(`grantctl grant view ${second?.id}`)).toEqual(second);
  expect(await json(`grantctl grant delete ${second?.id} --yes`)).toEqual({
    status: "deleted",
    id: second?.id,
  });
  expect(await json<Item[]>("grantctl grant list")).toEqual(grants.slice(0, 1));
});

test("4 to 6, 9 and 10: list, view, create, update and delete authorizations", async () => {
  const before = await json<Item[]>("grantctl authorization list --per-page 1");
  const created = await json<Item>(
    "grantctl authorization create --note 'a — b' --scope repo,gist --fingerprint f",
  );
  expect(created).toMatchObject({ note: "a — b", scopes: ["repo", "gist"], fingerprint: "f" });
  expect(created.token).toMatch(/^[0-9a-f]{40}$/);
  const viewed = await json<Item>(`grantctl authorization view ${created.id}`);
  expect(viewed).toEqual({ ...created, token: "" });
  const added = await json<Item>(`grantctl authorization update ${created.id} --add-scope user`);
  expect(added.scopes).toEqual(["repo", "gist", "user"]);
  const removed = await json<Item>(`grantctl authorization update ${created.id} --remove-scope repo`);
  expect(removed.scopes).toEqual(["gist", "user"]);
  const replaced = await json<Item>(`grantctl authorization update ${created.id} --scope repo --note new`);
  expect(replaced).toMatchObject({ scopes: ["repo"], note: "new", token: "" });
  expect(await json<Item[]>("grantctl authorization list")).toHaveLength(before.length + 1);
  expect(await json(`grantctl authorization delete ${created.id} --yes`)).toEqual({
    status: "deleted",
    id: created.id,
  });
  expect(await json<Item[]>("grantctl authorization list")).toEqual(before);
  const { code } = await shell.run(`grantctl authorization view ${created.id}`);
  expect(code).toBe(3);
});

test("7 and 8: get-or-create, with a fingerprint and without", async () => {
  const created = await json<Item>(
    "grantctl authorization get-or-create --fingerprint 'web/1 %' --scope repo",
  );
  expect(created).toMatchObject({ fingerprint: "web/1 %", scopes: ["repo"] });
  const again = await json<Item>(
    "grantctl authorization get-or-create --fingerprint 'web/1 %' --allow-existing --quiet",
  );
  expect(again).toMatchObject({ id: created.id, token: "" });
  const { code, stdout } = await shell.run("grantctl authorization get-or-create");
  expect([code, stdout]).toEqual([10, ""]);
});

test("11 to 14: check, reset, revoke, and revoke the grant", async () => {
  const { token = "" } = shell.sandbox.description.tokens[0] ?? {};
  const checked = await json<Item>("grantctl token check", token);
  expect(checked).toMatchObject({ token: "", user: { login: "octavia" } });
  const reset = await json<Item>("grantctl token reset --yes", token);
  expect(reset).toMatchObject({ id: checked.id });
  expect(reset.token).not.toBe(token);
  expect((await shell.run("grantctl token check", { input: token })).code).toBe(3);
  expect((await shell.run("grantctl token check", { input: reset.token })).code).toBe(0);
  const revoked = await json<{ status: string }>("grantctl token revoke --yes", reset.token);
  expect(revoked.status).toBe("revoked");
  const other = await json<Item>("grantctl authorization get-or-create --fingerprint last");
  expect(await json("grantctl token revoke-grant --yes", other.token)).toMatchObject({ status: "revoked" });
  expect(await json<Item[]>("grantctl grant list")).toEqual([]);
});
