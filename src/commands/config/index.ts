// The verbs of `grantctl config`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/lazy-commands.ts";

export const configVerbs: Verbs = {
  get: async () => (await import("./get.ts")).defineGet,
  set: async () => (await import("./set.ts")).defineSet,
  unset: async () => (await import("./unset.ts")).defineUnset,
  list: async () => (await import("./list.ts")).defineList,
  path: async () => (await import("./path.ts")).definePath,
};
