// A folder that only its owner can read: made, or checked, before anything is put into it.
import { access, chmod, constants, lstat, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { usageFailure, type Failure } from "../errors/errors.ts";
import { inWords } from "../errors/system-codes.ts";
import { foreign } from "../errors/foreign.ts";
import { checkTrustedFolder } from "./trusted.ts";

/** The parts of the message for a folder that cannot be used. */
export interface FolderPurpose {
  /** As in `state folder`. */
  readonly name: string;
  /** What would go wrong without it. */
  readonly consequence: string;
  readonly hint: string;
}

/** The sticky bit, of a folder that several users share, such as /tmp. */
const sticky = 0o1000;

/**
 * Makes the folder with mode 0700, or takes it if it is one of ours that nobody else can change. Throws a usage failure
 * otherwise.
 */
export async function preparePrivateFolder(
  path: string,
  purpose: FolderPurpose,
  userId: number | null,
): Promise<void> {
  try {
    checkTrustedFolder(path, userId);
    await makeFolder(path);
    // Where the folder was missing below a shared one, somebody else may have made it meanwhile.
    checkTrustedFolder(path, userId);
    if ((await checkedMode(path, purpose)) & 0o077) await chmod(path, 0o700);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : unusable(path, code, purpose);
  }
}

/** Throws a usage failure where preparePrivateFolder would, as far as that can be told without making anything. */
export async function checkPrivateFolder(
  path: string,
  purpose: FolderPurpose,
  userId: number | null,
): Promise<void> {
  const reason = await whyNotWritable(path);
  if (reason !== null) throw unusable(path, reason, purpose);
  checkTrustedFolder(path, userId);
  if ((await lstat(path).catch(() => null)) !== null) await checkedMode(path, purpose);
}

/**
 * The error code for which nothing can be put into the folder; null where something can. Looks at the folder, or at the
 * nearest one above it, in which it would be made.
 */
export async function whyNotWritable(path: string): Promise<string | null> {
  try {
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    const above = dirname(path);
    return code === "ENOENT" && above !== path ? whyNotWritable(above) : code;
  }
}

/** The mode of a folder. Throws a usage failure for anything else, and for a folder that others use. */
async function checkedMode(path: string, purpose: FolderPurpose): Promise<number> {
  const found = await lstat(path);
  if (!found.isDirectory()) {
    const what = found.isSymbolicLink() ? "a symbolic link, which is not followed" : "no folder";
    throw usageFailure(
      `the ${purpose.name} ${foreign(path)} is ${what}, so ${purpose.consequence}`,
      purpose.hint,
    );
  }
  // Such as /tmp: it has to stay open to everybody.
  if ((found.mode & sticky) !== 0) {
    throw usageFailure(`${foreign(path)} is shared with others, so ${purpose.consequence}`, purpose.hint);
  }
  return found.mode;
}

function unusable(path: string, code: string, purpose: FolderPurpose): Failure {
  return usageFailure(
    `the ${purpose.name} ${foreign(path)} cannot be used (${inWords(code)}), so ${purpose.consequence}`,
    purpose.hint,
  );
}

/**
 * Makes the folder and those above it. Node's own way of doing so never ends below a folder in which nothing can be
 * made, as in /proc.
 */
async function makeFolder(path: string): Promise<void> {
  const make = async (): Promise<string | null> => {
    try {
      await mkdir(path, 0o700);
      return null;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") return null;
      if (code !== "ENOENT") throw error;
      return code;
    }
  };
  if ((await make()) === null) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  await mkdir(path, 0o700).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  });
}
