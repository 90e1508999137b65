// An undelivered value on a machine with a keychain is sealed on disk and opened by recover. Without the key, recover
// reports that and loses nothing. Uses a real Secret Service; skipped if there is none.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runBinary, type Finished } from "../support/binary.ts";
import { makeConfigurationFolder } from "../support/configuration.ts";
import { noSecretServiceReason, startSecretService, type SecretService } from "../support/secret-service.ts";
import { startSandboxOfBinary, type SandboxOfBinary } from "../support/shell.ts";
import { makeStateFolder } from "../support/state-folder.ts";

const why = noSecretServiceReason === null ? "" : ` (skipped: ${noSecretServiceReason})`;

describe.skipIf(noSecretServiceReason !== null)(`a value that waits for its output${why}`, () => {
  let keyring: SecretService;
  let sandbox: SandboxOfBinary;

  beforeAll(async () => {
    [keyring, sandbox] = await Promise.all([startSecretService("unlocked"), startSandboxOfBinary()]);
  });
  afterAll(async () => {
    await Promise.all([keyring.close(), sandbox.stop()]);
  });

  /** A user whose password is in the keychain. */
  async function logIn(): Promise<{
    readonly state: ReturnType<typeof makeStateFolder>;
    readonly run: (
      words: readonly string[],
      session?: Pick<SecretService, "environment">,
      input?: string,
    ) => Promise<Finished>;
  }> {
    const [folder, state] = [makeConfigurationFolder(), makeStateFolder()];
    const run = (
      words: readonly string[],
      session: Pick<SecretService, "environment"> = keyring,
      input = "",
    ): Promise<Finished> =>
      runBinary(words, {
        environment: { ...session.environment, ...folder.environment, ...state.environment },
        input,
      });
    const { base_url, username, password } = sandbox.description;
    const words = ["auth", "login", "--base-url", base_url, "--username", username, "--password-stdin"];
    const { code, stderr } = await run(words, keyring, `${password}\n`);
    if (code !== 0) throw new Error(stderr);
    return { state, run };
  }

  test("is sealed on disk, opened by recover, and reported if the key is not available", async () => {
    const { state, run } = await logIn();
    // An item is not delivered if jq prints nothing for it.
    const created = await run(["authorization", "create", "--note", "sealed", "--jq", "empty"]);
    expect([created.code, created.stdout]).toEqual([12, ""]);
    const [journal = "none"] = state.journals();
    const kept = readFileSync(journal, "utf8");
    expect(kept).toContain('"sealed":');
    expect(kept).not.toContain('"body":');

    const list = await run(["recover", "list", "--json", "id,state,values,token_last_eights"]);
    type Row = { readonly id: string; readonly token_last_eights: readonly string[] };
    const [row] = JSON.parse(list.stdout) as Row[];
    expect(row).toMatchObject({ state: "value kept", values: 1 });
    const id = row?.id ?? "none";

    const shown = await run(["recover", "show", id]);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{40}\n$/)]);
    expect(row?.token_last_eights).toEqual([shown.stdout.trim().slice(-8)]);
    expect(shown.stderr).toContain("kept encrypted in");
    expect(
      readdirSync(state.path)
        .map((name) => readFileSync(join(state.path, name), "utf8"))
        .join(),
    ).not.toContain(shown.stdout.trim());

    const elsewhere = await startSecretService("none");
    try {
      const refused = await run(["recover", "show", id], elsewhere);
      expect([refused.code, refused.stdout]).toEqual([4, ""]);
      expect(refused.stderr).toContain("is encrypted, and its key in the keychain is not available");
    } finally {
      await elsewhere.close();
    }
    expect((await run(["recover", "show", id])).stdout).toBe(shown.stdout);
    expect((await run(["recover", "forget", id])).code).toBe(0);
    expect(state.journals()).toEqual([]);
  });

  test("is delivered without a keychain, and kept unsealed meanwhile", async () => {
    const { state, run } = await logIn();
    const elsewhere = await startSecretService("none");
    try {
      const environment = { ...elsewhere.environment, GRANTCTL_PASSWORD: sandbox.description.password };
      const created = await run(["authorization", "create", "--note", "open"], { environment });
      expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{40}\n$/)]);
      expect(created.stderr).toContain("a token's value is saved unencrypted");
      expect(state.journals()).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });
});
