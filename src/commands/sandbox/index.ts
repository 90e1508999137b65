// The verbs of `grantctl sandbox`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/verbs.ts";

export const sandboxVerbs: Verbs = {
  start: async () => (await import("./start.ts")).addStartCommand,
  run: async () => (await import("./run.ts")).addRunCommand,
  codes: async () => (await import("./codes.ts")).addCodesCommand,
  notices: async () => (await import("./notices.ts")).addNoticesCommand,
};
