// The logins of a run: the user or application that it acts as, and where its password, secret or token is.
import { checkClientId, problemOf, settingTable } from "../config/settings.ts";
import { createOneTimePasswords } from "../credentials/one-time-passwords.ts";
import { createSecrets, runSecretCommand } from "../credentials/secrets.ts";
import { usageFailure } from "../errors/errors.ts";
import type { BasicCredentials } from "../http/authorization.ts";
import type { OneTimePasswords } from "../http/one-time-password.ts";
import type { RunParts } from "./run-parts.ts";

/** Opens nothing yet. `baseUrl` is empty if none is configured; it throws a usage failure if it is invalid. */
export function createLogins(run: RunParts, baseUrl: () => string) {
  const { host, settings } = run;
  const secrets = createSecrets(run, baseUrl);
  const username = async (): Promise<string> => {
    const name = settings.username?.value ?? (await secrets.askName("password"));
    const problem = problemOf(settingTable.username, name);
    if (problem !== null) throw usageFailure(`the user name ${problem}`);
    return name;
  };

  return {
    secrets,
    openStore: secrets.openStore,
    username,
    async account(): Promise<BasicCredentials> {
      const name = await username();
      return { username: name, password: await secrets.read("password", name) };
    },
    /** The application's client ID, checked. */
    clientId: async (): Promise<string> =>
      checkClientId(settings.clientId?.value ?? (await secrets.askName("client-secret")), settings),
    clientSecret: (clientId: string): Promise<string> => secrets.read("client-secret", clientId),
    hasToken: (): boolean => secrets.find("token", "").source !== "prompt",
    token: (): Promise<string> => secrets.read("token", ""),
    oneTimePasswords: (name: string): OneTimePasswords =>
      createOneTimePasswords({
        given: settings.otp?.value ?? null,
        command: settings.otpCommand?.value ?? null,
        runCommand: (words) => runSecretCommand(words, host),
        prompter: run.prompter,
        whose: `${name} at ${baseUrl()}`,
        redact: run.redactor.addSecret,
        now: () => host.now(),
        wait: (milliseconds) => run.progress.wait(milliseconds),
      }),
  };
}
