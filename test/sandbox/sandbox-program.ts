// The program behind `sandbox-process.ts`: a sandbox on a data folder that prints its description and waits to be
// killed. A refusal to start is printed in its place.
import { SandboxUnavailable, startSandbox } from "../../src/sandbox/sandbox.ts";

const [, , dataFolder = "", authorizations = "null"] = process.argv;

try {
  const sandbox = await startSandbox({
    port: 0,
    dataFolder,
    operator: "service",
    headerWord: "Service",
    otp: "none",
    perPage: 30,
    grants: null,
    authorizations: JSON.parse(authorizations) as number | null,
    latencyMs: 0,
    faults: [],
    seed: 0,
    allowHosts: [],
    now: Date.now,
    otpCommand: () => "",
    onTextMessage: () => {},
  });
  process.stdout.write(`${JSON.stringify(sandbox.description)}\n`);
} catch (error) {
  if (!(error instanceof SandboxUnavailable)) throw error;
  process.stdout.write(`${JSON.stringify({ unavailable: error.message })}\n`);
}
