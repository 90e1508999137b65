// The program behind `sandbox-process.ts`: a sandbox on a data folder that prints its description and waits to be
// killed. If it cannot start, it prints the error instead.
import { SandboxUnavailable, startSandbox } from "../../src/sandbox/sandbox.ts";
import { plainSandbox } from "../support/account.ts";

const [, , dataFolder = "", authorizations = "null"] = process.argv;

try {
  const sandbox = await startSandbox({
    ...plainSandbox,
    dataFolder,
    authorizations: JSON.parse(authorizations) as number | null,
  });
  process.stdout.write(`${JSON.stringify(sandbox.description)}\n`);
} catch (error) {
  if (!(error instanceof SandboxUnavailable)) throw error;
  process.stdout.write(`${JSON.stringify({ unavailable: error.message })}\n`);
}
