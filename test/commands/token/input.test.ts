// Tokens in the encodings and line ends of other systems, and text that is none.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { test } from "../../support/grantctl.ts";
import { checkedJson, tokenValue } from "../../support/resources.ts";
import { json, on } from "../../support/serve.ts";

const [first, second] = [tokenValue(1), tokenValue(2)] as const;
const both = on("GET /applications/:client/tokens/:token", ({ path }) =>
  json(200, checkedJson(path.split("/").at(-1) ?? "")),
);

test.for([
  ["lines without a last end", `${first}\n${second}`],
  ["CR LF", `${first}\r\n${second}\r\n`],
  ["CR", `${first}\r${second}\r`],
  ["a byte order mark", `\uFEFF${first}\n${second}\n`],
  ["blanks around and between", `\n  ${first}\t\n\n\n ${second} \n\n`],
  ["a JSON array with a byte order mark", `\uFEFF${JSON.stringify([first, second])}\r\n`],
  ["ndjson", `{"id":1,"token":"${first}"}\r\n{"id":2,"token":"${second}"}\r\n`],
] as const)("reads %s", async ([, input], { grantctl, serve }) => {
  await serve(both);
  const run = await grantctl("token check --jq .[].token_last_eight", { input });
  expect(run).toMatchObject({ code: 0, stdout: "00000001\n00000002\n" });
});

test.for([
  ["a control character", "tok\u0007en-hush-hush"],
  ["NUL", "tok\u0000en-hush-hush"],
  ["text beyond ASCII", "tökén-hush-hush"],
  ["nine kilobytes", "hush-hush".repeat(1_000)],
  ["a number in place of the token", '{"token":{"hush-hush":1}}'],
  ["an empty token", '{"token":""}'],
] as const)("%s in line 3 is 2, and only its line is named", async ([, line], { grantctl, serve }) => {
  const server = await serve(both);
  const run = await grantctl("token check", { input: `${first}\n\n${line}\n${second}\n` });
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
  expect(run.stderr).toContain("line 3");
  expect(run.stderr).not.toMatch(/hush|en-|öké/);
});

test("a file in UTF-16, as PowerShell writes it, or of no encoding is 2", async ({
  grantctl,
  serve,
  folder,
}) => {
  const server = await serve(both);
  const file = join(folder, "tokens.txt");
  for (const [bytes, hint] of [
    [Buffer.from(`\uFEFF${first}\n`, "utf16le"), "iconv -f UTF-16 -t UTF-8"],
    [Buffer.concat([Buffer.from(`${first}\n`), Buffer.from([0xff, 0xfe])]), ""],
  ] as const) {
    writeFileSync(file, bytes);
    const run = await grantctl(["token", "check", "--token-file", file]);
    expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
    expect(run.stderr).toContain(hint);
  }
});
