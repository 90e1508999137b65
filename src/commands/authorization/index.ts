// The verbs of `grantctl authorization`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/lazy-commands.ts";

export const authorizationVerbs: Verbs = {
  list: async () => (await import("./list.ts")).defineList,
  view: async () => (await import("./view.ts")).defineView,
  create: async () => (await import("./create.ts")).defineCreate,
  "get-or-create": async () => (await import("./get-or-create.ts")).defineGetOrCreate,
  identify: async () => (await import("./identify.ts")).defineIdentify,
  update: async () => (await import("./update.ts")).defineUpdate,
  rotate: async () => (await import("./rotate.ts")).defineRotate,
  delete: async () => (await import("./delete.ts")).defineDelete,
};
