// The Kubernetes manifests of the guides, checked with the schema of the API (source: test/docs/kubernetes), and for
// as many shards as pods, which the schema cannot check. test/docs/blocks.test.ts runs their commands.
import { readFileSync, readdirSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readBlocks } from "../support/document-blocks.ts";

interface Manifest {
  readonly kind?: string;
  readonly spec?: { readonly completions?: number; readonly parallelism?: number };
}

const root = new URL("../../", import.meta.url);
const schema = JSON.parse(
  readFileSync(new URL("test/docs/kubernetes/job-batch-v1.json", root), "utf8"),
) as object;
const validate = new Ajv({ strict: true, allErrors: true }).compile(schema);
const jobs = readdirSync(new URL("docs/guides/", root))
  .map((name) => `docs/guides/${name}`)
  .flatMap((page) => readBlocks(page, readFileSync(new URL(page, root), "utf8")))
  .filter(({ language, text }) => language === "yaml" && /^kind: Job$/m.test(text));

/** The errors in a manifest. */
function problemsOf(text: string): readonly string[] {
  validate(parse(text));
  return (validate.errors ?? []).map(({ instancePath, message = "" }) => `${instancePath} ${message}`);
}

test("there is an indexed Job", () => {
  expect(jobs.map(({ text }) => /completionMode: Indexed/.test(text))).toContain(true);
});

test.for(jobs)("$place", ({ text }) => {
  expect(problemsOf(text)).toEqual([]);
  const { spec } = parse(text) as Manifest;
  const [, parts] = /--shard "[^"]*\/(\d+)"/.exec(text) ?? [];
  expect(spec?.completions).toBe(Number(parts));
});

test.for([
  ["a misspelt field", "backoffLimit:", "backofLimit:"],
  ["a field of the wrong place", "      restartPolicy:", "      completions:"],
  ["a number as text", "completions: 8", 'completions: "8"'],
  ["another version", "batch/v1", "batch/v2"],
  ["a mount without its path", ", mountPath: /leaked", ""],
] as const)("%s is rejected", ([, from, to]) => {
  const text = jobs[0]?.text ?? "";
  expect(text).toContain(from);
  expect(problemsOf(text.replace(from, to))).not.toEqual([]);
});
