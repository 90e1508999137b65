// The fields of `-f` and `-F` in a body or a query, as in `gh api`.
import { describe, expect } from "vitest";
import { test } from "../../support/grantctl.ts";
import { json, on } from "../../support/serve.ts";

describe("sent", () => {
  test.for<readonly [string, string]>([
    ["-f a=1 -f b=true", '{"a":"1","b":"true"}'],
    ["-f a=@nothing", '{"a":"@nothing"}'],
    ["-f a=", '{"a":""}'],
    ["-f a=b=c&d", '{"a":"b=c&d"}'],
    ["-f a=-ä\u{1f980}\n", '{"a":"-ä\u{1f980}\\n"}'],
    ["-F a=1 -F b=-17 -F c={}", '{"a":1,"b":-17,"c":"{}"}'],
    ["-F a=9007199254740993", '{"a":9007199254740993}'],
    ["-F a=-123456789012345678901234567890", '{"a":-123456789012345678901234567890}'],
    ["-F a=true -F b=false -F c=null -F d[]=null -F d[]=1", '{"a":true,"b":false,"c":null,"d":[null,1]}'],
    // Like gh, only integers become numbers.
    ["-F a=1.5 -F b=1e3 -F c=0x10 -F d=TRUE", '{"a":"1.5","b":"1e3","c":"0x10","d":"TRUE"}'],
    ["-F a[b]=1 -F a[c][d]=2 -F e[]=null -F e[]=1", '{"a":{"b":1,"c":{"d":2}},"e":[null,1]}'],
    ["-f a[b][]=x -F a[b][]=2 -f c[]=x -f c[]=y", '{"a":{"b":["x",2]},"c":["x","y"]}'],
    ["-f a[] -f b[c][] -f d=1", '{"a":[],"b":{"c":[]},"d":"1"}'],
    ["-f __proto__=x -f constructor[prototype]=y", '{"__proto__":"x","constructor":{"prototype":"y"}}'],
    ["-f a[__proto__][b]=x", '{"a":{"__proto__":{"b":"x"}}}'],
    // Input cannot forge the internal marker of lossless numbers.
    ["-f isLosslessNumber=x -f value=1,2", '{"isLosslessNumber":"x","value":"1,2"}'],
    ["-X GET -f q=a\u00a0b&c", "/x?q=a%C2%A0b%26c"],
    ["-X GET -f a[]=1 -F a[]=2", "/x?a%5B%5D=1&a%5B%5D=2"],
    ["-X GET -f a[b]=1 -f c=2 -f c=3", "/x?a%5Bb%5D=1&c=2&c=3"],
    ["-f a=1 -f a[b]=2 -f a[b]=3 -f c[]=4 -f c=5", '{"a":{"b":"3"},"c":"5"}'],
    // A query has no null; gh sends only the name.
    ["-X GET -F n=null -F b=9007199254740993 -F t=true", "/x?n=&b=9007199254740993&t=true"],
    ["-X GET -f ä=\u{1f980}", "/x?%C3%A4=%F0%9F%A6%80"],
  ])("%j", async ([words, expected], { serve, grantctl }) => {
    const server = await serve(on("ALL /*", json(200, {})));
    expect(await grantctl(`api /x ${words}`)).toMatchObject({ code: 0, stderr: "" });
    const [request] = server.requests;
    expect(expected.startsWith("/") ? request?.path : request?.body).toBe(expected);
  });
});

test("refused before any request, without repeating a value", async ({ serve, grantctl }) => {
  await serve();
  for (const words of [
    ..."-f hunter2|-f =hunter2|-f []=hunter2|-f [b]=hunter2|-f a[=hunter2|-f a]=hunter2".split("|"),
    ..."-f a[b]c=hunter2|-f a[b]|-f a[][b]=hunter2".split("|"),
    "--input - -F a=@-",
    "-X GET\r\nX:hunter2",
    "-H X-A:b\r\nhunter2:d",
    "-H Authorization:hunter2",
  ]) {
    const { code, stdout, stderr } = await grantctl(`api /x ${words}`, { input: "text" });
    expect([words, code, stdout]).toEqual([words, 2, ""]);
    expect(stderr).toMatch(/^grantctl: [^\n]*\n(?:hint: [^\n]*\n)?$/);
    expect(stderr).not.toContain("hunter2");
  }
});
