// The verbs of `grantctl grant`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/verbs.ts";

export const grantVerbs: Verbs = {
  list: async () => (await import("./list.ts")).addListCommand,
  view: async () => (await import("./view.ts")).addViewCommand,
  delete: async () => (await import("./delete.ts")).addDeleteCommand,
};
