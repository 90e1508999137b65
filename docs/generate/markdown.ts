// Pages as Markdown, as GitHub shows it.
import type { HelpPage } from "../../src/command-line/help-page.ts";
import type { Block } from "../../src/command-line/help-sections.ts";

/** A page under a heading of this level, its sections one level deeper. */
export function renderMarkdown(page: HelpPage, level: number): readonly string[] {
  const sections = page.sections.flatMap(({ heading, blocks }) => [
    ...(heading === null ? [] : [`${"#".repeat(level + 1)} ${escapeText(heading)}`]),
    ...blocks.map(blockText),
  ]);
  const usage = page.usage === null ? [] : [codeBlock("text", [page.usage])];
  return [`${"#".repeat(level)} ${page.name}`, ...usage, ...sections];
}

/** A table of two columns. */
export function renderTable(rows: readonly (readonly [string, string])[]): string {
  return ["| name | meaning |", "| --- | --- |", ...rows.map(([name, text]) => `| ${name} | ${text} |`)].join(
    "\n",
  );
}

/** A table whose first row is its header, with columns as wide as their texts, as the formatter leaves it. */
export function renderAligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => `| ${row.map((text, at) => text.padEnd(widths[at] ?? 0)).join(" | ")} |`);
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

/** Text as code, as it would stand in a cell of a table, too. */
export function inlineCode(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}

/** Text that means nothing to Markdown, but for code between backquotes. */
export function escapeText(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) =>
      index % 2 === 1 ? inlineCode(part.slice(1, -1)) : part.replaceAll(/[\\`*_<>|[\]#]/g, String.raw`\$&`),
    )
    .join("");
}

function blockText(block: Block): string {
  switch (block.kind) {
    case "paragraph":
      return escapeText(block.text);
    case "names":
      return block.names.map(inlineCode).join(" ");
    case "examples":
      return codeBlock("sh", block.lines);
    case "terms":
      break;
  }
  return renderTable(block.terms.map(({ name, text }) => [inlineCode(name), escapeText(text)]));
}

function codeBlock(language: string, lines: readonly string[]): string {
  return ["```" + language, ...lines, "```"].join("\n");
}
