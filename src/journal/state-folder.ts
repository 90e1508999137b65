// How messages name the state folder.
import type { FolderPurpose } from "../files/trusted.ts";

export const stateFolderPurpose: FolderPurpose = {
  name: "state folder",
  consequence: "grantctl cannot record its changes there",
  hint: "set GRANTCTL_STATE_DIR to a folder of yours",
};
