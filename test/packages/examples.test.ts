// The examples of docs/packaging and the Containerfile, checked as far as possible without Homebrew, a CI service or a
// base image: by their languages' own parsers, lists of known keys and instructions, and running their scripts.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { targets } from "../../packages/targets.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const noRuby = spawnSync("ruby", ["--version"]).status === 0 ? null : "there is no ruby here";

/** A Homebrew formula as a record: the methods of Formula that Homebrew's own formulae use. */
const formulaRecorder = `
class Formula
  def self.said; @said ||= {}; end
  %i[desc homepage url sha256 license depends_on].each { |word| define_singleton_method(word) { |value| Formula.said[word] = value } }
  def self.test(&block); Formula.said[:test] = block; end
  def did; @did ||= []; end
  def system(*words); did << words.map(&:to_s); end
  def std_npm_args; ["--global"]; end
  def generate_completions_from_executable(*words); did << words.map(&:to_s); end
  %w[bin libexec man1 man7].each { |name| define_method(name) { Folder.new("/#{name}", did) } }
  def version; "1.2.3"; end
  def shell_output(line); did << [line]; line.include?("--version") ? "1.2.3\\n" : "17\\n"; end
  def assert_match(wanted, text); raise "#{text} has no #{wanted}" unless text.match?(wanted); end
end
Folder = Struct.new(:path, :did) do
  def /(name); Folder.new("#{path}/#{name}", did); end
  def to_s; path; end
  def glob(pattern); ["#{path}/#{pattern}"]; end
  def install_symlink(*what); did << ["link", path, what.flatten.map(&:to_s)].flatten; end
end
require "json"
load ARGV[0]
formula = Grantctl.new
formula.install
formula.instance_exec(&Formula.said.delete(:test))
puts JSON.generate({ said: Formula.said, did: formula.did })
`;

describe.skipIf(noRuby !== null)(`the formula (${noRuby ?? "ruby"})`, () => {
  const formula = join(root, "docs/packaging/grantctl.rb");

  test("has no warnings from ruby", () => {
    const { status, stdout, stderr } = spawnSync("ruby", ["-wc", formula], { encoding: "utf8" });
    expect([status, stdout, stderr]).toEqual([0, "Syntax OK\n", ""]);
  });

  test("has the fields of every formula, installs the tarball, and tests it", () => {
    const ran = spawnSync("ruby", ["-e", formulaRecorder, formula], { encoding: "utf8" });
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    const { said, did } = JSON.parse(ran.stdout) as {
      readonly said: Readonly<Record<string, string>>;
      readonly did: readonly (readonly string[])[];
    };
    expect(Object.keys(said).toSorted()).toEqual([
      "depends_on",
      "desc",
      "homepage",
      "license",
      "sha256",
      "url",
    ]);
    // The rules of `brew audit` for a description.
    expect(said["desc"]).toMatch(/^(?!An? |The |grantctl)[A-Z].{0,78}[^.]$/);
    expect(said["sha256"]).toMatch(/^[0-9a-f]{64}$/);
    expect(did).toEqual([
      ["npm", "install", "--global"],
      ["link", "/bin", "/libexec/bin/grantctl"],
      ["/bin/grantctl", "completion"],
      ["link", "/man1", "/libexec/lib/node_modules/grantctl/dist/grantctl.1"],
      ["/bin/grantctl --version"],
      ["/bin/grantctl sandbox run -- /bin/grantctl grant list --jq '.[0].id'"],
    ]);
  });
});

const text = { type: "string", minLength: 1 };
const only = (required: readonly string[], properties: object): object => ({
  type: "object",
  required,
  properties,
  additionalProperties: false,
});

/** Keys of a composite action: https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax. */
const actionSchema = only(["name", "description", "runs"], {
  name: text,
  author: text,
  description: text,
  inputs: {
    type: "object",
    propertyNames: { pattern: "^[A-Za-z_][A-Za-z0-9_-]*$" },
    additionalProperties: only(["description"], {
      description: text,
      required: { type: "boolean" },
      default: { type: "string" },
      deprecationMessage: text,
    }),
  },
  outputs: {
    type: "object",
    additionalProperties: only(["description", "value"], { description: text, value: text }),
  },
  runs: only(["using", "steps"], {
    using: { const: "composite" },
    steps: {
      type: "array",
      minItems: 1,
      items: only(["run", "shell"], {
        id: text,
        if: text,
        name: text,
        run: text,
        shell: { enum: ["bash", "sh", "pwsh"] },
        "working-directory": text,
        env: { type: "object", additionalProperties: text },
      }),
    },
  }),
});

interface Action {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly runs: { readonly steps: readonly [{ readonly env: Readonly<Record<string, string>> }] };
}

test("the CI action has only known keys, and its step uses only declared inputs", () => {
  const action = parse(read("docs/packaging/action.yml"), { strict: true }) as Action;
  const validate = new Ajv({ strict: true, strictRequired: false, allErrors: true }).compile(actionSchema);
  validate(action);
  expect(validate.errors ?? []).toEqual([]);
  const named = Object.values(action.runs.steps[0].env).map((value) => /inputs\.(\w+)/.exec(value)?.[1]);
  expect(new Set(named)).toEqual(new Set(Object.keys(action.inputs)));
  // A schema that accepts everything would accept this, too.
  expect(validate({ ...action, run: "x" })).toBe(false);
});

test("the Containerfile has only known instructions, and the package names are right", () => {
  const lines = read("packages/Containerfile")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  const instructions = lines.map((line) => /^([A-Z]+) +(.+)$/.exec(line)?.slice(1) ?? [line]);
  expect(instructions.map(([word]) => word)).toEqual([
    "ARG",
    "FROM",
    "ARG",
    "ADD",
    "RUN",
    "LABEL",
    "ENV",
    "USER",
    "WORKDIR",
    "ENTRYPOINT",
  ]);
  const of = (word: string): string => instructions.findLast(([name]) => name === word)?.[1] ?? "";
  const patterns = targets
    .filter(({ debian }) => debian !== null)
    .map(({ debian }) => `release/grantctl_*_${debian}.deb`);
  expect(patterns).toContain(/release\S+/.exec(of("ADD"))?.[0].replace("${TARGETARCH}", "amd64"));
  expect(patterns).toContain(/release\S+/.exec(of("ADD"))?.[0].replace("${TARGETARCH}", "arm64"));
  expect(spawnSync("sh", ["-n", "-c", of("RUN")]).status).toBe(0);
  // Both folders are created for the user of the container.
  const [user, group] = of("USER").split(":");
  expect(of("RUN")).toContain(`--owner=${user} --group=${group}`);
  for (const [, folder] of of("ENV").matchAll(/=(\/\w+)/g)) expect(of("RUN")).toContain(` ${folder}`);
  expect(JSON.parse(of("ENTRYPOINT"))).toEqual(["grantctl"]);
});
