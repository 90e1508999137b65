// --to-command: the command runs once for each new value, without a shell, and reads the value from its standard input.
// No value is in its arguments or its environment; what it prints goes to standard error, with secrets taken out.
import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { splitCommand } from "../config/command-words.ts";
import { Failure, usageFailure } from "../errors/errors.ts";
import { foreign } from "../errors/foreign.ts";
import { isProgram, withoutCurrentFolder } from "../programs/search-path.ts";
import { startProgram } from "../programs/start-program.ts";
import type { Context } from "../run/context.ts";
import type { NewValue } from "./new-value.ts";
import type { ValueReceiver } from "./value-receiver.ts";

type Words = readonly [string, ...string[]];

export interface CommandOptions {
  readonly toCommand: string;
  readonly toCheck?: string;
}

/**
 * The command as a receiver. Runs `toCheck` once, here. Throws a usage failure where that fails, and for a command that
 * does not exist.
 */
export async function openValueCommand(
  { toCommand, toCheck }: CommandOptions,
  context: Context,
): Promise<ValueReceiver> {
  const words = wordsOf(toCommand, "--to-command", context);
  if (toCheck !== undefined) {
    const check = wordsOf(toCheck, "--to-check", context);
    const problem = await run(check, null, context);
    if (problem !== null)
      throw usageFailure(`the check ${foreign(check[0])} ${problem}; nothing was sent`, toCheckHint);
  }
  return {
    kind: "command",
    words: ["--to-command", toCommand],
    identity: null,
    has: () => false,
    async write(_, value) {
      const problem = await run(words, value, context);
      if (problem === null) return;
      throw new Failure(
        "undelivered",
        `the token exists, but the command ${foreign(words[0])} ${problem}, so it is not delivered`,
        { isOneDelivery: true },
      );
    },
    isThere: () => Promise.resolve(true),
    close: () => Promise.resolve(),
  };
}

const toCheckHint = "it is run before anything is sent, to find out whether the value could be delivered";

function wordsOf(line: string, flag: string, { host }: Context): Words {
  let words: Words;
  try {
    words = splitCommand(line);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw usageFailure(`${flag}: ${error.marked}`, error.details.hint);
  }
  if (!isProgram(words[0], host.childEnvironment, host.platform)) {
    throw usageFailure(
      `${flag}: there is no program ${foreign(words[0])}; nothing was sent`,
      "its name on the PATH, or its path",
    );
  }
  return words;
}

/** Runs the command. Gives what went wrong, as the end of a sentence; null for exit code 0, even if it read nothing. */
function run(words: Words, value: NewValue | null, context: Context): Promise<string | null> {
  const { host, notices, options } = context;
  return new Promise((resolve) => {
    const child = startProgram(
      words,
      {
        env: {
          ...withoutCurrentFolder(host.childEnvironment, host.platform),
          ...(value === null ? {} : variablesOf(value)),
        },
        stdio: [value === null ? "ignore" : "pipe", "pipe", "pipe"],
        windowsHide: true,
      },
      host.platform,
    );
    const streams = [child.stdout, child.stderr].filter((stream): stream is Readable => stream !== null);
    const closed = streams.map((stream) => relay(stream, notices.relay));
    const end = (problem: string | null): void => {
      clearTimeout(timer);
      // A background process that it started may hold its streams open for ever; its own output arrives at once.
      const grace = setTimeout(() => {
        for (const stream of streams) stream.destroy();
      }, outputGraceMs);
      resolve(
        Promise.all(closed).then(() => {
          clearTimeout(grace);
          return problem;
        }),
      );
    };
    const timer = setTimeout(() => {
      end(`took longer than ${options.timeout} s`);
      child.kill("SIGKILL");
      child.unref();
    }, options.timeout * 1000);
    child.on("error", (error) => {
      end(`could not be run (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`);
      for (const stream of streams) stream.destroy();
    });
    child.on("exit", (code, signal) => {
      if (signal !== null) end(`was ended by ${signal}`);
      else end(code === 0 ? null : `ended with exit code ${code}`);
    });
    // EPIPE of a command that ends without reading: its exit code says whether that was meant.
    child.stdin?.on("error", () => undefined);
    if (value !== null) child.stdin?.end(`${value.token}\n`);
  });
}

const outputGraceMs = 250;

/** The variables that tell the command which token it gets. A NUL goes, because no variable can hold one. */
function variablesOf({ lastEight, id, note }: NewValue): Record<string, string> {
  return {
    GRANTCTL_TOKEN_LAST_EIGHT: lastEight,
    GRANTCTL_AUTHORIZATION_ID: id,
    GRANTCTL_NOTE: note.replaceAll("\0", ""),
  };
}

/** Longer lines are cut. */
const longestLine = 64 * 1024;

/** Hands its lines on as they come; resolves when it is closed. */
function relay(stream: Readable, say: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder("utf8");
  let line = "";
  const take = (text: string): void => {
    const [first = "", ...rest] = text.split(/\r?\n/);
    line = (line + first).slice(0, longestLine);
    for (const next of rest) {
      if (line !== "") say(line);
      line = next.slice(0, longestLine);
    }
  };
  stream.on("data", (chunk: Buffer) => take(decoder.write(chunk)));
  stream.on("error", () => undefined);
  return new Promise((resolve) => {
    stream.once("close", () => {
      take(`${decoder.end()}\n`);
      resolve();
    });
  });
}
