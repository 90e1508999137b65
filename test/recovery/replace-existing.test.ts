// Get-or-create with --replace-existing deletes before it creates. After any failure in between, the run reports the
// deleted authorization and the missing new one.
import { cpSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { on, startTruthService, type FaultPlan, type TruthOperation } from "../support/truth-service.ts";

const words = ["authorization", "get-or-create", "--fingerprint", "here"];
const replacing = [...words, "--replace-existing", "--yes"];

test.each([
  [[], { scopes: ["repo"], note: "ci" }],
  [["--scope", "gist"], { scopes: ["gist"], note: "ci" }],
  [["--note", "other"], { scopes: ["repo"], note: "other" }],
])("the new authorization keeps scopes and note of the old one, except for %j", async (flags, expected) => {
  const account = await openAccount();
  const world = { environment: account.environment };
  await runMain([...words, "--scope", "repo", "--note", "ci"], world);
  const run = await runMain([...replacing, ...flags, "--json", "scopes,note,token"], world);
  expect(JSON.parse(run.stdout)).toMatchObject(expected);
  await account.sandbox.close();
});

/** A server that already has the authorization. */
async function setStage(flags: readonly string[] = []) {
  const service = await startTruthService();
  const state = makeStateFolder();
  const world = {
    environment: { ...service.environment, ...state.environment },
  };
  const first = await runMain([...words, ...flags], world);
  expect(first).toMatchObject({
    code: 0,
    stdout: `${service.writes[0]?.value}\n`,
  });
  const from = service.requests.length;
  const operations = (): readonly string[] => service.requests.slice(from).map(({ operation }) => operation);
  return { service, state, world, operations };
}

describe("an authorization that exists", () => {
  test("is deleted once, and the new value is delivered once", async () => {
    const { service, state, world, operations } = await setStage();
    const run = await runMain(replacing, world);
    expect(run).toMatchObject({
      code: 0,
      stdout: `${service.writes[2]?.value}\n`,
    });
    expect(operations()).toEqual(["get-or-create", "delete", "get-or-create"]);
    expect(service.writes.map(({ operation }) => operation)).toEqual([
      "get-or-create",
      "delete",
      "get-or-create",
    ]);
    expect(state.journals()).toEqual([]);
  });
});

/** Makes the second creation fail. */
function second(fault: ReturnType<FaultPlan>): FaultPlan {
  let creations = 0;
  return ({ operation }) => {
    if (operation === "get-or-create") creations += 1;
    return operation === "get-or-create" && creations === 2 ? fault : undefined;
  };
}

describe("when the creation after the deletion fails", () => {
  test.each([401, 404, 429])(
    "with %i, the run reports the deleted authorization and exits with 9",
    async (status) => {
      const { service, state, world } = await setStage(["--scope", "repo"]);
      const headers = status === 429 ? { "Retry-After": "100000" } : {};
      service.plan(second({ instead: { status, headers, body: { message: "no" } } }));
      const run = await runMain(replacing, world);
      expect(run).toMatchObject({ code: 9, stdout: "" });
      expect(run.stderr).toContain("authorization 1001 was deleted");
      expect(run.stderr).not.toContain("nothing was changed");
      expect(run.stderr).toContain("run the same command again to create it; it had: --scope repo");
      expect(state.journals()).toEqual([]);
    },
  );

  test.each([
    ["its answer is cut", { cutAt: 30 }],
    ["it fails with 500", { instead: { status: 500 } }],
    ["it never arrives", { drop: true }],
  ] as const)("because %s, the run reports the deleted authorization and exits with 13", async (_, fault) => {
    const { service, state, world } = await setStage();
    service.plan(second(fault));
    const run = await runMain(replacing, world);
    expect(run).toMatchObject({ code: 13, stdout: "" });
    expect(run.stderr).toContain("authorization 1001 was deleted");
    expect(run.stderr).not.toContain("no new one was created");
    expect(run.stderr).toContain(`grantctl recover show ${state.ids()[0]}`);
  });

  test("because another run was faster, the run reports it and exits with 9", async () => {
    const { service, world } = await setStage();
    service.plan(
      second({
        instead: {
          status: 200,
          body: { id: 7, token: "", scopes: [], app: null, note: null },
        },
      }),
    );
    const run = await runMain(replacing, world);
    expect(run).toMatchObject({ code: 9, stdout: "" });
    expect(run.stderr).toContain("authorization 1001 was deleted");
    expect(run.stderr).toContain("7");
  });

  test("creates the authorization even if the existing one was deleted meanwhile", async () => {
    const { service, world } = await setStage();
    service.plan(
      on("delete", {
        rewrite: () => Buffer.from("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}"),
      }),
    );
    const run = await runMain(replacing, world);
    expect(run).toMatchObject({
      code: 0,
      stdout: `${service.writes.at(-1)?.value}\n`,
    });
  });

  test("creates nothing and exits with 13 if the outcome of the deletion is unknown", async () => {
    const { service, world, operations } = await setStage();
    service.plan(on("delete", { cutAt: 5 }));
    const run = await runMain(replacing, world);
    expect(run).toMatchObject({ code: 13, stdout: "" });
    expect(operations()).toEqual(["get-or-create", "delete"]);
  });
});

const isNoLock = (path: string): boolean => !path.endsWith(".lock");

describe("killed during a replacement", () => {
  const had = ["--scope", "repo", "--scope", "user:email", "--note", "it's mine"];

  /** The `recover` report after a kill at this request, with the given number of changes carried out. */
  async function leftAt(last: TruthOperation, changes: number, fault: ReturnType<FaultPlan>) {
    const { service, state, world } = await setStage(had);
    const left = makeStateFolder();
    service.plan(({ operation }) => {
      if (operation !== last || service.writes.length !== changes) return undefined;
      cpSync(state.path, left.path, { recursive: true, filter: isNoLock });
      return fault;
    });
    await runMain(replacing, world);
    const environment = { ...world.environment, ...left.environment };
    const list = await runMain(["recover", "list", "--json"], { environment });
    expect(JSON.parse(list.stdout)).toMatchObject([
      { operation: "get-or-create", state: "outcome unknown", unknown: 1, failed: 0 },
    ]);
    const shown = await runMain(["recover", "show", left.ids()[0] ?? ""], { environment });
    expect(shown).toMatchObject({ code: 13, stdout: "" });
    expect(shown.stderr).toContain("the replacement of authorization 1001 at http://");
    expect(await runMain(["recover", "forget", left.ids()[0] ?? ""], { environment })).toMatchObject({
      code: 0,
    });
    return shown.stderr;
  }

  test("before the deletion is carried out, the old authorization is reported as unchanged", async () => {
    expect(await leftAt("delete", 1, { drop: true })).toContain("it is still there, so nothing was changed");
  });

  test.each([
    ["delete", 1, { cutAt: 0 }],
    ["get-or-create", 2, { drop: true }],
  ] as const)(
    "at %s, after the deletion, the fields of the old authorization are reported",
    async (last, changes, fault) => {
      const said = await leftAt(last, changes, fault);
      expect(said).toContain("it is deleted, and there is no new one in its place");
      expect(said).toContain(String.raw`it had: --scope repo --scope user:email --note 'it'\''s mine'`);
    },
  );

  test("after the creation, the new authorization is named", async () => {
    const said = await leftAt("get-or-create", 2, {});
    expect(said).toContain("it is deleted; an authorization with this note or fingerprint");
    expect(said).toContain("grantctl authorization delete 1002");
  });
});
