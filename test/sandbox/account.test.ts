// Operations 1 to 10: an account's grants and authorizations. Written from the specification, not from the code.
import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  gone,
  notFound,
  outcomeOf,
  type Reply,
  rowOf,
  rowsOf,
  startTestSandbox,
  type TestSandbox,
} from "./sandbox-client.ts";

const fields =
  "id url app token hashed_token token_last_eight note note_url created_at updated_at scopes fingerprint".split(
    " ",
  );

const invalid = (field: string, code: string, message?: string): unknown => [
  422,
  {
    message: "Validation Failed",
    errors: [{ resource: "OauthAccess", code, field, ...(message === undefined ? {} : { message }) }],
    documentation_url: expect.any(String) as unknown,
  },
];

const create = (sandbox: TestSandbox, body: unknown): Promise<Reply> =>
  sandbox.asAccount("POST", "/authorizations", body);

describe("grants", () => {
  test("there is one for each application with a token; its scopes are theirs together", async () => {
    const sandbox = await startTestSandbox({ grants: 2, authorizations: 2 });
    const { client_id, client_secret, base_url } = sandbox.description;
    sandbox.clock.now += 60_000;
    await sandbox.asAccount("PATCH", "/authorizations/1", { scopes: ["user", "repo"] });
    await create(sandbox, {
      note: "n",
      client_id,
      client_secret,
      fingerprint: "f",
      scopes: ["gist", "user"],
    });
    await create(sandbox, { note: "mine", scopes: ["notifications"] });
    const [first, second, ...others] = rowsOf(await sandbox.asAccount("GET", "/applications/grants"));
    expect(first).toEqual({
      id: 1,
      url: `${base_url}/applications/grants/1`,
      app: { url: "https://app-1.example.com/", name: "Harbour Deploy", client_id },
      created_at: expect.stringMatching(/^2025-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as string,
      updated_at: "2026-11-20T19:03:04Z",
      scopes: ["user", "repo", "gist"],
    });
    expect([second?.app.client_id, others]).toEqual([sandbox.store.applications[1]?.clientId, []]);
    expect((await sandbox.asAccount("GET", "/applications/grants/1")).json).toEqual(first);
  });

  test("deleting one deletes all tokens of the application and nothing else", async () => {
    const sandbox = await startTestSandbox({ grants: 3, authorizations: 20 });
    const { client_id, tokens } = sandbox.description;
    const path = "/applications/grants/1";
    expect(outcomeOf(await sandbox.asAccount("DELETE", path))).toEqual(gone);
    expect(outcomeOf(await sandbox.asAccount("DELETE", path))).toEqual(notFound);
    expect(rowsOf(await sandbox.asAccount("GET", "/applications/grants")).map(({ id }) => id)).toEqual([
      2, 3,
    ]);
    const rest = rowsOf(await sandbox.asAccount("GET", "/authorizations"));
    expect(rest).toHaveLength(20 - tokens.length);
    expect(rest.filter(({ app }) => app.client_id === client_id)).toEqual([]);
    expect((await sandbox.asToken("GET", "/user")).status).toBe(401);
  });
});

test.each(["0", "99999", "x", "1.0", "-1", "1e0", "99999999999999999999", "%31x"])(
  "there is nothing with the ID %s",
  async (id) => {
    const sandbox = await startTestSandbox();
    for (const path of [`/applications/grants/${id}`, `/authorizations/${id}`])
      for (const method of ["GET", "DELETE"])
        expect(outcomeOf(await sandbox.asAccount(method, path))).toEqual(notFound);
    expect(sandbox.store.tokens()).toHaveLength(6);
  },
);

describe("authorizations", () => {
  test("are listed in order, without token values", async () => {
    const sandbox = await startTestSandbox();
    const listed = rowsOf(await sandbox.asAccount("GET", "/authorizations"));
    expect(listed.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6]);
    for (const one of listed) {
      expect(Object.keys(one)).toEqual(fields);
      expect(one).toMatchObject({
        token: "",
        hashed_token: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        token_last_eight: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      });
      expect((await sandbox.asAccount("GET", `/authorizations/${one.id}`)).json).toEqual(one);
    }
  });

  test("the value of a new one is in the response alone, which has its hash and its URL", async () => {
    const sandbox = await startTestSandbox();
    const body = {
      note: "été 漢字",
      note_url: "https://e.example/",
      scopes: ["user", "repo"],
      fingerprint: "f",
    };
    const reply = await create(sandbox, body);
    const created = rowOf(reply);
    const url = `${sandbox.description.base_url}/authorizations/7`;
    expect(Object.keys(created)).toEqual(fields);
    expect(created).toEqual({
      ...body,
      id: 7,
      url,
      app: { url: body.note_url, name: body.note, client_id: "0".repeat(20) },
      token: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
      hashed_token: createHash("sha256").update(created.token).digest("hex"),
      token_last_eight: created.token.slice(-8),
      created_at: "2026-11-20T19:02:04Z",
      updated_at: "2026-11-20T19:02:04Z",
    });
    expect([reply.status, reply.headers["location"]]).toEqual([201, url]);
    expect((await sandbox.asAccount("GET", "/authorizations/7")).json).toEqual({ ...created, token: "" });
    expect((await sandbox.asToken("GET", "/user", created.token)).status).toBe(200);
    await sandbox.asAccount("DELETE", "/authorizations/7");
    expect((await sandbox.asToken("GET", "/user", created.token)).status).toBe(401);
  });

  test.each([
    [undefined, "description", "missing_field"],
    [{ note: "" }, "description", "missing_field"],
    [{ note: 7 }, "note", "invalid"],
    [{ note: "n", scopes: "repo" }, "scopes", "invalid"],
    [{ note: "n", scopes: [1] }, "scopes", "invalid"],
    [{ note: "n", fingerprint: {} }, "fingerprint", "invalid"],
    [{ note: "n", client_id: "x" }, "client_secret", "invalid"],
    [{ note: "n", client_id: "x", client_secret: "y" }, "client_secret", "invalid"],
    [{ note: "laptop" }, "description", "already_exists"],
    [{ note: "n", fingerprint: "taken" }, "fingerprint", "already_exists"],
  ])("%j is refused for %s: %s", async (body, field, code) => {
    const sandbox = await startTestSandbox();
    await create(sandbox, { note: "laptop", fingerprint: "taken" });
    expect(outcomeOf(await create(sandbox, body))).toEqual(invalid(field, code));
    expect(sandbox.store.tokens()).toHaveLength(7);
  });
});

const put = (sandbox: TestSandbox, rest: string, body: object = {}): Promise<Reply> => {
  const { client_id, client_secret } = sandbox.description;
  const path = `/authorizations/clients/${client_id}${rest}`;
  return sandbox.asAccount("PUT", path, { client_secret, ...body });
};

describe("get-or-create", () => {
  test("creates at first, then finds and returns no value", async () => {
    const sandbox = await startTestSandbox({ grants: 0, authorizations: 0 });
    const body = { scopes: ["repo"], note: "ci", note_url: "https://example.com/ci" };
    const first = await put(sandbox, "", body);
    const created = rowOf(first);
    expect(created).toMatchObject({ ...body, fingerprint: "" });
    expect(created.token).toMatch(/^[0-9a-f]{40}$/);
    const second = await put(sandbox, "", { scopes: ["user"], note: "other" });
    expect(second.json).toEqual({ ...created, token: "" });
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.headers["location"]).toBe(first.headers["location"]);
  });

  test("a fingerprint in the path equals one in the body; without one, any authorization is found", async () => {
    const sandbox = await startTestSandbox({ grants: 0, authorizations: 0 });
    const created = rowOf(await put(sandbox, `/${encodeURIComponent("büro/漢字 #1")}`));
    expect(created).toMatchObject({ fingerprint: "büro/漢字 #1", scopes: [], note: null, note_url: null });
    const found = { ...created, token: "" };
    expect((await put(sandbox, "", { fingerprint: "büro/漢字 #1" })).json).toEqual(found);
    expect((await put(sandbox, "")).json).toEqual(found);
    expect((await put(sandbox, "/another")).status).toBe(201);
  });
});

describe("update", () => {
  const before = { note: "n", note_url: "https://e.example/1", fingerprint: "f", scopes: ["repo", "user"] };

  test.each([
    [{}, {}],
    [{ scopes: ["gist"] }, { scopes: ["gist"] }],
    [{ scopes: [] }, { scopes: [] }],
    [{ add_scopes: ["gist", "user", "gist"] }, { scopes: ["repo", "user", "gist"] }],
    [{ remove_scopes: ["user", "gist"] }, { scopes: ["repo"] }],
    [{ note: null, note_url: "", fingerprint: null, scopes: null }, {}],
    [{ note: "m", note_url: "https://e.example/2", fingerprint: "g" }, null],
  ])("%j changes the fields to %j", async (body, expected) => {
    const sandbox = await startTestSandbox();
    const created = rowOf(await create(sandbox, before));
    sandbox.clock.now += 5000;
    const reply = await sandbox.asAccount("PATCH", "/authorizations/7", body);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({
      ...before,
      ...(expected ?? body),
      token: "",
      created_at: created.created_at,
      updated_at: "2026-11-20T19:02:09Z",
    });
    expect((await sandbox.asAccount("GET", "/authorizations/7")).json).toEqual(reply.json);
    expect((await sandbox.asToken("GET", "/user", created.token)).status).toBe(200);
  });

  test.each([
    [{ scopes: ["repo"], add_scopes: ["user"] }, "scopes", "custom"],
    [{ add_scopes: [], remove_scopes: [] }, "scopes", "custom"],
    [{ note: "taken" }, "description", "already_exists"],
    [{ fingerprint: "taken" }, "fingerprint", "already_exists"],
  ])("%j is refused for %s: %s", async (body, field, code) => {
    const sandbox = await startTestSandbox();
    await create(sandbox, { note: "taken", fingerprint: "taken" });
    const { json } = await create(sandbox, before);
    const message =
      code === "custom" ? "only one of scopes, add_scopes, remove_scopes may be sent" : undefined;
    const reply = await sandbox.asAccount("PATCH", "/authorizations/8", body);
    expect(outcomeOf(reply)).toEqual(invalid(field, code, message));
    expect((await sandbox.asAccount("GET", "/authorizations/8")).json).toEqual({
      ...(json as object),
      token: "",
    });
  });
});

const linksOf = (reply: Reply): object =>
  Object.fromEntries(
    [...(reply.headers["link"] ?? "").matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, url, name]) => [
      name,
      url,
    ]),
  );

describe("pages", () => {
  test("have thirty rows, and links to the next and the last", async () => {
    const sandbox = await startTestSandbox({ grants: 1, authorizations: 95 });
    const url = `${sandbox.description.base_url}/authorizations`;
    for (const [query, length, links] of [
      ["", 30, { next: `${url}?page=2`, last: `${url}?page=4` }],
      ["?page=3", 30, { next: `${url}?page=4`, last: `${url}?page=4` }],
      ["?page=4", 5, {}],
      ["?page=400", 0, {}],
      ["?per_page=1000", 95, {}],
      [
        "?per_page=50&q=a%20b",
        50,
        { next: `${url}?per_page=50&q=a+b&page=2`, last: `${url}?per_page=50&q=a+b&page=2` },
      ],
    ] as const) {
      const reply = await sandbox.asAccount("GET", `/authorizations${query}`);
      expect([query, reply.status, rowsOf(reply).length, linksOf(reply)]).toEqual([
        query,
        200,
        length,
        links,
      ]);
    }
  });
});
