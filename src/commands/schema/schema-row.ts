// One schema in the table of `grantctl schema`.

/** The whole document of `--json`, or one line of `--format ndjson`. */
export type SchemaForm = "document" | "line";

export interface SchemaRow {
  readonly command: string;
  readonly id: string;
  readonly means: string;
}
