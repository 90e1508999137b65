// Prompts and dry-run plans of commands that change tokens name the affected tokens.
import { expect, test } from "vitest";
import { startRecordingServer, type RecordingServer } from "../../support/recording-server.ts";
import { checkedJson, tokenValue } from "../../support/resources.ts";
import { typing } from "../../support/typing-terminal.ts";

const dead = tokenValue(99);
const [first, second] = [tokenValue(1), tokenValue(2)];
const eight = (token: string): string => token.slice(-8);
const note = "ci of the web team";

/** Returns every token but the revoked one; the first one has a note. */
function startService(): Promise<RecordingServer> {
  return startRecordingServer(({ path }) => {
    const token = path.split("/").at(-1) ?? "";
    if (token === dead) return { status: 404, body: { message: "Not Found" } };
    return { status: 200, body: { ...checkedJson(token), note: token === first ? note : null } };
  });
}

/** The prompt of a run, or its plan with --dry-run, about these tokens, on one line. */
async function said(verb: string, tokens: readonly string[], ...flags: readonly string[]) {
  const server = await startService();
  const terminal = typing("n\n");
  const { code, stderr } = await server.run(["token", verb, ...flags], {
    environment: { TERM: "dumb" },
    input: tokens.join("\n"),
    ...terminal.world,
  });
  expect(server.writes()).toEqual([]);
  const text = (terminal.shown() + stderr).replaceAll(/\s+/g, " ").replaceAll(server.root, "ROOT");
  return { code, text, reads: server.lines().length };
}

const { app } = checkedJson(first) as { app: { name: string } };
const one = `the token ending in ${eight(first)} "${note}" of "${app.name}"`;
const two = `2 tokens of "${app.name}" (ending in ${eight(first)} "${note}", ${eight(second)})`;

test.each([
  ["reset", "eset ", " at ROOT and invalidate the old value"],
  ["revoke", "evoke ", " at ROOT"],
  [
    "revoke-grant",
    "evoke the grant behind ",
    " at ROOT, and all tokens that the application holds for that user",
  ],
])("token %s", async (verb, before, after) => {
  for (const [tokens, what] of [
    [[first], one],
    [[first, second], two],
  ] as const) {
    const asked = await said(verb, tokens);
    expect(asked).toMatchObject({ code: 2, reads: tokens.length });
    const end = verb === "reset" && tokens.length > 1 ? `${after}s` : after;
    expect(asked.text).toContain(`R${before}${what}${end}? (y/N)`);
    const planned = await said(verb, tokens, "--dry-run");
    expect(planned).toMatchObject({ code: 0, reads: tokens.length });
    expect(planned.text).toContain(`would r${before}${what}${end}`);
  }
});

test("shows an unknown token by its last eight characters, and leaves it out of the plan", async () => {
  const asked = await said("revoke", [dead, second]);
  expect(asked.text).toContain(
    `Revoke 2 tokens of "${app.name}" (ending in ${eight(dead)}, ${eight(second)})`,
  );
  const planned = await said("revoke", [dead, second], "--dry-run");
  expect(planned.text).toContain(
    `would revoke the token ending in ${eight(second)} of "${app.name}" at ROOT`,
  );
  expect((await said("revoke", [dead])).text).toContain(`Revoke the token ending in ${eight(dead)} at ROOT?`);
});

test("reads and names ten of many tokens before the prompt", async () => {
  const many = Array.from({ length: 42 }, (_, index) => tokenValue(100 + index));
  const asked = await said("revoke", many);
  expect(asked.reads).toBe(10);
  expect(asked.text).toContain(
    `42 tokens of "${app.name}" (ending in ${many.slice(0, 10).map(eight).join(", ")}, and 32 more)`,
  );
});

test.each(["reset", "revoke", "revoke-grant"])(
  "token %s does not prompt with --yes, and reads no token first",
  async (verb) => {
    const server = await startRecordingServer(() => ({ status: 403 }));
    await server.run(["token", verb, "--yes"], { input: first });
    expect(server.lines().length).toBe(server.writes().length);
  },
);

test.each(["reset", "revoke", "revoke-grant"])("token %s sends nothing if it cannot prompt", async (verb) => {
  const server = await startService();
  const run = await server.run(["token", verb], { input: first });
  expect([run.code, server.lines()]).toEqual([2, []]);
});
