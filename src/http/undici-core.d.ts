// Types for the undici modules that are imported individually, so that the rest of undici is never loaded.
declare module "undici/lib/dispatcher/agent.js" {
  import type { Agent } from "undici";
  const AgentConstructor: typeof Agent;
  export default AgentConstructor;
}

declare module "undici/lib/dispatcher/pool.js" {
  import type { Pool } from "undici";
  const PoolConstructor: typeof Pool;
  export default PoolConstructor;
}

declare module "undici/lib/core/connect.js" {
  import type { buildConnector } from "undici";
  import type { Socket } from "node:net";
  import type { TLSSocket } from "node:tls";
  /** Missing in undici's types: the socket is returned immediately, before it is connected. */
  type Connector = (options: buildConnector.Options, callback: buildConnector.Callback) => Socket | TLSSocket;
  export default function build(options?: buildConnector.BuildOptions): Connector;
}
