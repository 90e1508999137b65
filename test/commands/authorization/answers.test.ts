// Answers that do not fit the request: what was sent may have taken effect otherwise than asked, so the result is unknown;
// and those that fit, although they are not word for word what was sent.
import { expect } from "vitest";
import { test } from "../../support/grantctl.ts";
import { authorizationJson, tokenValue } from "../../support/resources.ts";
import { json, on } from "../../support/serve.ts";

type Row = readonly [flags: string, answer: Readonly<Record<string, unknown>>, code: number];

const wordsOf = (flags: string): readonly string[] => (flags === "" ? [] : flags.split("|"));

test.for<Row>([
  ["--scope=repo,gist", { scopes: ["repo"] }, 13],
  ["--scope=repo", { scopes: [] }, 13],
  ["--scope=repo", { scopes: ["repo", "gist"] }, 13],
  ["--scope=user,user:email,read:org,admin:org", { scopes: ["user", "admin:org"] }, 0],
  ["--scope=repo", { scopes: null }, 0],
  ["--scope=repo", { scopes: undefined }, 0],
  ["", { scopes: [] }, 0],
  ["", { scopes: [], token: "" }, 13],
])(
  "create and get-or-create with %j and the answer %j exit with %i",
  async ([flags, answer, code], { grantctl, serve }) => {
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
  },
);

const another = { url: "https://other.test/", name: "Other", client_id: "f".repeat(20) };

test.for<Row>([
  ["--fingerprint=here", { fingerprint: "here", app: another }, 1],
  ["--fingerprint=here", { fingerprint: "another machine" }, 1],
  ["", { app: another }, 1],
  ["", { app: { ...another, client_id: "" } }, 1],
  ["", { app: another, token: tokenValue(7) }, 1],
  ["", { fingerprint: "any" }, 10],
  ["", { app: null }, 10],
  ["--fingerprint=here", { fingerprint: null }, 10],
  ["--fingerprint=here", { fingerprint: undefined, app: undefined }, 10],
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
  },
);

test.for<Row>([
  ["--note=n", { note: "nightly backup" }, 13],
  ["--note=", { note: "nightly backup" }, 13],
  ["--note-url=https://n.test/", { note_url: "https://notes.test/7" }, 13],
  ["--fingerprint=f", { fingerprint: "" }, 13],
  ["--fingerprint=f", { fingerprint: null }, 13],
  ["--fingerprint=", { fingerprint: "f" }, 13],
  ["--scope=repo", { scopes: ["repo", "user"] }, 13],
  ["--scope=repo,user", { scopes: ["repo"] }, 13],
  ["--scope=", { scopes: ["repo"] }, 13],
  ["--add-scope=gist", { scopes: ["repo", "user"] }, 13],
  ["--add-scope=admin:org", { scopes: ["repo", "read:org"] }, 13],
  ["--remove-scope=user", { scopes: ["repo", "user"] }, 13],
  ["--remove-scope=gist,user", { scopes: ["user"] }, 13],
  ["--note=n", { note: "n", id: 43 }, 13],
  ["--note= n ", { note: "n" }, 0],
  ["--note=n", { note: null }, 0],
  ["--note=", { note: null }, 0],
  ["--note-url=HTTPS://n.test", { note_url: "https://n.test/" }, 0],
  ["--fingerprint=", { fingerprint: null }, 0],
  ["--scope=user,user:email", { scopes: ["user"] }, 0],
  ["--scope=user", { scopes: ["user", "user:email"] }, 0],
  ["--scope=admin:enterprise,manage_runners:enterprise", { scopes: ["admin:enterprise"] }, 0],
  ["--scope=repo", { scopes: null }, 0],
  ["--add-scope=public_repo,read:org", { scopes: ["repo", "admin:org"] }, 0],
  ["--remove-scope=user:email", { scopes: ["repo", "user"] }, 0],
  ["--note=n", { note: "n", scopes: ["gist"] }, 0],
])("update with %j and the answer %j exits with %i", async ([flags, answer, code], { grantctl, serve }) => {
  const server = await serve(on("PATCH /authorizations/42", json(200, authorizationJson(answer))));
  const run = await grantctl(["authorization", "update", "42", flags, "--json=id"]);
  expect([run.code, run.stdout]).toEqual([code, code === 0 ? '{"id":42}\n' : ""]);
  expect(server.lines()).toEqual(["PATCH /authorizations/42"]);
});
