// A sandbox for one test file, and the environment that configures grantctl to use it.
import { type Fault, parseFault } from "../../src/sandbox/faults.ts";
import { startSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/sandbox.ts";

export interface Account {
  readonly sandbox: Sandbox;
  /** The text messages sent by the sandbox, oldest first. */
  readonly textMessages: readonly string[];
  /** Base URL, and the credentials of the account and of the application. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Default options of a sandbox in memory. */
export const plainSandbox: SandboxOptions = {
  port: 0,
  serverType: "service",
  headerWord: "Service",
  otp: "none",
  faults: [],
  seed: 0,
  now: () => Date.now(),
  onTextMessage: () => undefined,
};

/** The fault of a value of `--fault`. */
export function fault(text: string): Fault {
  const parsed = parseFault(text);
  if (parsed === null) throw new Error(`${text} is not a fault`);
  return parsed;
}

/** Starts a sandbox in memory; the caller closes it. */
export async function openAccount(options: Partial<SandboxOptions> = {}): Promise<Account> {
  const textMessages: string[] = [];
  const sandbox = await startSandbox({
    ...plainSandbox,
    onTextMessage: (code) => textMessages.push(code),
    ...options,
  });
  const { base_url, username, password, client_id, client_secret } = sandbox.description;
  return {
    sandbox,
    textMessages,
    environment: {
      GRANTCTL_BASE_URL: base_url,
      GRANTCTL_USERNAME: username,
      GRANTCTL_PASSWORD: password,
      GRANTCTL_CLIENT_ID: client_id,
      GRANTCTL_CLIENT_SECRET: client_secret,
    },
  };
}
