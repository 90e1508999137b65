// The verbs of `grantctl token`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/verbs.ts";

export const tokenVerbs: Verbs = {
  check: async () => (await import("./check.ts")).addCheckCommand,
  inspect: async () => (await import("./inspect.ts")).addInspectCommand,
  reset: async () => (await import("./reset.ts")).addResetCommand,
  revoke: async () => (await import("./revoke.ts")).addRevokeCommand,
  "revoke-grant": async () => (await import("./revoke-grant.ts")).addRevokeGrantCommand,
  report: async () => (await import("./report.ts")).addReportCommand,
};
