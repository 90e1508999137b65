// The verbs of `grantctl grant`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/lazy-commands.ts";

export const grantVerbs: Verbs = {
  list: async () => (await import("./list.ts")).defineList,
  view: async () => (await import("./view.ts")).defineView,
  delete: async () => (await import("./delete.ts")).defineDelete,
};
