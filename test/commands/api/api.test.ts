// `grantctl api` where its bytes or signals matter; the rest is in test/scripts/servers.
import { createHash } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { program, runProgram } from "../../support/binary.ts";
import { test } from "../../support/grantctl.ts";
import { jsonAnswer, startRawServer } from "../../support/raw-server.ts";
import { json, on, plain } from "../../support/serve.ts";

test("copies each byte to a pipe, and ends the line of an error response", async ({ serve, environment }) => {
  const bodies = [
    Buffer.from("\ufeffno json at all\r\n\u001b[31m\u202e"),
    Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0x80]),
    Buffer.from([...Buffer.alloc(3_000_000, "x"), 0xff]),
  ];
  await serve(
    ...bodies.map((body, at) =>
      on(`GET /${at}`, new Response(new Uint8Array(body), { status: at === 1 ? 422 : 200 })),
    ),
  );
  for (const [at, body] of bodies.entries()) {
    const run = await runProgram("bash", ["-c", `"$NODE" "$PROGRAM" api /${at} | sha256sum | cut -c1-64`], {
      environment: { ...environment, NODE: process.execPath, PROGRAM: program },
    });
    const printed = at === 1 ? Buffer.concat([body, Buffer.from("\n")]) : body;
    expect([at, run.stdout.trim()]).toEqual([at, createHash("sha256").update(printed).digest("hex")]);
  }
});

test("escapes control characters of texts and headers on a terminal", async ({ serve, grantctl }) => {
  const server = await serve(on("GET /x", plain(200, "a\u001b[2Jb\r\nc")));
  expect((await grantctl("api /x", { columns: 80 })).stdout).toBe("a\\x1b[2Jb\nc\n");
  server.reset(on("GET /x", plain(200, "[]", { "X-Note": "\u009b31mred" })));
  expect((await grantctl("api /x -i", { columns: 80 })).stdout).toMatch(
    /^HTTP\/1\.1 200 OK\nx-note: \\x9b31mred\n[^]*\n\n\[\]\n$/,
  );
});

test("a page may have more items than a function call may have arguments", async ({ serve, grantctl }) => {
  await serve(on("GET /l", plain(200, `[${"1,".repeat(400_000)}1]`)));
  const run = await grantctl("api /l --paginate --jq length");
  expect(run).toEqual({ code: 0, stdout: "400001\n", stderr: "" });
});

test("several Link headers, one for each relation, are one list", async ({ grantctl }) => {
  const server = await startRawServer((socket, request) => {
    const isFirst = !request.includes("after=");
    const links = ['Link: </l?per_page=100>; rel="self"', 'Link: </l?per_page=100&after=c>; rel="next"'];
    socket.write(jsonAnswer(200, [isFirst ? 1 : 2], isFirst ? links : links.slice(0, 1)));
  });
  const run = await grantctl(`api /l --paginate --auth none --base-url ${server.root}`);
  expect([run.code, JSON.parse(run.stdout)]).toEqual([0, [1, 2]]);
  await server.close();
});

test("a field's file that is not UTF-8 is refused", async ({ folder, grantctl }) => {
  writeFileSync(join(folder, "bytes"), Buffer.from([0x61, 0xff]));
  const run = await grantctl(["api", "/x", "-F", `a=@${join(folder, "bytes")}`]);
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining("not UTF-8")]);
});

describe("Ctrl-C: a change is finished and its answer printed", () => {
  test.for([
    [["api", "-X", "POST", "/x"], "{}"],
    [["api", "graphql", "-f", "query=mutation { a }"], '{"data":null}'],
  ] as const)("%j", async ([words, expected], { serve, environment }) => {
    const answer = async (): Promise<Response> => {
      child.kill("SIGINT");
      // It says that it waits for the response.
      await once(child.stderr, "data");
      return json(200, JSON.parse(expected));
    };
    const server = await serve(on("POST /*", answer));
    const env = { PATH: process.env["PATH"] ?? "", ...environment };
    const child = spawn(process.execPath, [program, ...words], { env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    expect([...(await once(child, "close")), stdout]).toEqual([0, null, expected]);
    expect(server.requests).toHaveLength(1);
  });
});
