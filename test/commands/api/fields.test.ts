// The fields of `-f` and `-F` in a body or a query, as in `gh api`.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { startRecordingServer, type RecordedRequest } from "../../support/recording-server.ts";
import { makeFolder } from "../../support/state-folder.ts";

async function send(words: readonly string[], input = ""): Promise<RecordedRequest | undefined> {
  const server = await startRecordingServer(() => ({ status: 200, body: {} }));
  const run = await server.run(["api", "/x", ...words], { input });
  expect(run).toMatchObject({ code: 0, stderr: "" });
  return server.requests[0];
}

async function refuse(words: readonly string[], input = ""): Promise<string> {
  const server = await startRecordingServer();
  const run = await server.run(["api", "/x", ...words], { input });
  expect([run.code, run.stdout, server.lines()]).toEqual([2, "", []]);
  return run.stderr;
}

describe("in a body", () => {
  test.each<readonly [readonly string[], string]>([
    [["-f", "a=1"], '{"a":"1"}'],
    [["-f", "a=true"], '{"a":"true"}'],
    [["-f", "a=@nothing"], '{"a":"@nothing"}'],
    [["-f", "a="], '{"a":""}'],
    [["-f", "a=b=c&d"], '{"a":"b=c&d"}'],
    [["-f", "a=-ä\u{1f980}\n"], '{"a":"-ä\u{1f980}\\n"}'],
    [["-F", "a=1"], '{"a":1}'],
    [["-F", "a=-17"], '{"a":-17}'],
    [["-F", "a=9007199254740993"], '{"a":9007199254740993}'],
    [["-F", "a=-123456789012345678901234567890"], '{"a":-123456789012345678901234567890}'],
    [["-F", "a=true", "-F", "b=false", "-F", "c=null"], '{"a":true,"b":false,"c":null}'],
    // Like gh, only integers become numbers.
    [
      ["-F", "a=1.5", "-F", "b=1e3", "-F", "c=0x10", "-F", "d=TRUE"],
      '{"a":"1.5","b":"1e3","c":"0x10","d":"TRUE"}',
    ],
    [["-F", "a={}"], '{"a":"{}"}'],
    [["-F", "a[b]=1", "-F", "a[c][d]=2"], '{"a":{"b":1,"c":{"d":2}}}'],
    [["-f", "a[]=x", "-f", "a[]=y"], '{"a":["x","y"]}'],
    [["-f", "a[b][]=x", "-F", "a[b][]=2"], '{"a":{"b":["x",2]}}'],
    [
      ["-F", "a[][b]=1", "-F", "a[][c]=2", "-F", "a[][b]=3", "-F", "a[][c]=4"],
      '{"a":[{"b":1,"c":2},{"b":3,"c":4}]}',
    ],
    [
      ["-f", "a[][t][]=x", "-f", "a[][t][]=y", "-f", "a[][n]=1", "-f", "a[][n]=2"],
      '{"a":[{"t":["x","y"],"n":"1"},{"n":"2"}]}',
    ],
    [["-f", "a[]"], '{"a":[]}'],
    [["-f", "a[b][]", "-f", "c=1"], '{"a":{"b":[]},"c":"1"}'],
    [
      ["-f", "__proto__=x", "-f", "constructor[prototype]=y"],
      '{"__proto__":"x","constructor":{"prototype":"y"}}',
    ],
    [["-f", "a[__proto__][b]=x"], '{"a":{"__proto__":{"b":"x"}}}'],
    // Input cannot forge the internal marker of lossless numbers.
    [["-f", "isLosslessNumber=x", "-f", "value=1,2"], '{"isLosslessNumber":"x","value":"1,2"}'],
  ])("%j", async (words, body) => {
    const request = await send(words);
    expect(request?.method).toBe("POST");
    expect(request?.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(request?.body).toBe(body);
  });

  test("@file and @- are read as text, including line endings", async () => {
    const file = join(makeFolder(), "text");
    writeFileSync(file, "line ä\r\n42\n");
    expect((await send(["-F", `a=@${file}`]))?.body).toBe('{"a":"line ä\\r\\n42\\n"}');
    expect((await send(["-F", "a=@-"], "from a pipe\n"))?.body).toBe('{"a":"from a pipe\\n"}');
  });

  test("every method except GET and HEAD sends fields in the body", async () => {
    for (const method of ["PUT", "PATCH", "DELETE", "patch"]) {
      const request = await send(["-X", method, "-f", "a=1"]);
      expect([request?.method, request?.path, request?.body]).toEqual([
        method.toUpperCase(),
        "/x",
        '{"a":"1"}',
      ]);
    }
  });
});

describe("in a query", () => {
  test.each<readonly [readonly string[], string]>([
    [["-f", "q=a b&c"], "/x?q=a+b%26c"],
    [["-f", "a[]=1", "-F", "a[]=2"], "/x?a%5B%5D=1&a%5B%5D=2"],
    [["-F", "id=9007199254740993", "-F", "t=true"], "/x?id=9007199254740993&t=true"],
    // A query has no null; gh sends only the name.
    [["-F", "n=null"], "/x?n="],
    [["-f", "ä=\u{1f980}"], "/x?%C3%A4=%F0%9F%A6%80"],
  ])("GET %j", async (words, path) => {
    const request = await send(["-X", "GET", ...words]);
    expect([request?.method, request?.path, request?.body]).toEqual(["GET", path, ""]);
  });

  test("appends fields to a query in the path", async () => {
    const server = await startRecordingServer(() => ({ status: 200, body: {} }));
    await server.run(["api", "/x?a=1", "-X", "GET", "-f", "b=2"]);
    expect(server.lines()).toEqual(["GET /x?a=1&b=2"]);
  });

  test("sends fields in the query if --input provides the body", async () => {
    const request = await send(["--input", "-", "-f", "a=1"], '{"b": 2.0}\n');
    expect([request?.method, request?.path, request?.body]).toEqual(["POST", "/x?a=1", '{"b": 2.0}\n']);
    const put = await send(["-X", "PUT", "--input", "-"], "");
    expect([put?.method, put?.path, put?.body]).toEqual(["PUT", "/x", ""]);
  });
});

describe("rejected before any request", () => {
  test.each([
    [["-f", "a"]],
    [["-f", "=a"]],
    [["-f", "[]=a"]],
    [["-f", "[b]=a"]],
    [["-f", "a[=b"]],
    [["-f", "a]=b"]],
    [["-f", "a[b]c=d"]],
    [["-f", "a[b]"]],
    [["-f", "a=1", "-f", "a=2"]],
    [["-f", "a[b]=1", "-f", "a[b]=2"]],
    [["-f", "a[b]=1", "-f", "a=2"]],
    [["-f", "a[]=1", "-f", "a=2"]],
    [["-f", "a=1", "-f", "a[]=2"]],
    [["-f", "a=1", "-f", "a[b]=2"]],
    [["-f", "a[b]=1", "-f", "a[]=2"]],
    [["-f", "a[]=1", "-f", "a[b]=2"]],
    [["-X", "GET", "-f", "a[b]=1"]],
    [["-F", "a=@/nonexistent/file"]],
    [["--input", "/nonexistent/file"]],
    [["--input", "-", "-F", "a=@-"]],
    [["-X", "TRACE"]],
    [["-X", "GET\r\nX: y"]],
    [["-X", ""]],
    [["--slurp"]],
    [["--paginate", "-X", "POST"]],
    [["--paginate", "-f", "a=1"]],
    [["--paginate", "-i"]],
    [["--paginate", "-X", "GET", "-f", "page=2"]],
    [["--auth", "bearer"]],
    [["-H", "Authorization: token abc"]],
    [["-H", "Content-Length: 3"]],
    [["-H", "X-A: b\r\nX-C: d"]],
    [["--jq", ".["]],
    [["--jq", ".login", "--format", "tsv"]],
    [["--jq", ".login", "--format", "csv"]],
    [["--json", "login"]],
    [["--format", "csv"]],
    [["--format", "tsv"]],
  ])("%j", async (words) => {
    const stderr = await refuse(words, "text");
    expect(stderr).not.toContain("token abc");
    expect(stderr.split("\n").length).toBeLessThanOrEqual(3);
  });

  test("messages never repeat a value", async () => {
    expect(await refuse(["-f", "a=1", "-f", "a=hunter2"])).not.toContain("hunter2");
    expect(await refuse(["-f", "hunter2"])).not.toContain("hunter2");
  });

  test("rejects a file that is not UTF-8", async () => {
    const file = join(makeFolder(), "bytes");
    writeFileSync(file, Buffer.from([0x61, 0xff]));
    expect(await refuse(["-F", `a=@${file}`])).toContain("not UTF-8");
  });
});
