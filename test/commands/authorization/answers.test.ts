// Answers that do not fit the request where a value depends on it: the result is unknown. Others are the server's own affair.
import { expect } from "vitest";
import { test } from "../../support/grantctl.ts";
import { authorizationJson, tokenValue } from "../../support/resources.ts";
import { cut, json, on } from "../../support/serve.ts";

type Row = readonly [flags: string, answer: Readonly<Record<string, unknown>>, code: number];

const wordsOf = (flags: string): readonly string[] => (flags === "" ? [] : flags.split("|"));

test.for<Row>([
  ["--scope=user,user:email,read:org,admin:org", { scopes: ["user", "admin:org"] }, 0],
  ["--scope=repo", { scopes: null }, 0],
  ["--scope=repo", { scopes: undefined }, 0],
  ["", { scopes: [] }, 0],
  ...["", undefined, 1234, `${tokenValue(7)}\u009b`, `${tokenValue(7)}é`, "x".repeat(1_000_000)].map(
    (token): Row => ["", { scopes: [], token, token_last_eight: "" }, 13],
  ),
])("creating with %j and the answer %j exits with %i", async ([flags, answer, code], { grantctl, serve }) => {
  const token = tokenValue(7);
  const response = json(201, authorizationJson({ token, ...answer }));
  const server = await serve(
    on("POST /authorizations", response),
    on("PUT /authorizations/clients/*", response),
  );
  for (const verb of ["create|--note=nightly backup", "get-or-create"]) {
    const run = await grantctl(["authorization", ...wordsOf(verb), ...wordsOf(flags)]);
    expect([run.code, run.stdout]).toEqual([code, code === 0 ? `${token}\n` : ""]);
  }
  expect(server.writes()).toHaveLength(2);
});

const another = { url: "https://other.test/", name: "Other", client_id: "f".repeat(20) };

test.for<Row>([
  ["--fingerprint=here", { fingerprint: "here", app: another }, 1],
  ["--fingerprint=here", { fingerprint: "another machine" }, 1],
  ["", { app: another }, 1],
  ["", { app: { ...another, client_id: "" } }, 1],
  ["", { app: another, token: tokenValue(7) }, 1],
  ["", { fingerprint: "any" }, 10],
  ["", { app: null }, 1],
  ["--fingerprint=here", { fingerprint: null }, 1],
  ["--fingerprint=here", { fingerprint: undefined, app: undefined }, 1],
  ["--scope=gist|--note=n", {}, 10],
])(
  "get-or-create with %j that finds %j exits with %i and deletes nothing",
  async ([flags, found, code], { grantctl, serve }) => {
    const server = await serve(on("PUT /authorizations/clients/*", json(200, authorizationJson(found))));
    const more = code === 1 ? ["", "--allow-existing", "--replace-existing|--yes"] : [""];
    for (const other of more) {
      const run = await grantctl(["authorization", "get-or-create", ...wordsOf(flags), ...wordsOf(other)]);
      expect([run.code, run.stdout]).toEqual([code, ""]);
      expect(run.stderr).toContain("authorization 42");
    }
    expect(server.writes()).toHaveLength(more.length);
    expect((await grantctl("recover list")).stdout).toBe("");
  },
);

test.for<Row>([
  ["--note=n", { note: "n", id: 43 }, 13],
  ["--note=n", { note: "nightly backup" }, 0],
  ["--scope=repo", { scopes: ["repo", "user"] }, 0],
])("update with %j and the answer %j exits with %i", async ([flags, answer, code], { grantctl, serve }) => {
  const server = await serve(on("PATCH /authorizations/42", json(200, authorizationJson(answer))));
  const run = await grantctl(["authorization", "update", "42", flags, "--json=id"]);
  expect([run.code, run.stdout]).toEqual([code, code === 0 ? '{"id":42}\n' : ""]);
  expect(server.lines()).toEqual(["PATCH /authorizations/42"]);
});

test("recover end needs entries that can be compared", async ({ grantctl, serve, clock }) => {
  const other = authorizationJson({ note: undefined });
  await serve(
    on("POST /authorizations", cut()),
    on("GET /authorizations", json(200, [other]), json(200, [])),
  );
  expect((await grantctl("authorization create --note n")).code).toBe(13);
  clock.advance(600_000);
  const run = await grantctl("recover end --all");
  expect([run.code, run.stderr]).toEqual([9, expect.stringContaining("lack what is compared")]);
});
