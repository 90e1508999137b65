// A page as a manual page, in the macros of man(7).
import type { HelpPage } from "../../src/command-line/help-page.ts";
import type { Block } from "../../src/command-line/help-sections.ts";

/** One manual page. */
export interface ManualPage {
  /** As in `grantctl-grant-list`. */
  readonly title: string;
  /** 1 for commands, 7 for topics. */
  readonly volume: 1 | 7;
  readonly page: HelpPage;
  /** Other manual pages, as in `grantctl-grant(1)`. */
  readonly seeAlso: readonly string[];
}

/** The source of the manual page; it ends with a line break. */
export function renderRoff({ title, volume, page, seeAlso }: ManualPage): string {
  const lines = [
    `.TH ${title.toUpperCase()} ${volume} "" grantctl grantctl`,
    ".nh",
    ".ad l",
    ".SH NAME",
    `${escapeText(title)} \\- ${escapeText(page.summary)}`,
    ...(page.usage === null ? [] : [".SH SYNOPSIS", `.B ${escapeText(page.usage)}`]),
    ...page.sections.flatMap(({ heading, blocks }) => [
      `.SH ${escapeText((heading ?? "Description").toUpperCase())}`,
      ...blocks.flatMap((block, index) => blockLines(block, index > 0)),
    ]),
    ...(seeAlso.length === 0 ? [] : [".SH SEE ALSO", escapeText(seeAlso.join(", "))]),
  ];
  return `${lines.join("\n")}\n`;
}

function blockLines(block: Block, isLater: boolean): readonly string[] {
  switch (block.kind) {
    case "paragraph":
      return [...(isLater ? [".PP"] : []), escapeLine(block.text)];
    case "names":
      return [...(isLater ? [".PP"] : []), escapeLine(block.names.join(", "))];
    case "examples":
      return [".nf", ...block.lines.map((line) => escapeLine(`$ ${line}`)), ".fi"];
    case "terms":
      break;
  }
  return block.terms.flatMap(({ name, text }) => [".TP", `.B ${escapeText(name)}`, escapeLine(text)]);
}

/** Text within a line: hyphens stay hyphens, so that flags can be copied, and what is not ASCII has a name. */
function escapeText(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll('"', "\\(dq")
    .replaceAll("'", "\\(aq")
    .replaceAll(/[^\x20-\x7e]/gu, (letter) => `\\[u${hexOf(letter)}]`);
}

function hexOf(letter: string): string {
  return (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}

/** Text that is a line of its own, where a dot at the beginning would be a macro. */
function escapeLine(text: string): string {
  return escapeText(text).replace(/^\./, "\\&.");
}
