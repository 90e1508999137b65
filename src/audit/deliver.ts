// Where the documents of an audit go: standard output piece by piece, or a file that is there whole or not at all.
import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import type { DocumentFormat, OutputFormat } from "../config/global-options.ts";
import { usageFailure } from "../errors/errors.ts";
import { inLargePieces } from "../files/large-pieces.ts";
import { replaceFile } from "../files/replace-file.ts";
import { underLock } from "../files/under-lock.ts";
import { parseFields } from "../printing/fields.ts";
import { printWhileRead } from "../printing/output-stream.ts";
import { sanitise, sanitiseJson } from "../drawing/sanitise.ts";
import type { Context } from "../run/context.ts";
import { auditFields } from "./documents/audit-schema.ts";
import type { Document } from "./documents/document.ts";
import type { Report } from "./report.ts";
import type { AuditOptions } from "./run-audit.ts";
import { checkDocumentTarget } from "./snapshot-file.ts";
import { snapshotText } from "./snapshot.ts";

export type AuditFormat = OutputFormat | DocumentFormat;

const formatOfEnding: Readonly<Record<string, AuditFormat>> = {
  html: "html",
  htm: "html",
  md: "md",
  markdown: "md",
  csv: "csv",
  tsv: "tsv",
  json: "json",
  ndjson: "ndjson",
};

/**
 * The format of the document: as asked for, else by the file's ending, else as every command prints. Throws a usage
 * failure where nothing says it.
 */
export function formatOf({ outputFile }: AuditOptions, { options, printer }: Context): AuditFormat {
  if (options.format !== undefined) return options.format;
  if (outputFile === undefined || printer.isJson) return printer.format;
  const format = formatOfEnding[/\.(\w+)$/.exec(outputFile)?.[1]?.toLowerCase() ?? ""];
  if (format !== undefined) return format;
  throw usageFailure(
    `the format of ${outputFile} is not given`,
    `--format html, or a name that ends in .${Object.keys(formatOfEnding).join(", .")}`,
  );
}

/** Checks what can be checked of the outputs before anything is sent. */
export async function checkOutputs(
  options: AuditOptions,
  context: Context,
  format: AuditFormat,
): Promise<void> {
  const { json, jq } = context.options;
  const isJson = format === "json" || format === "ndjson";
  if (typeof json === "string") {
    if (!isJson) throw usageFailure(`--json chooses fields, and --format ${format} has none`);
    parseFields(json, auditFields);
  }
  const { outputFile, save, since } = options;
  for (const [flag, path, hint] of [
    ["--output-file", outputFile, "without --output-file, an audit goes to standard output"],
    ["--save", save, "without --save, no snapshot is kept"],
  ] as const) {
    // `-` means standard output to other programs; here it would be a file of that name.
    if (path === "-" || path === "") throw usageFailure(`${flag} names no file`, hint);
  }
  if (format === "table" && outputFile !== undefined) {
    throw usageFailure("a table is for a terminal, and no document", "--format html, md, csv or json");
  }
  if (jq !== undefined && outputFile !== undefined) {
    throw usageFailure("--jq prints on standard output", "grantctl audit --jq EXPRESSION > FILE");
  }
  for (const [flag, path] of [
    ["--save", save],
    ["--since", since],
  ] as const) {
    if (outputFile !== undefined && path !== undefined && (await isSame(outputFile, path))) {
      throw usageFailure(
        `--output-file and ${flag} are the same file`,
        "the document and the snapshot are two files",
      );
    }
  }
  if (outputFile !== undefined) await checkDocumentTarget(outputFile, options.force === true);
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all(
    [one, other].map((path) => realpath(path).catch(() => resolve(path))),
  );
  return first === second;
}

/** Begins a document; null for the few lines on a terminal, which need no pages. */
export async function openDocument(format: AuditFormat, { options }: Context): Promise<Document | null> {
  if (format === "table") return null;
  if (format === "html") return { write: (await import("./documents/page.ts")).htmlDocument };
  if (format === "md") return { write: (await import("./documents/markdown.ts")).markdownDocument };
  if (format === "csv" || format === "tsv") {
    return (await import("./documents/rows.ts")).createRowDocument(format);
  }
  const fields = typeof options.json === "string" ? parseFields(options.json, auditFields) : null;
  return (await import("./documents/json.ts")).createJsonDocument(fields, format === "ndjson");
}

/** Writes the document, and then the snapshot. */
export async function deliver(
  report: Report,
  document: Document | null,
  options: AuditOptions,
  context: Context,
  format: AuditFormat,
): Promise<void> {
  const { outputFile, save } = options;
  const isDry = context.options.dryRun === true;
  if (outputFile === undefined || document === null)
    await printWhileRead(() => print(report, document, context, format));
  else if (isDry) context.notices.note(`would write ${outputFile}`);
  else {
    await replaceFile(outputFile, document.write(report));
    context.notices.note(`wrote ${outputFile}`);
  }
  if (save === undefined) return;
  if (isDry) context.notices.note(`would save ${save}`);
  else await saveSnapshot(report, save, context);
}

async function saveSnapshot(report: Report, path: string, { host, notices }: Context): Promise<void> {
  const replace = (): Promise<void> => replaceFile(path, snapshotText(report, report.lists, report.now));
  await underLock(path, "the snapshot", host.processes, replace);
  notices.note(`saved ${path}`);
}

async function print(
  report: Report,
  document: Document | null,
  context: Context,
  format: AuditFormat,
): Promise<void> {
  const { printer, stdout } = context;
  if (document === null) {
    const { describeReport } = await import("./documents/terminal.ts");
    await printer.printLabelled(describeReport(report));
    return;
  }
  const pieces = document.write(report);
  if (printer.hasJq) {
    await printer.printJson([...pieces].join(""));
    return;
  }
  const isJson = format === "json" || format === "ndjson";
  // Only tsv and csv were sanitised cell by cell; control characters that may be in a file would act on a terminal.
  const clean = isJson ? sanitiseJson : (text: string) => text.split("\n").map(sanitise).join("\n");
  for (const piece of inLargePieces(pieces, pieceLength))
    await stdout.write(stdout.isTerminal ? clean(piece) : piece);
}

const pieceLength = 65_536;
