// The verbs of `grantctl sandbox`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/lazy-commands.ts";

export const sandboxVerbs: Verbs = {
  start: async () => (await import("./start.ts")).completeStart,
  run: async () => (await import("./run.ts")).completeRun,
  codes: async () => (await import("./codes.ts")).completeCodes,
  notices: async () => (await import("./notices.ts")).completeNotices,
};
