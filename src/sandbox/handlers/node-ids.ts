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
