// The real output of each command matches its schemas, in both forms and for every class of failure that a sandbox can
// produce.
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { allSchemas } from "../../src/commands/schema/schema.ts";
import type { SchemaForm } from "../../src/commands/outputs.ts";
import { openAccount, type Account } from "../support/account.ts";
import { makeConfigurationFolder } from "../support/configuration.ts";
import { exampleOf } from "../support/example-words.ts";
import { createChecker } from "../support/schemas.ts";
import { startSandboxOfBinary } from "../support/shell.ts";
import { makeFolder, makeStateFolder } from "../support/state-folder.ts";
import { runMain } from "../support/test-host.ts";
import { on, startTruthService } from "../support/truth-service.ts";

interface Seen {
  readonly code?: number;
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

const complain = createChecker();
/** The schemas already checked, such as `grant list document`. */
const looked = new Set<string>();

let account: Account;
beforeAll(async () => {
  account = await openAccount({ grants: 6, authorizations: 20 });
});
afterAll(() => account.sandbox.close());

/** Checks output values against the schema of a command, each value a document or line. */
function expectToFit(command: string, form: SchemaForm, values: readonly unknown[]): void {
  expect(values).not.toEqual([]);
  for (const value of values) {
    expect([command, form, value, complain(command, form, value)]).toEqual([command, form, value, []]);
  }
  looked.add(`${command} ${form}`);
}

/** Runs a command in one form of JSON, checks its output and returns it. */
async function look<T>(
  command: string,
  form: SchemaForm,
  words: readonly string[] = [],
  { code = 0, input, environment }: Seen = {},
): Promise<readonly T[]> {
  const flags = form === "line" ? ["--format", "ndjson"] : ["--json"];
  const run = await runMain([...command.split(" "), ...words, ...flags], {
    environment: { ...account.environment, ...environment },
    ...(input === undefined ? {} : { input }),
  });
  expect([command, words, run.code, run.stderr]).toEqual([command, words, code, expect.any(String)]);
  const texts = form === "line" ? run.stdout.trimEnd().split("\n") : [run.stdout];
  const values = texts.map((text) => JSON.parse(text) as T);
  expectToFit(command, form, values);
  return values;
}

const both: readonly SchemaForm[] = ["document", "line"];

interface Item {
  readonly id: number;
  readonly token: string;
}

test("profiles match their schemas", async () => {
  const folder = makeConfigurationFolder({
    profiles: { work: { base_url: "https://ghe.example.com" }, empty: {} },
  });
  for (const form of both)
    expect(await look("auth list", form, [], { environment: folder.environment })).not.toEqual([]);
});

test("grants match their schemas", async () => {
  for (const form of both) await look("grant list", form);
  const grants = await look<Item>("grant list", "line");
  const ids = grants.map(({ id }) => String(id));
  const [first = "", second = "", third = "", fourth = ""] = ids.slice(1);
  for (const form of both) await look("grant view", form, [first]);
  await look("grant delete", "document", [first, "--dry-run"]);
  await look("grant delete", "document", [first, "--yes"]);
  await look("grant delete", "line", [second, "--yes"]);
  await look("grant delete", "document", [first, third, "--dry-run"]);
  // A successful response proves that the earlier item no longer exists.
  const rows = await look<{ status: string }>("grant delete", "line", [first, third, "--yes"]);
  expect(rows.map(({ status }) => status)).toEqual(["already-gone", "deleted"]);
  await look("grant delete", "document", [fourth, "999999", "--yes"]);
  await look("grant delete", "document", ["999998", "999999", "--yes"]);
  const environment = { GRANTCTL_PASSWORD: "wrong" };
  await look("grant delete", "document", ["999998", "999999", "--yes"], { code: 9, environment });
  await look("grant delete", "document", ["-"]);
});

test("authorizations match their schemas", async () => {
  for (const form of both) {
    const [created] = await look<Item>("authorization create", form, ["--note", form, "--scope", "repo"]);
    const id = String(created?.id);
    await look("authorization list", form);
    await look("authorization view", form, [id]);
    await look("authorization update", form, [id, "--note", `${form} again`]);
    await look("authorization identify", form, [], { input: created?.token ?? "" });
    const mine = ["--fingerprint", form];
    const [made] = await look<Item>("authorization get-or-create", form, mine);
    await look("authorization get-or-create", form, mine, { code: 10 });
    await look("authorization get-or-create", form, [...mine, "--allow-existing"]);
    await look("authorization delete", form, [id, "--yes"]);
    const gone = await look("authorization delete", form, [String(made?.id), id, "--yes"]);
    expect(gone.flat()).toContainEqual({ status: "already-gone", id: created?.id });
  }
});

test("an application's tokens match their schemas", async () => {
  const tokens: string[] = [];
  for (let number = 0; number < 8; number += 1) {
    const fingerprint = ["--fingerprint", `token ${number}`];
    const [made] = await look<Item>("authorization get-or-create", "line", fingerprint);
    tokens.push(made?.token ?? "");
  }
  expect(new Set(tokens).size).toBe(8);
  const dead = "f".repeat(40);
  for (const form of both) {
    const [one = "", two = "", three = "", four = ""] = tokens.splice(0, 4);
    await look("token check", form, [], { input: one });
    await look("token check", form, [], { input: `${one}\n${two}\n` });
    await look("token check", form, [], { input: `${dead}\n${one}\n`, code: 9 });
    await look("token reset", form, ["--dry-run"], { input: one });
    const [reset] = await look<Item>("token reset", form, ["--yes"], { input: one });
    await look("token reset", form, ["--dry-run"], { input: `${two}\n${dead}\n`, code: 9 });
    const file = `${makeFolder()}/values`;
    await look("token reset", form, ["--yes", "--output-file", file], { input: `${two}\n${three}\n` });
    await look("token reset", form, ["--yes"], { input: `${four}\n${dead}\n`, code: 9 });
    await look("token revoke", form, ["--dry-run"], { input: reset?.token ?? "" });
    await look("token revoke", form, ["--yes"], { input: reset?.token ?? "" });
  }
  const { tokens: seeded } = account.sandbox.description;
  const [first = "", second = ""] = seeded.map(({ token }) => token);
  await look("token revoke-grant", "line", ["--dry-run"], { input: first });
  await look("token revoke-grant", "document", ["--yes"], { input: `${first}\n${second}\n${dead}\n` });
});

test.each([
  ["grant list", ["id", "app.name"]],

  ["token check", ["status", "token_last_eight"]],
])("%s has the same rows and fields in every format", async (command, fields) => {
  const { environment } = makeConfigurationFolder();
  await runMain(["config", "set", "username", "octavia"], { environment });
  const { tokens } = account.sandbox.description;
  const input = tokens.map(({ token }) => `${token}\n`).join("");
  const printAs = async (format: string): Promise<readonly string[]> => {
    const words = [...command.split(" "), "--json", fields.join(","), "--format", format];
    const run = await runMain(words, { input, environment: { ...account.environment, ...environment } });
    return run.stdout.trimEnd().split(/\r?\n/);
  };
  const header = fields.map((field) => field.toUpperCase());
  const [csvHeader, ...csv] = await printAs("csv");
  const [tableHeader, ...table] = await printAs("table");
  const lines = (await printAs("ndjson")).map((line) => JSON.parse(line) as object);
  const document = JSON.parse((await printAs("json")).join("\n")) as readonly object[];
  const top = fields.map((field) => field.replace(/\..*/, ""));
  expect(csvHeader).toBe(header.join(","));
  expect(tableHeader?.trim().split(/ {2,}/)).toEqual(header);
  expect(csv.length).toBeGreaterThan(0);
  expect(await printAs("tsv")).toHaveLength(csv.length);
  expect(table).toHaveLength(csv.length);
  expect(lines.map((line) => Object.keys(line))).toEqual(csv.map(() => top));
  expect(document).toEqual(lines);
});

test("inspected and rotated personal tokens match their schemas", async () => {
  for (const form of both) {
    const [made] = await look<Item>("authorization create", "line", ["--note", `mine ${form}`]);
    const input = made?.token ?? "";
    await look("token inspect", form, [], { input });
    await look("token inspect", form, [], { input: `${input}\n${"0a1b".repeat(10)}\n`, code: 3 });
    const id = String(made?.id);
    await look("authorization rotate", form, [id, "--dry-run"]);
    const [rotated] = await look<Item>("authorization rotate", form, [id, "--yes"]);
    expect(rotated?.token).toMatch(/^[0-9a-f]{40}$/);
  }
});

test("reported tokens match their schemas", async () => {
  const other = await openAccount({ operator: "github.com" });
  onTestFinished(() => other.sandbox.close());
  const environment = { ...other.environment, GRANTCTL_OPERATOR: "github" };
  const [first = "", second = ""] = other.sandbox.description.tokens.map(({ token }) => token);
  for (const form of both) {
    await look("token report", form, ["--yes"], { environment, input: first });
    const rows = await look("token report", form, ["--yes"], { environment, input: `${first}\n${second}\n` });
    expect(rows.flat()).toHaveLength(2);
  }
});

test("audits match their schemas", async () => {
  const before = `${makeFolder()}/audit.json`;
  for (const form of both) {
    const [saved] = await look("audit", form);
    writeFileSync(before, JSON.stringify(saved));
    const { id } = (await look<Item>("authorization create", "line", ["--note", `of ${form}`]))[0] ?? {};
    await look("authorization update", "line", [String(id), "--add-scope", "gist"]);
    const [audit] = await look<{ findings: unknown[] }>(
      "audit",
      form,
      ["--compare", before, "--fail-on", "new,no-note"],
      { code: 14 },
    );
    expect(audit?.findings).not.toEqual([]);
  }
});

test("credentials and configuration match their schemas", async () => {
  const folder = makeConfigurationFolder();
  const { environment } = folder;
  for (const form of both) {
    await look("auth login", form, ["--store", "file"], { environment });
    await look("auth login", form, ["--app", "--store", "none"], { environment });
    await look("auth status", form, [], { environment });
    await look("auth status", form, [], { environment: { ...environment, GRANTCTL_PASSWORD: "" } });
    await look("config list", form, [], { environment });
    await look("config get", form, ["base_url"], { environment });
    await look("config path", form, [], { environment });
    await look("doctor", form, [], { environment });
    await look("schema", form);
  }
  await runMain(["config", "set", "default_profile", "default"], { environment });
  await look("config get", "document", ["default_profile"], { environment });
  const listed = await look("config list", "document", [], { environment });
  expect(listed.flat()).toContainEqual({ profile: null, key: "default_profile", value: "default" });
});

test("pending items of earlier runs match their schemas", async () => {
  const service = await startTruthService(
    on("reset", { rewrite: (answer) => answer.subarray(0, answer.indexOf('"note"')) }),
  );
  for (const count of [1, 2]) {
    const state = makeStateFolder();
    const environment = { ...service.environment, ...state.environment };
    const input = Array.from({ length: count }, () => `${service.addToken()}\n`).join("");
    expect((await runMain(["token", "reset", "--yes"], { environment, input })).code).toBe(13);
    const [id = "none"] = state.ids();
    for (const form of both) {
      await look("recover list", form, [], { environment });
      const shown = await look("recover show", form, [id], { environment });
      expect(shown.flat()).toHaveLength(count);
    }
    const jq = await runMain(["recover", "show", id, "--jq", "[..|.token?|strings]|length"], { environment });
    expect([jq.code, jq.stdout]).toEqual([0, `${count}\n`]);
  }
});

test.each([["app"], ["sms"]])("output of a sandbox with --otp %s matches its schemas", async (otp) => {
  const sandbox = await startSandboxOfBinary(["--otp", otp, "--grants", "2"]);
  try {
    for (const form of both) expectToFit("sandbox start", form, [sandbox.description]);
  } finally {
    await sandbox.stop();
  }
});

test("failures of every class match their schemas", async () => {
  const own = await openAccount();
  const fail = async (
    expected: number,
    words: readonly string[],
    environment: Readonly<Record<string, string>> = {},
    input = "",
  ): Promise<void> => {
    const run = await runMain(words, { environment: { ...own.environment, ...environment }, input });
    expect([words, run.code]).toEqual([words, expected]);
    const value = JSON.parse(run.stderr.trimEnd().split("\n").at(-1) ?? "") as {
      error: { exit_code: number };
    };
    for (const form of both) expectToFit("error", form, [value]);
    expect(value.error.exit_code).toBe(expected);
  };
  try {
    const create = ["authorization", "create", "--note", "n", "--json"];
    expect((await runMain(create, { environment: own.environment })).code).toBe(0);
    await fail(1, create);
    await fail(2, ["grant", "list", "--json", "nosuch"]);
    await fail(2, ["grant", "list", "--format", "ndjson", "--no-such-flag"]);
    await fail(3, ["grant", "view", "999999", "--json"]);
    await fail(4, ["grant", "list", "--json"], { GRANTCTL_PASSWORD: "" });
    await fail(8, ["grant", "list", "--json"], { GRANTCTL_BASE_URL: "http://127.0.0.1:9" });
    await fail(9, ["grant", "delete", "999998", "999999", "--yes", "--json"], { GRANTCTL_PASSWORD: "wrong" });
    const getOrCreate = ["authorization", "get-or-create", "--fingerprint", "f", "--json"];
    expect((await runMain(getOrCreate, { environment: own.environment })).code).toBe(0);
    await fail(10, getOrCreate);
    const { environment } = await startTruthService(({ operation }) =>
      operation === "list" ? { rewrite: () => answerOf("200 OK", "{") } : { cutAt: 9 },
    );
    await fail(11, ["authorization", "list", "--json"], environment);
    await fail(13, create, environment);
    const limited = await startTruthService(() => ({
      instead: { status: 429, headers: { "Retry-After": "100000", "X-Request-Id": "r-1" }, body: {} },
    }));
    await fail(7, ["grant", "list", "--json"], limited.environment);
    const organized = await startTruthService(() => ({
      instead: { status: 403, headers: { "X-Service-SSO": "required; url=https://sso.test/a" }, body: {} },
    }));
    await fail(6, ["grant", "list", "--json"], organized.environment);
    const asking = await startTruthService(() => ({
      instead: { status: 401, headers: { "X-Service-OTP": "required; app" }, body: {} },
    }));
    await fail(5, ["grant", "list", "--json", "--no-input"], asking.environment);
  } finally {
    await own.sandbox.close();
  }
});

test("schemas reject invalid values", () => {
  const grant = { id: 1, url: "", created_at: "", updated_at: "", scopes: [] };
  expect(complain("grant list", "document", [grant])).toEqual(["/0 must have required property 'app'"]);
  expect(complain("grant view", "document", { ...grant, app: null, more: 1 })).toEqual([
    " must NOT have additional properties",
  ]);
  expect(complain("grant list", "document", {})).toEqual([" must be array"]);
  expect(complain("authorization view", "document", { token: "a value" })).toContain(
    "/token must be equal to one of the allowed values",
  );
  expect(complain("token revoke", "line", { status: "reset", token_last_eight: "x" })).not.toEqual([]);
});

test("examples in the help of all other commands match their schemas", async () => {
  for (const { command, form } of allSchemas()) {
    if (looked.has(`${command} ${form}`)) continue;
    await look(command, form, (await exampleOf(command)).slice(command.split(" ").length));
  }
  expect(looked.size).toBe(allSchemas().length);
});

function answerOf(status: string, body: string): Buffer {
  return Buffer.from(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  );
}
