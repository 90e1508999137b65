// The one line at the bottom of a terminal that changes while a run works. To write anything else, the line is erased,
// the text written, and the line drawn again below it. At the end nothing of it remains.
import type { OutputStream } from "./output-stream.ts";

export interface StatusLine {
  /** Columns that a text may take. */
  readonly columns: number;
  /** Whether the line is drawn at all. */
  readonly isShown: boolean;
  /** Draws a text in place of the one before; an empty one erases it. */
  show(text: string): void;
  /** The same stream; what is written to it appears above the line. */
  above(stream: OutputStream): OutputStream;
  /** Does work, such as a question, during which the line is not drawn. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

export interface StatusLineOptions {
  readonly stderr: OutputStream;
  /** False with --quiet or a dumb terminal. The line is drawn on a terminal only. */
  readonly isWanted: boolean;
  /** Calls back just before a signal ends the process; returns a function that stops it. */
  readonly beforeSignalEnds: (handle: () => void) => () => void;
}

/** Erases to the end of the screen: in a window that was made narrower, the line has wrapped into several. */
const eraseBelow = "\u001b[J";
const eraseLine = `\r${eraseBelow}`;

/** A line that is empty at first. */
export function createStatusLine({ stderr, isWanted, beforeSignalEnds }: StatusLineOptions): StatusLine {
  const isShown = isWanted && stderr.isTerminal;
  let text = "";
  let isDrawn = false;
  /** Whether the text above ended with a line break; else the status line would be drawn over it. */
  let isAtLineStart = true;
  /** How many calls of `alone` are under way. */
  let others = 0;
  let forgetSignals: (() => void) | null = null;

  const write = (piece: string): void => {
    stderr.write(piece).catch(() => undefined);
  };
  const erase = (): void => {
    if (isDrawn) write(eraseLine);
    isDrawn = false;
  };
  const draw = (): void => {
    if (text === "" || others > 0 || !isAtLineStart) {
      erase();
      return;
    }
    forgetSignals ??= beforeSignalEnds(erase);
    // What follows the text is erased after it, so that the line does not flicker. The cursor waits where the text
    // begins, which is where it stays when the window is made narrower.
    write(`\r${text}${eraseBelow}\r`);
    isDrawn = true;
  };

  const writeAbove = (stream: OutputStream, piece: string | Buffer): Promise<void> => {
    erase();
    const written = stream.write(piece);
    if (piece.length > 0) isAtLineStart = piece.at(-1) === (typeof piece === "string" ? "\n" : lineFeed);
    draw();
    return written;
  };
  /**
   * While a slow reader takes the text, the line stays erased: the reader may be a pager, which has the whole screen.
   */
  const writeAside = async (stream: OutputStream, piece: string | Buffer): Promise<void> => {
    others += 1;
    try {
      await stream.write(piece);
    } finally {
      others -= 1;
    }
  };

  return {
    isShown,
    get columns() {
      return stderr.columns - 1;
    },
    show(next) {
      if (!isShown) return;
      text = next;
      draw();
      if (next !== "") return;
      forgetSignals?.();
      forgetSignals = null;
    },
    above(stream) {
      if (!isShown) return stream;
      return {
        isTerminal: stream.isTerminal,
        isAscii: stream.isAscii === true,
        get columns() {
          return stream.columns;
        },
        write: (piece) => (stream.isTerminal ? writeAbove(stream, piece) : writeAside(stream, piece)),
        settle: () => stream.settle(),
      };
    },
    async alone(work) {
      others += 1;
      erase();
      try {
        return await work();
      } finally {
        others -= 1;
      }
    },
  };
}

const lineFeed = 0x0a;
