// What the folder of the journals is for, wherever it is prepared.
import type { FolderPurpose } from "../files/private-folder.ts";

/** For the message where it cannot be used. */
export const stateFolderPurpose: FolderPurpose = {
  name: "state folder",
  consequence: "that a token's value could be lost",
  hint: "set GRANTCTL_STATE_DIR to a folder of yours",
};
