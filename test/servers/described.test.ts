// Compares every request of every command, and every response of the sandbox, with GitHub's published
// OpenAPI descriptions of GitHub Enterprise Server and github.com. The descriptions are reduced to our operations by
// slim-description.mjs, from the npm package @octokit/openapi.
import { expect, test } from "vitest";
import { checkAuthorization, checkGrant } from "../../src/api/checks.ts";
import { openAccount } from "../support/account.ts";
import { readDescription, startJudge, type Judge } from "./described-service.ts";
import { runMain } from "../support/test-host.ts";

/** Known differences of the sandbox or of the description, with the reasons. */
const deliberate: readonly { readonly violation: RegExp; readonly because: string }[] = [
  {
    violation: /^DELETE \/applications\/\{client_id\}\/grant is answered 404, which is not described$/,
    because: "a dead token is 404 here as for check, revoke and reset; the description has 204 and 422 alone",
  },
];

function unexpected(judge: Judge): readonly string[] {
  return [...new Set(judge.violations)].filter(
    (violation) => !deliberate.some(({ violation: known }) => known.test(violation)),
  );
}

const environmentOf = async (
  serverType: "github" | "github.com",
  description: string,
): Promise<{
  readonly judge: Judge;
  readonly run: (line: string, input?: string) => Promise<number>;
  readonly tokens: readonly string[];
  readonly clientId: string;
}> => {
  const { sandbox, environment } = await openAccount({
    serverType,
    headerWord: "GitHub",
    authorizations: 12,
  });
  const judge = await startJudge(description, sandbox.description.base_url);
  const run = async (line: string, input = ""): Promise<number> => {
    const { code } = await runMain(line.split(" "), {
      environment: { ...environment, GRANTCTL_BASE_URL: judge.root, GRANTCTL_SERVER_TYPE: "github" },
      input,
    });
    return code;
  };
  const { tokens, client_id: clientId } = sandbox.description;
  return { judge, run, tokens: tokens.map(({ token }) => token), clientId };
};

test("every command matches the description of an Enterprise Server", async () => {
  const { judge, run, tokens, clientId } = await environmentOf("github", "ghes-3.19");
  const [first = "", second = "", third = ""] = tokens;
  const codes = [
    await run("auth login --store file"),
    await run(`grant list --app ${clientId}`),
    await run("grant view 1"),
    await run("grant delete 2 --yes"),
    await run("authorization list"),
    await run("authorization view 1"),
    await run("authorization create --note n --scope repo --note-url https://n.example.com/"),
    await run(`authorization get-or-create --client-id ${clientId} --fingerprint f --scope gist`),
    await run(`authorization get-or-create --client-id ${clientId} --allow-existing`),
    await run("authorization update 1 --add-scope gist --note m"),
    await run("authorization delete 4 --yes"),
    await run("authorization identify", first),
    await run("token check", first),
    await run("token check", "gho_dead"),
    await run("token reset --yes", first),
    await run("token revoke --yes", second),
    await run("token revoke-grant --yes", third),
  ];
  expect(codes).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0]);
  expect([...judge.operations].toSorted().join(" ")).toBe(
    [
      "DELETE /applications/grants/{grant_id} DELETE /applications/{client_id}/grant",
      "DELETE /applications/{client_id}/token DELETE /authorizations/{authorization_id}",
      "GET /applications/grants GET /applications/grants/{grant_id} GET /authorizations",
      "GET /authorizations/{authorization_id} GET /meta PATCH /applications/{client_id}/token",
      "PATCH /authorizations/{authorization_id} POST /applications/{client_id}/token POST /authorizations",
      "PUT /authorizations/clients/{client_id} PUT /authorizations/clients/{client_id}/{fingerprint}",
    ].join(" "),
  );
  expect(unexpected(judge)).toEqual([]);
});

test("every command of an application matches the description of github.com", async () => {
  const { judge, run, tokens } = await environmentOf("github.com", "api.github.com");
  const [first = "", second = ""] = tokens;
  const codes = [
    await run("token check", first),
    await run("token reset --yes", first),
    await run("token revoke --yes", second),
    await run("token revoke-grant --yes", first),
    await run("auth login --app --store file"),
  ];
  expect(codes).toEqual([0, 0, 0, 9, 0]);
  expect(unexpected(judge)).toEqual([]);
});

test("the comparison detects undescribed requests and responses", async () => {
  const { judge, run, tokens } = await environmentOf("github", "ghes-3.19");
  expect(await run("token check --server-type service", tokens[0])).toBe(9);
  expect(await run("api -X POST /authorizations --auth basic -F scopes=7")).toBe(1);
  expect(unexpected(judge)).toEqual([
    expect.stringMatching(/^GET \/applications\/[0-9a-f]{20}\/tokens\/\w+ is not described$/),
    expect.stringMatching(/^POST \/authorizations is sent wrongly: \/requestBody\/scopes /),
  ]);
});

test.each(["ghes-3.19", "api.github.com"])("parses every example response of %s", (name) => {
  const examples = examplesOf(readDescription(name));
  expect(examples.length).toBeGreaterThan(1);
  for (const { path, value } of examples) {
    const check = path.startsWith("/applications/grants") ? checkGrant : checkAuthorization;
    for (const item of Array.isArray(value) ? value : [value]) expect(check(item)).toEqual(item);
  }
});

interface Example {
  readonly path: string;
  readonly value: unknown;
}

/** The examples of successful responses about grants and authorizations. */
function examplesOf({ paths }: ReturnType<typeof readDescription>): readonly Example[] {
  const found: Example[] = [];
  for (const [path, operations] of Object.entries(paths ?? {})) {
    if (path === "/meta") continue;
    for (const { responses } of Object.values(operations as Record<string, Described>)) {
      for (const [status, { content }] of Object.entries(responses ?? {})) {
        if (!status.startsWith("2")) continue;
        for (const { value } of Object.values(content?.["application/json"]?.examples ?? {})) {
          found.push({ path, value });
        }
      }
    }
  }
  return found;
}

interface Described {
  readonly responses?: Readonly<
    Record<
      string,
      {
        readonly content?: Readonly<
          Record<string, { readonly examples?: Record<string, { value: unknown }> }>
        >;
      }
    >
  >;
}
