// Carries out the requests of a connection one after the other: a client that pipelines requests may rely on their
// order (RFC 9112, 9.3.2), even if a later one needs less time.
import type { IncomingMessage } from "node:http";

/** Calls `work` when the work of the connection's earlier requests has ended, well or not. */
export type InTurn = <Result>(message: IncomingMessage, work: () => Promise<Result>) => Promise<Result>;

/** Turns of any number of connections. */
export function createTurns(): InTurn {
  const last = new WeakMap<object, Promise<unknown>>();
  return ({ socket }, work) => {
    const result = (last.get(socket) ?? Promise.resolve()).then(work, work);
    last.set(socket, result);
    return result;
  };
}
