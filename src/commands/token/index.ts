// The verbs of `grantctl token`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/lazy-commands.ts";

export const tokenVerbs: Verbs = {
  check: async () => (await import("./check.ts")).defineCheck,
  inspect: async () => (await import("./inspect.ts")).defineInspect,
  reset: async () => (await import("./reset.ts")).defineReset,
  revoke: async () => (await import("./revoke.ts")).defineRevoke,
  "revoke-grant": async () => (await import("./revoke-grant.ts")).defineRevokeGrant,
  report: async () => (await import("./report.ts")).defineReport,
};
