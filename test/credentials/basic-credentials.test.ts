// Both kinds of Basic credentials: the sources of each part and their precedence; neither kind ever replaces the
// other.
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { resolveSettings } from "../../src/config/settings.ts";
import { accountCredentials, applicationClientId } from "../../src/credentials/account-credentials.ts";
import { readSecret, type CredentialSources } from "../../src/credentials/secret-sources.ts";
import { createStandardInput } from "../../src/credentials/standard-input.ts";
import type { Prompter } from "../../src/prompt/prompter.ts";
import { createTerminalPrompter } from "../../src/prompt/terminal-prompter.ts";
import { failureOf } from "../support/failure-of.ts";

const clientId = "0123456789abcdefghij";
const everything = {
  GRANTCTL_USERNAME: "octo",
  GRANTCTL_PASSWORD: "account-password",
  GRANTCTL_CLIENT_ID: clientId,
  GRANTCTL_CLIENT_SECRET: "application-secret",
  GRANTCTL_TOKEN: "a-token",
};
const { GRANTCTL_USERNAME, GRANTCTL_PASSWORD, GRANTCTL_CLIENT_ID, GRANTCTL_CLIENT_SECRET } = everything;

interface World {
  readonly flags?: { readonly username?: string; readonly clientId?: string };
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard input; null for a terminal. */
  readonly input?: string | null;
  readonly passwordStdin?: boolean;
  readonly clientSecretStdin?: boolean;
  readonly prompter?: Prompter;
}

function sourcesOf(world: World): CredentialSources {
  return {
    settings: resolveSettings({
      options: world.flags ?? {},
      environment: world.environment ?? {},
      profile: {},
    }),
    passwordFromStandardInput: world.passwordStdin ?? false,
    clientSecretFromStandardInput: world.clientSecretStdin ?? false,
    standardInput: createStandardInput({
      stream: Readable.from(Buffer.from(world.input ?? "")),
      isTerminal: world.input === null,
    }),
    prompter: world.prompter ?? createTerminalPrompter(() => null, { isPlain: false, hasColours: false }),
    baseUrl: "https://service.test/api",
    profile: {},
    profileName: "default",
    isProfileForUrl: true,
    runCommand: () => Promise.reject(new Error("no command is to be run")),
    storedSecrets: [],
    readStored: () => Promise.reject(new Error("no store is to be asked")),
  };
}

/** Replies in order. An unexpected prompt, or a visible prompt for a secret, fails the test. */
function answering(...answers: string[]): { readonly prompter: Prompter; readonly questions: string[] } {
  const questions: string[] = [];
  const ask = (kind: string) => (question: string) => {
    questions.push(`${kind}: ${question}`);
    const answer = answers.shift();
    return answer === undefined ? Promise.reject(new Error("asked once too often")) : Promise.resolve(answer);
  };
  return {
    questions,
    prompter: {
      askText: ask("text"),
      askSecret: ask("secret"),
      confirm: () => Promise.reject(new Error("nothing is to be confirmed")),
      check: () => Promise.reject(new Error("it is asked at once")),
      checkPick: () => Promise.reject(new Error("nothing is to be picked")),
      pick: () => Promise.reject(new Error("nothing is to be picked")),
    },
  };
}

describe("the account", () => {
  test("comes from the environment, without a prompt", async () => {
    expect(await accountCredentials(sourcesOf({ environment: everything }))).toEqual({
      username: "octo",
      password: "account-password",
    });
  });

  test("takes its user name from the flag rather than from the environment", async () => {
    const { username } = await accountCredentials(
      sourcesOf({ flags: { username: "flagged" }, environment: everything }),
    );
    expect(username).toBe("flagged");
  });

  test("takes its password from standard input rather than from the environment", async () => {
    for (const input of ["piped", "piped\n", "piped\r\n", "\uFEFFpiped\n"]) {
      const { password } = await accountCredentials(
        sourcesOf({ environment: everything, passwordStdin: true, input }),
      );
      expect(password).toBe("piped");
    }
  });

  test("does not read standard input without --password-stdin", async () => {
    const sources = sourcesOf({ environment: everything, input: "tokens\n" });
    await accountCredentials(sources);
    expect(await sources.standardInput.read("the tokens")).toBe("tokens\n");
  });

  test("prompts for missing values, hides the password, and names only the configured URL", async () => {
    const { prompter, questions } = answering("asked", "typed");
    expect(await accountCredentials(sourcesOf({ prompter }))).toEqual({
      username: "asked",
      password: "typed",
    });
    expect(questions.map((question) => question.split(":")[0])).toEqual(["text", "secret"]);
    for (const question of questions) expect(question).toContain("https://service.test/api");
    expect(questions[1]).toContain("asked");
  });

  test("at a terminal, --password-stdin and --client-secret-stdin prompt, because a stream would echo the secret", async () => {
    const { prompter, questions } = answering("typed", "typed too");
    const environment = { GRANTCTL_USERNAME };
    const world = { environment, input: null, passwordStdin: true, clientSecretStdin: true };
    const sources = sourcesOf({ ...world, prompter });
    expect((await accountCredentials(sources)).password).toBe("typed");
    expect(await readSecret("client-secret", clientId, sources)).toBe("typed too");
    expect(questions.map((question) => question.split(":")[0])).toEqual(["secret", "secret"]);
    const unasked = await failureOf(() => accountCredentials(sourcesOf(world)));
    expect(unasked.kind).toBe("authentication");
  });

  test("without credentials is an authentication failure whose hint names the missing flag", async () => {
    for (const [environment, words] of [
      [{}, "--username"],
      [{ GRANTCTL_USERNAME }, "--password-stdin"],
    ] as const) {
      const failure = await failureOf(() => accountCredentials(sourcesOf({ environment })));
      expect([failure.kind, failure.exitCode]).toEqual(["authentication", 4]);
      expect(failure.details.hint).toContain(words);
    }
  });

  test("never uses the application's credentials or a token", async () => {
    for (const environment of [
      { GRANTCTL_CLIENT_ID, GRANTCTL_CLIENT_SECRET },
      { GRANTCTL_USERNAME, GRANTCTL_CLIENT_SECRET, GRANTCTL_TOKEN: "a-token" },
      { GRANTCTL_PASSWORD, GRANTCTL_CLIENT_ID },
    ]) {
      expect((await failureOf(() => accountCredentials(sourcesOf({ environment })))).kind).toBe(
        "authentication",
      );
    }
  });

  test("treats an empty variable as unset, and prompts instead of sending an empty password", async () => {
    const { prompter, questions } = answering("typed");
    const environment = { GRANTCTL_USERNAME, GRANTCTL_PASSWORD: "" };
    expect((await accountCredentials(sourcesOf({ environment, prompter }))).password).toBe("typed");
    expect(questions).toHaveLength(1);
  });

  test.each([
    [
      "an empty password at the prompt",
      { environment: { GRANTCTL_USERNAME }, prompter: answering("").prompter },
    ],
    [
      "an empty user name at the prompt",
      { environment: { GRANTCTL_PASSWORD }, prompter: answering("").prompter },
    ],
    ["nothing on standard input", { environment: everything, passwordStdin: true, input: "" }],
    ["an empty line on standard input", { environment: everything, passwordStdin: true, input: "\n" }],
    ["two lines on standard input", { environment: everything, passwordStdin: true, input: "hunter2\nx\n" }],
    ["a colon in the flag's user name", { flags: { username: "a:hunter2" }, environment: everything }],
    ["a colon in the user name", { environment: { ...everything, GRANTCTL_USERNAME: "octo:hunter2" } }],
    ["a colon at the prompt", { environment: { GRANTCTL_PASSWORD }, prompter: answering("a:b").prompter }],
  ] satisfies [string, World][])("%s is a usage failure", async (_, world) => {
    const failure = await failureOf(() => accountCredentials(sourcesOf(world)));
    expect([failure.kind, failure.exitCode]).toEqual(["usage", 2]);
    expect(`${failure.message} ${failure.details.hint ?? ""}`).not.toContain("hunter2");
  });

  test("rejects a colon in the user name before it prompts for the password or reads it", async () => {
    const { prompter, questions } = answering();
    const sources = sourcesOf({ flags: { username: "a:b" }, passwordStdin: true, input: "x", prompter });
    await failureOf(() => accountCredentials(sources));
    expect(questions).toEqual([]);
    expect(await sources.standardInput.read("somebody else")).toBe("x");
  });

  test("accepts a password with colons, blanks and quotes", async () => {
    const password = ` a:b "c" 'd' `;
    const environment = { GRANTCTL_USERNAME, GRANTCTL_PASSWORD: password };
    expect((await accountCredentials(sourcesOf({ environment }))).password).toBe(password);
    const piped = sourcesOf({ environment, passwordStdin: true, input: `${password}\n` });
    expect((await accountCredentials(piped)).password).toBe(password);
  });
});

describe("the application", () => {
  test("comes from the environment, without a prompt", async () => {
    const sources = sourcesOf({ environment: everything });
    expect(await applicationClientId(sources)).toBe(clientId);
    expect(await readSecret("client-secret", clientId, sources)).toBe("application-secret");
  });

  test("prefers the client ID of the flag and the secret on standard input", async () => {
    const flagged = "x".repeat(20);
    const sources = sourcesOf({
      flags: { clientId: flagged },
      environment: everything,
      clientSecretStdin: true,
      input: "piped\r\n",
    });
    expect(await applicationClientId(sources)).toBe(flagged);
    expect(await readSecret("client-secret", flagged, sources)).toBe("piped");
  });

  test("prompts for missing values, and hides the secret", async () => {
    const { prompter, questions } = answering(clientId, "typed");
    const sources = sourcesOf({ prompter });
    expect(await applicationClientId(sources)).toBe(clientId);
    expect(await readSecret("client-secret", clientId, sources)).toBe("typed");
    expect(questions.map((question) => question.split(":")[0])).toEqual(["text", "secret"]);
    for (const question of questions) expect(question).toContain("https://service.test/api");
  });

  test("never uses the account's credentials", async () => {
    const sources = sourcesOf({
      environment: { GRANTCTL_USERNAME, GRANTCTL_PASSWORD, GRANTCTL_TOKEN: "a-token" },
    });
    expect((await failureOf(() => applicationClientId(sources))).kind).toBe("authentication");
    expect((await failureOf(() => readSecret("client-secret", clientId, sources))).kind).toBe(
      "authentication",
    );
  });

  test.each([
    "short",
    "x".repeat(19),
    "x".repeat(21),
    "x".repeat(19).concat(" "),
    "x".repeat(19).concat("é"),
    "x".repeat(19).concat("\n"),
  ])("rejects the client ID '%s'", async (odd) => {
    const failure = await failureOf(() =>
      applicationClientId(sourcesOf({ environment: { GRANTCTL_CLIENT_ID: odd } })),
    );
    expect(failure.kind).toBe("usage");
  });

  test("rejects an empty secret from any source", async () => {
    for (const world of [
      { prompter: answering("").prompter },
      { clientSecretStdin: true, input: "" },
      { clientSecretStdin: true, input: "\r\n" },
      { clientSecretStdin: true, input: "a\nb" },
    ]) {
      expect((await failureOf(() => readSecret("client-secret", clientId, sourcesOf(world)))).kind).toBe(
        "usage",
      );
    }
  });
});

test("rejects two secrets on standard input", async () => {
  const sources = sourcesOf({
    environment: everything,
    passwordStdin: true,
    clientSecretStdin: true,
    input: "x\n",
  });
  await accountCredentials(sources);
  const failure = await failureOf(() => readSecret("client-secret", clientId, sources));
  expect(failure.kind).toBe("usage");
  expect(failure.message).toMatch(/password.*client secret/);
});
