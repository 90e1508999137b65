// The verbs of `grantctl config`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/verbs.ts";

export const configVerbs: Verbs = {
  get: async () => (await import("./get.ts")).addGetCommand,
  set: async () => (await import("./set.ts")).addSetCommand,
  unset: async () => (await import("./unset.ts")).addUnsetCommand,
  list: async () => (await import("./list.ts")).addListCommand,
  path: async () => (await import("./path.ts")).addPathCommand,
};
