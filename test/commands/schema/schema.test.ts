// `grantctl schema`: its output, rejected commands, and the validity of the schemas.
import { describe, expect, test } from "vitest";
import { jsonFieldsOf } from "../../../src/commands/outputs.ts";
import { allSchemas } from "../../../src/commands/schema/schema.ts";
import { exampleOf } from "../../support/example-words.ts";
import { createValidator, pathsOf } from "../../support/schemas.ts";
import { runMain } from "../../support/test-host.ts";

const schemas = allSchemas();

test("lists the commands that have a schema if run without arguments", async () => {
  const { code, stdout, stderr } = await runMain(["schema"]);
  expect([code, stderr]).toEqual([0, ""]);
  const named = stdout.split("\n").filter((line) => line !== "");
  expect(named.map((line) => line.split("\t")[0])).toEqual([
    ...new Set(schemas.map(({ command }) => command)),
  ]);
  expect(stdout).toContain("grant list\tan array of grants\n");
});

test.each(schemas.map(({ command, form, document }) => [command, form, document] as const))(
  "%s, %s: is printed, is valid under draft 2020-12, and describes every property",
  async (command, form, document) => {
    const flags = form === "line" ? ["--format", "ndjson"] : [];
    const { code, stdout, stderr } = await runMain(["schema", ...command.split(" "), ...flags]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual(document);
    expect(stdout.trimEnd().includes("\n")).toBe(form === "document");
    const validator = createValidator();
    expect(document.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(validator.validateSchema(document)).toBe(true);
    const { $defs = {} } = document;
    expect(Object.keys($defs)).not.toEqual([]);
    for (const [name, definition] of Object.entries($defs)) {
      expect(definition.title).toBe(name);
      for (const [property, { description, $ref, anyOf }] of Object.entries(definition.properties ?? {})) {
        expect.soft([name, property, description ?? $ref ?? anyOf]).not.toContain(undefined);
      }
    }
  },
);

test("gives each schema a unique identifier", () => {
  const ids = schemas.map(({ document }) => document.$id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toContain("urn:grantctl:schema:grant:list");
  expect(ids).toContain("urn:grantctl:schema:token:revoke-grant:line");
});

test("resolves command aliases", async () => {
  const { stdout } = await runMain(["schema", "authz", "ls"]);
  expect(JSON.parse(stdout)).toMatchObject({ $id: "urn:grantctl:schema:authorization:list" });
});

test("--jq filters a schema, and --json does not change the output", async () => {
  const run = await runMain(["schema", "grant", "list", "--jq", '."$defs".Grant.required | join(",")']);
  expect(run.stdout).toBe("id,url,app,created_at,updated_at,scopes\n");
  const plain = await runMain(["schema", "grant", "list"]);
  expect(await runMain(["schema", "grant", "list", "--json"])).toEqual(plain);
});

test("ignores the configuration, even an invalid one", async () => {
  const environment = { GRANTCTL_CONFIG_DIR: "/dev/null/nowhere", GRANTCTL_PROFILE: "nosuch" };
  expect((await runMain(["schema", "grant", "list"], { environment })).code).toBe(0);
});

describe("a command without a schema", () => {
  test.each([
    ["grant lst", "You may have meant `list`"],
    ["grnt list", "You may have meant `grant`"],
    ["grant", "grantctl schema grant list"],
    ["grant list extra", "too many arguments"],
    ["nosuch", "unknown command"],
    ["help", "prints the help of a command"],
    ["authz lst", "You may have meant `list`"],
    ["__proto__", "unknown command"],
    ["api", "prints the response of the server"],
    ["auth logout", "nothing on standard output"],
    ["--json grant list", "Write --json at the end"],
    ["grant list --format csv", "--format json or --format ndjson"],
  ])("%s is rejected as a usage error with the reason", async (words, mentioned) => {
    const { code, stdout, stderr } = await runMain(["schema", ...words.split(" ")]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(mentioned);
  });
});

// Plans are excluded: --json prints them whole, without field selection.
describe("--json accepts exactly the fields of the schema", () => {
  const token = "a".repeat(40);
  const commands = schemas.filter(
    ({ command, form }) => form === "line" && command !== "error" && jsonFieldsOf(command).length > 0,
  );

  test.each(commands.map(({ command, document }) => [command, document] as const))(
    "%s",
    async (command, document) => {
      const taken = new Set<string>();
      // Some fields depend on the server type; a command that the server does not support lists no fields.
      for (const operator of ["service", "oauth"]) {
        const run = await runMain([...(await exampleOf(command)), "--json=nosuch"], {
          environment: { GRANTCTL_BASE_URL: "http://127.0.0.1:9", GRANTCTL_OPERATOR: operator },
          input: `${token}\n${token.replace("a", "b")}\n`,
        });
        expect(run.code).toBe(2);
        const { error } = JSON.parse(run.stderr) as { error: { hint: string } };
        const [, fields = ""] = /^Available fields: (.+)$/.exec(error.hint) ?? [];
        for (const field of fields.split(", ").filter((name) => name !== "")) taken.add(field);
      }
      expect([...taken].toSorted()).toEqual(pathsOf(document, "Plan"));
    },
  );
});
