// How messages name the state folder.
import type { FolderPurpose } from "../files/private-folder.ts";

/** The words for a message that the state folder cannot be used. */
export const stateFolderPurpose: FolderPurpose = {
  name: "state folder",
  consequence: "that a token's value could be lost",
  hint: "set GRANTCTL_STATE_DIR to a folder of yours",
};
