// Global node ids (the specification, 9.2): what REST answers carry as `node_id` is the `id` of GraphQL. Opaque to
// clients; in the form of the operators' first generation.

export type NodeType =
  | "User"
  | "Organization"
  | "Repository"
  | "Issue"
  | "PullRequest"
  | "IssueComment"
  | "PullRequestReview"
  | "Commit"
  | "Grant"
  | "Authorization";

/** The node id of a thing; `key` is what tells it from others of its type. */
export function createNodeId(type: NodeType, key: number | string): string {
  return Buffer.from(`0${type.length}:${type}${key}`).toString("base64");
}

/** The type and key that a node id was made of, or null for anything else. */
export function parseNodeId(id: string): { readonly type: string; readonly key: string } | null {
  const text = Buffer.from(id, "base64").toString("latin1");
  const [, type = "", key = ""] = /^0\d{1,2}:([A-Za-z]+)(\d[0-9a-f:]*)$/.exec(text) ?? [];
  // Whatever else decodes to the same is another id.
  return type !== "" && createNodeId(type as NodeType, key) === id ? { type, key } : null;
}
