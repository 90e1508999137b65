// The one part of undici that is used, addressed directly so that the rest of it is never loaded.
declare module "undici/lib/dispatcher/agent.js" {
  import type { Agent } from "undici";
  const AgentConstructor: typeof Agent;
  export default AgentConstructor;
}
