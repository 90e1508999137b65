// The verbs of `grantctl token`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/lazy-commands.ts";

export const tokenVerbs: Verbs = {
  check: async () => (await import("./check.ts")).completeCheck,
  inspect: async () => (await import("./inspect.ts")).completeInspect,
  reset: async () => (await import("./reset.ts")).completeReset,
  revoke: async () => (await import("./revoke.ts")).completeRevoke,
  "revoke-grant": async () => (await import("./revoke-grant.ts")).completeRevokeGrant,
  report: async () => (await import("./report.ts")).completeReport,
};
