// The verbs of `grantctl authorization`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/verbs.ts";

export const authorizationVerbs: Verbs = {
  list: async () => (await import("./list.ts")).addListCommand,
  view: async () => (await import("./view.ts")).addViewCommand,
  create: async () => (await import("./create.ts")).addCreateCommand,
  "get-or-create": async () => (await import("./get-or-create.ts")).addGetOrCreateCommand,
  identify: async () => (await import("./identify.ts")).addIdentifyCommand,
  update: async () => (await import("./update.ts")).addUpdateCommand,
  rotate: async () => (await import("./rotate.ts")).addRotateCommand,
  delete: async () => (await import("./delete.ts")).addDeleteCommand,
};
