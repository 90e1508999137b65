// Reads input of every format, split at any bytes: the tokens are the same, and errors name the position without
// repeating the text.
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Failure, usageFailure } from "../../src/errors/errors.ts";
import { readReport, type Findings } from "../../src/reports/read-report.ts";
import { githubAlert, gitleaksFinding, lines, trufflehogFinding } from "../support/reports.ts";

interface Reading {
  readonly skipsOtherKinds?: boolean;
  /** The number of bytes per chunk. */
  readonly pieceSize?: number;
}

function read(
  input: string | Buffer,
  { skipsOtherKinds = true, pieceSize }: Reading = {},
): Promise<Findings> {
  const bytes = Buffer.from(input);
  async function* pieces(): AsyncGenerator<Buffer> {
    const size = pieceSize ?? Math.max(1, bytes.length);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  return readReport(pieces(), {
    skipsOtherKinds,
    longestToken: 1024,
    refuse: (reason, hint) => usageFailure(`cannot read it: ${reason}`, hint),
  });
}

async function failureOf(reading: Promise<Findings>): Promise<Failure> {
  const error: unknown = await reading.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Failure)) throw new Error("it did not fail", { cause: error });
  return error;
}

const [first, second, third] = [
  "hush-1-".padEnd(40, "a"),
  "hush-2-".padEnd(40, "b"),
  "hush-3-".padEnd(40, "c"),
] as const;

/** Real output of gitleaks 8.28.0 for files with invented tokens. */
function madeByGitleaks(name: string): Buffer {
  return readFileSync(new URL(`made-by-gitleaks/${name}.json`, import.meta.url));
}

describe("a real gitleaks report", () => {
  test.each([1, 7, 4096])(
    "is read completely, %i bytes at a time, with its tokens and their places",
    async (pieceSize) => {
      const found = await read(madeByGitleaks("report"), { pieceSize });
      expect([found.tool?.name, found.count, found.noTokens.count]).toEqual(["gitleaks", 5, 0]);
      expect(found.tokens).toEqual([
        "9f8e7d6c5b4a39281706f5e4d3c2b1a098765432",
        "ghp_1234567890abcdefGHIJKLMNOPqrstuvwx12",
        "gho_abcdEFGH1234ijklMNOP5678qrstUVWX90ab",
        "0123456789abcdef0123456789abcdef01234567",
      ]);
      expect(found.sourcesOf(found.tokens[1] ?? "").sources.map(({ file, line }) => [file, line])).toEqual([
        ["deploy.env", 1],
        ["src/config.py", 2],
      ]);
    },
  );

  test("is rejected if it is redacted, and has no tokens if it is empty", async () => {
    expect((await failureOf(read(madeByGitleaks("redacted")))).message).toBe(
      "item 1: the secret is redacted",
    );
    const { tokens, count } = await read(madeByGitleaks("empty"));
    expect([tokens, count]).toEqual([[], 0]);
  });

  test("is rejected as a table, whose lines look like tokens", async () => {
    const table = `RuleID,Commit,File,SymlinkFile,Secret,Match,StartLine\ngithub-pat,,deploy.env,,${first},${first},1\n`;
    const failure = await failureOf(read(table));
    expect([failure.kind, failure.message]).toEqual([
      "usage",
      "line 1: this is a gitleaks report in CSV, which is not supported",
    ]);
  });
});

describe("shapes", () => {
  const made: readonly (readonly [string, string])[] = [
    [
      "gitleaks",
      JSON.stringify(
        [first, second, first].map((secret) => gitleaksFinding(secret)),
        null,
        1,
      ),
    ],
    ["trufflehog", lines([first, second, first].map((secret) => trufflehogFinding(secret)))],
    ["github-alerts", JSON.stringify([first, second, first].map((secret) => githubAlert(secret)))],
  ];

  test.each(made)("%s is recognised by its format, in pieces of any size", async (tool, report) => {
    for (const pieceSize of [1, 2, 7, 4096, undefined]) {
      const findings = await read(report, pieceSize === undefined ? {} : { pieceSize });
      expect(findings.tool?.name).toBe(tool);
      expect([findings.tokens, findings.count]).toEqual([[first, second], 3]);
      expect(findings.sourcesOf(first).sources).toHaveLength(2);
      expect(findings.sourcesOf(first).sources[0]?.tool).toBe(tool);
    }
  });

  test("the place from each tool is passed on without the matched text", async () => {
    expect(
      (await read(JSON.stringify([gitleaksFinding(first, `a/${first}.txt`, 7)]))).sourcesOf(first).sources,
    ).toEqual([
      {
        tool: "gitleaks",
        rule: "generic-api-key",
        file: "a/(the token).txt",
        line: 7,
        commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        url: null,
      },
    ]);
    expect((await read(lines([trufflehogFinding(first)]))).sourcesOf(first).sources).toEqual([
      {
        tool: "trufflehog",
        rule: "Github",
        file: "deploy.sh",
        line: 3,
        commit: "aaaabbbbccccddddeeeeffff0000111122223333",
        url: null,
      },
    ]);
    expect((await read(JSON.stringify([githubAlert(first)]))).sourcesOf(first).sources).toEqual([
      {
        tool: "github-alerts",
        rule: "github_oauth_access_token",
        file: null,
        line: null,
        commit: null,
        url: "https://github.com/octavia/tools/security/secret-scanning/42",
      },
    ]);
  });

  test("a URL is passed on without its user name and password", async () => {
    const path = "git.example.com/octavia/tools/blob/main/a@b.sh#L3";
    for (const login of [
      "ci:hush@",
      "hush@",
      `x:${second}@`,
      "ci:p@hush@",
      `${first}:hush@`,
      `ci:${first}@`,
    ]) {
      const address = `https://${login}${path}`;
      const finding = { ...gitleaksFinding(first), Link: address, File: `${address}!a.txt` };
      const [source] = (await read(JSON.stringify([finding]))).sourcesOf(first).sources;
      expect([source?.url, source?.file]).toEqual([`https://${path}`, `https://${path}!a.txt`]);
    }
  });

  test("an alert about a token in base64 gives the decoded token", async () => {
    const encoded = Buffer.from(first).toString("base64");
    const alerts = [
      { ...githubAlert(encoded), is_base64_encoded: true },
      { ...githubAlert(encoded.replace(/=+$/, "")), is_base64_encoded: true },
      // The same token in plain text, and one with hexadecimal digits that are valid base64.
      { ...githubAlert(first), is_base64_encoded: true },
      { ...githubAlert("0123456789abcdef0123456789abcdef01234567"), is_base64_encoded: true },
      { ...githubAlert(Buffer.from(second).toString("base64")), is_base64_encoded: false },
    ];
    expect((await read(JSON.stringify(alerts))).tokens).toEqual([
      first,
      "0123456789abcdef0123456789abcdef01234567",
      Buffer.from(second).toString("base64"),
    ]);
  });

  test("several arrays in a row are one list, such as pages of alerts", async () => {
    const pages = [[githubAlert(first)], [], [githubAlert(second)]]
      .map((page) => JSON.stringify(page))
      .join("\n");
    expect((await read(pages)).tokens).toEqual([first, second]);
  });

  test("an array of pages is one list, as from gh api --paginate --slurp", async () => {
    const pages = [[githubAlert(first), githubAlert(second)], [], [githubAlert(first), githubAlert(third)]];
    for (const pieceSize of [1, 7, 4096]) {
      for (const report of [JSON.stringify(pages), JSON.stringify(pages, null, 2)]) {
        const { tool, tokens, count } = await read(report, { pieceSize });
        expect([tool?.name, tokens, count]).toEqual(["github-alerts", [first, second, third], 4]);
      }
    }
    const empty = await read("[ [], [ ] ]\n");
    expect([empty.tokens, empty.count]).toEqual([[], 0]);
  });

  test.each([
    ["[[A],]", "item 2: this is not valid JSON"],
    ["[[A,]]", "item 2: this is not valid JSON"],
    ["[,[A]]", "item 1: this is not valid JSON"],
    ["[[A] B]", "item 2: this is not valid JSON"],
    ["[[A][B]]", "item 2: this is not valid JSON"],
    ["[[A}]", "item 1: this is not valid JSON"],
    ["[[A]", "item 2: this is not valid JSON: the array ends without its bracket"],
    ["[[A],[B", "item 2: this is not valid JSON: the array ends without its bracket"],
    ["[[A],{}]", "item 2: this is not a supported finding"],
    ["[[[A]]]", "item 1: an array of pages can contain only findings, not tokens"],
    ['[[{"token":"hush"}]]', "item 1: an array of pages can contain only findings, not tokens"],
  ])("a broken array of pages is rejected at the item: %s", async (form, message) => {
    const report = form
      .replace("A", JSON.stringify(githubAlert(first)))
      .replace("B", JSON.stringify(githubAlert(second)));
    for (const pieceSize of [1, 4096]) {
      const failure = await failureOf(read(report, { pieceSize }));
      expect([failure.kind, failure.message.slice(0, message.length)]).toEqual(["usage", message]);
    }
  });

  test("a byte order mark, CR LF and a line of 10 MB are read", async () => {
    const report = `\uFEFF${lines([trufflehogFinding(first), { ...trufflehogFinding(second), Long: "x".repeat(10_000_000) }]).replaceAll("\n", "\r\n")}`;
    expect((await read(report, { pieceSize: 65_536 })).tokens).toEqual([first, second]);
  });

  test("a token in a list of any format is read unchanged, however the bytes are split", async () => {
    const token = fc
      .stringMatching(/^[!-Z^-z|~][!-~]{0,30}$/)
      .filter((text) => !/^\.\.?$|\*{3}|\.{3}$|^x{4,}$|redacted/i.test(text));
    await fc.assert(
      fc.asyncProperty(
        fc.array(token, { minLength: 1 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.integer({ min: 1, max: 20 }),
        fc.boolean(),
        async (drawn, end, pieceSize, isArray) => {
          // A line with other text around a token is rejected (see below).
          const tokens = isArray ? drawn : drawn.filter((text) => !/\w{16}|^(["'`]).*\1$/.test(text));
          fc.pre(tokens.length > 0);
          const text = isArray ? JSON.stringify(tokens, null, 1) : tokens.join(end);
          expect((await read(text, { pieceSize })).tokens).toEqual([...new Set(tokens)]);
        },
      ),
      { numRuns: 200 },
    );
  });
});

test("up to ten wrong lines are named together", async () => {
  const some = await failureOf(read(`# a comment\n${first}\na b\n${second},\n`));
  expect(some.message).toMatch(/^line 1: this is not a token.*; also wrong: line 3, line 4$/);
  const failure = await failureOf(read("a b\n".repeat(1000)));
  expect(failure.message).toMatch(/; also wrong: line 2, .*line 10, and perhaps more$/);
});

describe("a line with text around the token is rejected", () => {
  test.each([
    ["what jq prints without -r", `"${second}"`, "the token is in quotes, which are not part of it"],
    ["a word of a shell", `'${second}'`, "the token is in quotes, which are not part of it"],
    ["Markdown", `\`${second}\``, "the token is in quotes, which are not part of it"],
  ])("%s", async (_, line, message) => {
    const failure = await failureOf(read(`${first}\n${line}\n`));
    expect([failure.kind, failure.message]).toEqual(["usage", `line 2: ${message}`]);
  });

  test.each([
    ["a list with commas", `${second},`],
    ["a row of a table", `ci,${second}`],
    ["a row with quotes", `ci,"${second}"`],
    ["an assignment", `GITHUB_TOKEN=${second}`],
    ["a quoted assignment", `token="${second}"`],
    ["an address", `https://octavia:${second}@service.test/repository`],
    ["a statement", `${second};`],
    ["what bash's echo leaves of a line break", `${second}\\n`],
    ["brackets", `<${second}>`],
    ["parentheses", `(${second})`],
    ["a row of Markdown", `|${second}|`],
    ["bold text", `*${second}*`],
    ["the end of a sentence", `${second}.`],
  ])("%s", async (_, line) => {
    const failure = await failureOf(read(`${first}\n${line}\n`));
    expect(failure.kind).toBe("usage");
    expect(failure.message).toMatch(/^line 2: there is other text around the token/);
    expect(failure.message).not.toContain(second);
  });

  test("characters in tokens of some operators are accepted, and any text in JSON", async () => {
    const odd = [`abc-._~+/${second}==`, `v1.${second}`, `a/b?${second}#d%e`, `a:${second}@c`, "/?#%&+=@:;,"];
    expect((await read(odd.join("\n"))).tokens).toEqual(odd);
    expect((await read(JSON.stringify(["a,b", `"${first}"`]))).tokens).toEqual(["a,b", `"${first}"`]);
  });
});

test("a URL with a password or a connection string is not sent as a token", async () => {
  const others = [
    "https://user:hunter2hunter2@db.example.com",
    "postgres://user:hunter2hunter2@localhost:5432",
    "https://hooks.example.com/services/T0/B0/XYZXYZXYZXYZ",
    "jdbc:mysql:localhost:3306;user=root;password=hunter2hunter2",
    "Server=db;Password=hunter2hunter2hunter2",
  ];
  const report = [first, ...others]
    .map((Raw) => JSON.stringify({ DetectorName: "Any", Verified: true, Raw }))
    .join("\n");
  expect(await read(report)).toMatchObject({ tokens: [first], noTokens: { count: others.length }, count: 6 });
});

test("a finding that may be a token with text around it is kept, without a final full stop", async () => {
  const report = JSON.stringify([gitleaksFinding(`${first}.`), gitleaksFinding(`key=${first}`)]);
  expect(await read(report)).toMatchObject({
    tokens: [first, `key=${first}`],
    noTokens: { count: 0 },
    count: 2,
  });
});

describe("a token in one of GitHub's formats is extracted from the text around it", () => {
  const hex = "0123456789abcdef0123456789abcdef01234567";
  const pat = "ghp_1234567890abcdefGHIJKLMNOPqrstuvwx12";

  test.each([
    ["an address", `https://octavia:${pat}@git.example.com/a/b.git`, [pat]],
    ["an address without a user", `https://${hex}@git.example.com/a.git`, [hex]],
    ["a header", `Authorization: token ${hex}`, [hex]],
    ["an assignment in quotes", `TOKEN = "${pat}";`, [pat]],
    ["a line break", `${pat}\n`, [pat]],
    ["a comma", `"${hex}",`, [hex]],
    ["the user behind it", `${hex}:octavia`, [hex]],
    ["the end of a sentence", `${pat}.`, [pat]],
    ["an encoded assignment", `access_token%3D${pat}%26scope`, [pat]],
    ["an escaped line break", String.raw`hosts:\n${pat}\nuser`, [pat]],
    ["several", `old=${hex} new=${pat}`, [hex, pat]],
    [
      "a token with points in it",
      `t=ghs_12_eyJhbGciOiJSUzI1NiJ9.e30.abc-def_`,
      ["ghs_12_eyJhbGciOiJSUzI1NiJ9.e30.abc-def_"],
    ],
  ])("%s", async (_, secret, tokens) => {
    const found = await read(JSON.stringify([gitleaksFinding(secret, `a/${tokens[0]}/b`)]));
    expect([found.tokens, found.noTokens.count, found.count]).toEqual([tokens, 0, 1]);
    for (const [at, token] of tokens.entries()) {
      const shown = at === 0 ? "(the token)" : "[secret]";
      expect(found.sourcesOf(token).sources[0]?.file).toBe(`a/${shown}/b`);
    }
  });

  test.each([
    ["an older token of an installation", `v1.${hex}`],
    ["a longer word", `${hex}${hex}`],
    ["a longer word with a dash", `live-${hex}`],
    ["base64", `abc/${hex}==`],
  ])("but %s is unchanged", async (_, secret) => {
    expect((await read(JSON.stringify([gitleaksFinding(secret)]))).tokens).toEqual([secret]);
  });
});

test("a secret that cannot be a token, such as a private key, is left out and counted", async () => {
  const key = "-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----";
  const report = JSON.stringify([gitleaksFinding(key), gitleaksFinding(first)]);
  expect(await read(report)).toMatchObject({ tokens: [first], noTokens: { count: 1 }, count: 2 });
});

describe("neither a secret with a line break nor one of its lines is a token", () => {
  const hex = "0123456789abcdef0123456789abcdef01234567";
  const pat = "ghp_1234567890abcdefGHIJKLMNOPqrstuvwx12";

  test.each([
    ["a key in lines of hexadecimal digits", `-----BEGIN KEY-----\n${hex}\n${hex}\n-----END KEY-----`, []],
    ["a service account", `{\n"private_key_id": "${hex}",\n"private_key": "hush"\n}`, []],
    ["two lines", `${first}\r\n${second}`, []],
    ["a line break of Unicode", `${first}\u2028${second}`, []],
    ["a token with a prefix among others, which is one by its form", `old=${hex}\nnew=${pat}`, [pat]],
  ])("%s", async (_, secret, tokens) => {
    const report = JSON.stringify([gitleaksFinding(third), gitleaksFinding(secret)]);
    const found = await read(report);
    expect(found.tokens).toEqual([third, ...tokens]);
    expect(found.noTokens).toEqual({ count: 1, places: ["item 2"], kinds: [] });
  });

  test("the first ten of many are named", async () => {
    const key = "-----BEGIN PRIVATE KEY-----\nhush\n-----END PRIVATE KEY-----";
    const { noTokens } = await read(lines(Array.from({ length: 30 }, () => trufflehogFinding(key))));
    expect([noTokens.count, noTokens.places.length, noTokens.places.at(-1)]).toEqual([30, 10, "line 10"]);
  });
});

describe("no place shows a secret of the report", () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${"hush".repeat(10)}\n-----END PRIVATE KEY-----`;
  const link = `https://h/x?one=${first}&two=${second}#${"hush".repeat(10)}`;
  const written: readonly (readonly [string, string])[] = [
    ["as they are", link],
    ["percent-encoded", link.replaceAll("hush", "%68ush").replaceAll("-", "%2d")],
    ["in base64", `https://h/${Buffer.from(link).toString("base64")}`],
  ];

  test.each(written)("%s, in each field and of each tool", async (_, text) => {
    const reports = [
      JSON.stringify([
        { ...gitleaksFinding(first, text), Link: text, Commit: text, RuleID: text },
        { ...gitleaksFinding(second, text), Link: text },
        gitleaksFinding(key),
      ]),
      lines([
        trufflehogFinding(first, { file: text }),
        trufflehogFinding(second, { file: text }),
        trufflehogFinding(key),
      ]),
      JSON.stringify([
        { ...githubAlert(first), html_url: text },
        { ...githubAlert(second), html_url: text },
        githubAlert(key),
      ]),
    ];
    for (const report of reports) {
      const found = await read(report, { skipsOtherKinds: false });
      const shown = JSON.stringify(found.tokens.map((token) => found.sourcesOf(token)));
      expect(found.tokens).toEqual([first, second]);
      expect(shown).toContain("https://h/");
      for (const secret of [first, second, "hush".repeat(10)]) {
        expect(shown).not.toContain(secret);
        expect(decodeURIComponent(shown)).not.toContain(secret);
        expect(Buffer.from(shown.replaceAll(/[^\w+/]/g, ""), "base64").toString("latin1")).not.toContain(
          secret,
        );
      }
    }
  });

  test("the secret of an omitted finding, and a secret that is the prefix of another", async () => {
    const longer = `${first}-and-more`;
    const report = lines([
      trufflehogFinding(first, { file: `a/${longer}/${second}` }),
      { ...trufflehogFinding(second), DetectorName: "Slack" },
      { ...trufflehogFinding(longer), DetectorName: "AWS" },
    ]);
    const found = await read(report);
    expect(found.sourcesOf(first).sources[0]?.file).toBe("a/[secret]/[secret]");
  });
});

test("a token keeps at most 1,000 places, and the number of the others", async () => {
  const many = lines(Array.from({ length: 3000 }, (_, at) => trufflehogFinding(first, { line: at + 1 })));
  const found = await read(`${many}${lines([trufflehogFinding(second)])}`);
  const { sources, sources_omitted: omitted } = found.sourcesOf(first);
  expect([sources.length, omitted, sources.at(-1)?.line]).toEqual([1000, 2000, 1000]);
  expect(found.sourcesOf(second)).toEqual({ sources: [expect.objectContaining({ line: 3 })] });
  expect([found.tokens, found.count]).toEqual([[first, second], 3001]);
});

describe("findings of detectors for other secrets", () => {
  const other = "AKIAIOSFODNN7EXAMPLE";
  const named = (tool: string, name: string): string =>
    tool === "gitleaks"
      ? JSON.stringify([{ ...gitleaksFinding(other), RuleID: name }])
      : tool === "trufflehog"
        ? lines([{ ...trufflehogFinding(other), DetectorName: name }])
        : JSON.stringify([{ ...githubAlert(other), secret_type: name }]);

  test.each([
    ["gitleaks", "aws-access-token"],
    ["gitleaks", "private-key"],
    ["gitleaks", "slack-bot-token"],
    ["gitleaks", "gcp-api-key"],
    ["gitleaks", "new-relic-user-api-key"],
    ["gitleaks", "gitlab-pat"],
    ["gitleaks", "openai-api-key"],
    ["trufflehog", "AWS"],
    ["trufflehog", "AWSSessionKey"],
    ["trufflehog", "SlackWebhook"],
    ["trufflehog", "PrivateKey"],
    ["trufflehog", "MongoDB"],
    ["trufflehog", "DigitalOceanToken"],
    ["trufflehog", "OpenAI"],
    ["trufflehog", "NpmToken"],
    ["github-alerts", "aws_secret_access_key"],
    ["github-alerts", "slack_api_token"],
    ["github-alerts", "google_cloud_private_key_id"],
  ])("%s: %s is left out by default", async (tool, name) => {
    const found = await read(named(tool, name));
    expect([found.tokens, found.otherKinds.count, found.otherKinds.kinds.length]).toEqual([[], 1, 1]);
    expect((await read(named(tool, name), { skipsOtherKinds: false })).tokens).toEqual([other]);
  });

  test.each([
    ["gitleaks", "generic-api-key"],
    ["gitleaks", "github-pat"],
    ["gitleaks", "jwt"],
    ["gitleaks", "acme-oauth-token"],
    ["gitleaks", "our-aws"],
    ["gitleaks", ""],
    ["trufflehog", "Github"],
    ["trufflehog", "GitHubOauth2"],
    ["trufflehog", "URI"],
    ["trufflehog", "CustomRegex"],
    ["github-alerts", "github_oauth_access_token"],
    ["github-alerts", "acme_token"],
  ])("%s: %j is kept", async (tool, name) => {
    expect((await read(named(tool, name))).tokens).toEqual([other]);
  });
});

test("an object on several lines, as jq prints it, is rejected with a hint to print one line", async () => {
  const report = JSON.stringify(gitleaksFinding(first), null, 2);
  expect(await failureOf(read(report))).toMatchObject({
    kind: "usage",
    message: "line 1: this is not valid JSON",
    details: { hint: "Pass one object per line, as printed by jq -c, or an array." },
  });
});

test("an empty report has no tokens, but empty input is a usage failure", async () => {
  expect(await read(" [ \n]\n")).toMatchObject({ tokens: [], count: 0 });
  for (const input of ["", " \r\n\n", "\uFEFF"]) expect((await failureOf(read(input))).kind).toBe("usage");
});

describe("a wrong record", () => {
  const good = lines([trufflehogFinding(first)]);
  const goodItem = JSON.stringify(gitleaksFinding(first));
  const cases: readonly (readonly [string, string | Buffer, RegExp])[] = [
    [
      "a redacted item",
      JSON.stringify([gitleaksFinding(first), gitleaksFinding("REDACTED")]),
      /^item 2: .*redacted/,
    ],
    ["half a secret", JSON.stringify([gitleaksFinding("hush-1-...")]), /^item 1: .*redacted/],
    ["asterisks", JSON.stringify([githubAlert("hu*********sh")]), /^item 1: .*redacted/],
    [
      "no secret",
      JSON.stringify([githubAlert(first), { ...githubAlert(first), secret: null }]),
      /^item 2: .*redacted/,
    ],
    [
      "Redacted alone",
      good + lines([{ ...trufflehogFinding(""), Redacted: "hush***" }]),
      /^line 2: .*redacted/,
    ],
    ["a list of redacted tokens", `${first}\nREDACTED\n`, /^line 2: .*redacted/],
    ["what jq -r prints of a missing field", `${first}\nnull\n`, /^line 2: "null" is not a token/],
    ["an unknown shape", lines([{ level: "hush", msg: first }]), /^line 1: .*not a supported finding/],
    [
      "an unknown shape behind known ones",
      `[${goodItem},{"hush":"${first}"}]`,
      /^item 2: .*not a supported finding/,
    ],
    [
      "another tool's finding",
      `[${goodItem},${JSON.stringify(trufflehogFinding(first))}]`,
      /^item 2: .*trufflehog.*gitleaks/,
    ],
    ["a plain token behind findings", `${good}${second}\n`, /^line 2: .*not a supported finding/],
    ["a finding behind plain tokens", `${second}\n${good}`, /^line 2: .*trufflehog/],
    ["an array that is cut off", `[${goodItem},{"RuleID":"hush`, /^item 2: .*not valid JSON/],
    ["an array without its bracket", `[${goodItem}`, /^item 1: .*not valid JSON/],
    ["a comma too many", `[${goodItem},]`, /^item 2: .*not valid JSON/],
    ["text behind the array", `[${goodItem}] hush`, /^after item 1: .*not valid JSON/],
    ["the wrong bracket", `[${goodItem}}`, /^item 1: .*not valid JSON/],
    ["a list in the list", `[["${first}"]]`, /^item 1: /],
    ["broken bytes", Buffer.from([0x61, 0x0a, 0xff, 0x62]), /not UTF-8/],
    ["a character cut off at the end", Buffer.from([0x61, 0x0a, 0xc3]), /not UTF-8/],
    ["UTF-16 with its mark", Buffer.from(`\uFEFF${first}`, "utf16le"), /UTF-16/],
    ["UTF-16 without it", Buffer.from(`[${goodItem}]`, "utf16le"), /UTF-16/],
  ];

  test.each(cases)(
    "%s is rejected with its position, without repeating its text",
    async (_, input, message) => {
      for (const pieceSize of [1, 3, 65_536]) {
        const failure = await failureOf(read(input, { pieceSize }));
        expect(failure).toMatchObject({ kind: "usage", message: expect.stringMatching(message) as unknown });
        expect(failure.message + (failure.details.hint ?? "")).not.toContain("hush");
      }
    },
  );
});
