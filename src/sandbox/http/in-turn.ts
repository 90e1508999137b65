// One request of a connection after the other: a client that sends more before it has an answer may count on the order
// in which they are carried out (RFC 9112, 9.3.2), also where a later one needs less time.
import type { IncomingMessage } from "node:http";

/** Calls `work` when the work of the connection's earlier requests has ended, well or not. */
export type InTurn = <Result>(message: IncomingMessage, work: () => Promise<Result>) => Promise<Result>;

/** Turns of any number of connections. */
export function createTurns(): InTurn {
  const last = new WeakMap<object, Promise<unknown>>();
  return (message, work) => {
    const { socket } = message;
    const before = last.get(socket);
    const result = before === undefined ? work() : before.then(work, work);
    const ended: Promise<void> = result.then(
      () => forget(socket, ended),
      () => forget(socket, ended),
    );
    last.set(socket, ended);
    return result;
  };

  // Else each request of a connection that is kept would wait for one that ended long ago.
  function forget(socket: object, ended: Promise<unknown>): void {
    if (last.get(socket) === ended) last.delete(socket);
  }
}
