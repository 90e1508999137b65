// Where the values of a rotation go, one at a time on a stream, and where what became of each is reported.
import { delivering } from "../../output/printer.ts";
import type { Context } from "../../run/context.ts";
import type { NewValue } from "../new-value.ts";
import type { ValueReceiver } from "../value-receiver.ts";
import { plainLine, rotationPresentation, type RotationRow } from "./rows.ts";

export interface Hand {
  /** Resolves when the value was taken. Throws an undelivered failure otherwise. */
  deliver(row: RotationRow, value: NewValue): Promise<void>;
  /** Tells what became of one, where that has a place. */
  report(row: RotationRow): Promise<void>;
  end(): Promise<void>;
}

/** The hand of one run. */
export function openHand(
  isJob: boolean,
  receiver: ValueReceiver,
  { printer, options, stdout }: Context,
): Hand {
  let last: Promise<void> = Promise.resolve();
  /** Lines of several do not mix. */
  const inTurn = (write: () => Promise<void>): Promise<void> => {
    const next = last.then(write);
    last = next.catch(() => undefined);
    return next;
  };
  const isList = printer.isJson || options.format !== undefined || printer.hasJq;
  const list =
    isJob && (receiver.kind !== "standard output" || isList) ? printer.openList(rotationPresentation) : null;

  const textOf = (row: RotationRow): string =>
    isJob && !printer.isJson ? plainLine(row) : printer.valueText(row.token ?? "", row, rotationPresentation);
  const write = async (row: RotationRow, value: NewValue): Promise<void> => {
    const text = textOf(row);
    if (!receiver.has(text)) await receiver.write(text, value);
  };
  return {
    async deliver(row, value) {
      if (receiver.kind === "command") await receiver.write("", value);
      else if (receiver.kind === "file" || list === null) await inTurn(() => write(row, value));
      else
        await inTurn(() =>
          delivering(async () => {
            await list.add([row]);
            await stdout.settle();
          }),
        );
    },
    async report(row) {
      if (receiver.kind === "standard output") {
        // The line of a value was written with it; what has none is told all the same.
        if (!isJob || row.token !== null) return;
        await inTurn(() => (list === null ? stdout.write(plainLine(row)) : list.add([row]))).catch(
          () => undefined,
        );
        return;
      }
      const shown = { ...row, token: row.token === null ? null : "" };
      if (list !== null) await list.add([shown]).catch(() => undefined);
      else if (receiver.kind === "command" && printer.isJson && row.token !== null)
        await delivering(() => printer.printItem(shown, rotationPresentation), notReported);
    },
    async end() {
      await list?.end().catch(() => undefined);
    },
  };
}

const notReported = "the token was delivered, but standard output did not take the report";
