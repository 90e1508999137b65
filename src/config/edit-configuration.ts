// Changes to the configuration file: one process at a time, comments and order kept, the result checked before it
// replaces what was there.
import { setTimeout as sleep } from "node:timers/promises";
import { dirname } from "node:path";
import { applyEdits, modify } from "jsonc-parser";
import { usageFailure } from "../errors/errors.ts";
import { takeLock, type Lock, type ProcessTable } from "../files/lock.ts";
import { preparePrivateFolder } from "../files/private-folder.ts";
import { replaceFile } from "../files/replace-file.ts";
import { readConfigurationText, type Configuration } from "./configuration.ts";
import { parseConfiguration } from "./parse-configuration.ts";

/** One value to set, or with undefined to take away, by the path of its keys. */
export interface Edit {
  readonly path: readonly string[];
  readonly value: unknown;
}

export interface FileOwner {
  /** This process's user, null where the platform has none. */
  readonly userId: number | null;
  readonly processes: ProcessTable;
}

const longestWaitMs = 5000;
const waitStepMs = 20;
const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n", insertFinalNewline: true };

/**
 * Makes the edits that `decide` wants of the file as it then is; gives back what is configured afterwards. Throws a
 * usage failure where the file is, or would be, no configuration, and where it cannot be written.
 */
export async function editConfiguration(
  path: string,
  { userId, processes }: FileOwner,
  decide: (configuration: Configuration) => readonly Edit[],
): Promise<Configuration> {
  await preparePrivateFolder(dirname(path), {
    name: "configuration folder",
    consequence: "nothing can be configured",
    hint: "set GRANTCTL_CONFIG_DIR to a folder of yours",
  });
  const lock = await waitForLock(`${path}.lock`, processes);
  try {
    const before = (await readConfigurationText(path, userId)) ?? "";
    const edits = decide(parseConfiguration(path, before));
    let text = before.trim() === "" ? "{}\n" : before;
    for (const edit of edits) {
      text = applyEdits(text, modify(text, [...edit.path], edit.value, { formattingOptions }));
    }
    const after = parseConfiguration(path, text);
    if (text !== before) await replaceFile(path, text);
    return after;
  } finally {
    await lock.release();
  }
}

async function waitForLock(path: string, processes: ProcessTable): Promise<Lock> {
  for (let waited = 0; waited < longestWaitMs; waited += waitStepMs) {
    const lock = await takeLock(path, processes);
    if (lock !== null) return lock;
    await sleep(waitStepMs);
  }
  throw usageFailure("another grantctl is changing the configuration");
}
