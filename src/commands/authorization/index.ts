// The verbs of `grantctl authorization`, in the order that help lists them: a new one is a file of its own and a line here.
import type { Verbs } from "../../command-line/lazy-commands.ts";

export const authorizationVerbs: Verbs = {
  list: async () => (await import("./list.ts")).completeList,
  view: async () => (await import("./view.ts")).completeView,
  create: async () => (await import("./create.ts")).completeCreate,
  "get-or-create": async () => (await import("./get-or-create.ts")).completeGetOrCreate,
  identify: async () => (await import("./identify.ts")).completeIdentify,
  update: async () => (await import("./update.ts")).completeUpdate,
  rotate: async () => (await import("./rotate.ts")).completeRotate,
  delete: async () => (await import("./delete.ts")).completeDelete,
};
