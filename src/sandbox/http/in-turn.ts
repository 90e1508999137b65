// Carries out the requests of a connection one after the other: a client that pipelines requests may rely on their
// order (RFC 9112, 9.3.2), even if a later one needs less time.
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

  // Forgets an ended turn, so that the next request of a kept connection does not wait for it.
  function forget(socket: object, ended: Promise<unknown>): void {
    if (last.get(socket) === ended) last.delete(socket);
  }
}
