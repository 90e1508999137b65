// A folder that only its owner can read: made, or checked, before anything is put into it.
import { chmod, lstat, mkdir } from "node:fs/promises";
import { usageFailure } from "../errors/errors.ts";

/** Makes the folder with mode 0700, or takes it if it is one of ours. Throws a usage failure otherwise. */
export async function preparePrivateFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    const found = await lstat(path);
    if (!found.isDirectory()) throw usageFailure(`${path} is not a folder`);
    if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
  } catch (error) {
    throw unusable(path, error);
  }
}

function unusable(path: string, error: unknown): Error {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === undefined) return error as Error;
  return usageFailure(
    `the state folder ${path} cannot be used (${code}), so that a token's value could be lost`,
    "set GRANTCTL_STATE_DIR to a folder of yours",
  );
}
