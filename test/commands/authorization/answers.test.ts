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

test.for<readonly [command: string, lacking: Readonly<Record<string, unknown>>]>([
  ["create|--note=n", { note: undefined }],
  ["create|--note=n", { fingerprint: undefined }],
  ["get-or-create", { app: undefined }],
  ["get-or-create", { app: { name: "a", url: "" } }],
])(
  "recover end of a lost %s is not settled by a list whose entries have %j",
  async ([command, lacking], { grantctl, serve, clock }) => {
    const other = authorizationJson({ note: "another", ...lacking });
    await serve(
      on("POST /authorizations", cut()),
      on("PUT /authorizations/clients/*", cut()),
      on("GET /authorizations", (_, position) => json(200, position === 0 ? [other] : [])),
    );
    expect((await grantctl(["authorization", ...wordsOf(command)])).code).toBe(13);
    clock.advance(600_000);
    const run = await grantctl("recover end --all");
    expect([run.code, run.stderr]).toEqual([9, expect.stringContaining("lack what is compared")]);
  },
);

test("recover end says nothing of a create that may take effect", async ({ grantctl, serve, clock }) => {
  await serve(on("POST /authorizations", cut()), on("GET /authorizations", json(200, [])));
  expect((await grantctl("authorization create --note=n --timeout=30")).code).toBe(13);
  clock.advance(80_000);
  const early = await grantctl("recover end --all");
  expect([early.code, early.stderr]).toEqual([9, expect.stringContaining("may still take effect")]);
  clock.advance(20_000);
  expect((await grantctl("recover end --all")).stderr).toContain("verified: the token does not exist");
});

test.for([
  ["first", ""],
  ["second", "2"],
])(
  "recover end of a lost create is not settled by a list whose %s page is empty",
  async ([, empty], { grantctl, serve, clock }) => {
    const full = Array.from({ length: 100 }, (_, id) => authorizationJson({ id: id + 1, note: `n${id}` }));
    const link = { Link: "<x?page=2>; rel=next, <x?page=2>; rel=last" };
    await serve(
      on("POST /authorizations", cut()),
      on("GET /authorizations", ({ path }) => {
        const page = /[?&]page=(\d+)/.exec(path)?.[1] ?? "";
        const items = page === empty || page === "3" ? [] : full;
        return json(200, items, page === "" ? link : {});
      }),
    );
    expect((await grantctl("authorization create --note=n")).code).toBe(13);
    clock.advance(600_000);
    const run = await grantctl("recover end --all");
    expect([run.code, run.stderr]).toEqual([
      9,
      expect.stringContaining("a page that the server announced is empty"),
    ]);
  },
);
