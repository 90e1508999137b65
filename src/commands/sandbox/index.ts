// The verbs of `grantctl sandbox`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/lazy-commands.ts";

export const sandboxVerbs: Verbs = {
  start: async () => (await import("./start.ts")).defineStart,
  run: async () => (await import("./run.ts")).defineRun,
  codes: async () => (await import("./codes.ts")).defineCodes,
  notices: async () => (await import("./notices.ts")).defineNotices,
};
