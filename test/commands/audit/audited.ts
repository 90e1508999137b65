// An audit of a service with few grants and authorizations, at one moment.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startRecordingServer, type RecordingServer } from "../../support/recording-server.ts";
import { authorizationJson, grantJson } from "../../support/resources.ts";
import { makeFolder } from "../../support/state-folder.ts";

export type Fields = Readonly<Record<string, unknown>>;

export const now = (): number => Date.parse("2025-03-01T00:00:00Z");

/** A service with these grants and authorizations, which may be changed meanwhile. */
export async function serve(world: {
  grants: readonly Fields[];
  authorizations: readonly Fields[];
}): Promise<RecordingServer> {
  return startRecordingServer(({ path }) => ({
    status: 200,
    body: path.includes("/applications/grants") ? world.grants : world.authorizations,
  }));
}

export const usual = {
  grants: [
    grantJson(),
    grantJson({
      id: 7,
      scopes: ["admin:org"],
      app: { name: "Quill", client_id: "b".repeat(20), url: "" },
    }),
  ],
  authorizations: [
    authorizationJson({ id: 1 }),
    authorizationJson({
      id: 2,
      note: null,
      created_at: "2025-02-20T00:00:00Z",
      updated_at: "2025-02-20T00:00:00Z",
    }),
  ],
};

export async function audit(
  server: RecordingServer,
  ...words: readonly string[]
): Promise<{
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}> {
  return server.run(["audit", ...words], { now });
}

interface Document {
  readonly findings: readonly {
    readonly rule: string;
    readonly resource: string;
    readonly id: number;
    readonly measure: string;
    readonly severity: string;
    readonly command: string;
  }[];
  readonly changes: readonly {
    readonly change: string;
    readonly resource: string;
    readonly id: number;
  }[];
  readonly summary: Fields;
}

export async function auditJson(server: RecordingServer, ...words: readonly string[]): Promise<Document> {
  const run = await audit(server, "--json", ...words);
  return JSON.parse(run.stdout) as Document;
}

/** Writes the JSON of an audit to a new file, for --compare. */
export async function saveAudit(server: RecordingServer): Promise<string> {
  const file = join(makeFolder(), "audit.json");
  writeFileSync(file, (await audit(server, "--json")).stdout);
  return file;
}
