// Templates of HTML: everything that is put in is text, wherever it is put.
import { assert, constantFrom, property, string } from "fast-check";
import { expect, test } from "vitest";
import { html as markup, showUntrustedText } from "../../src/sandbox/pages/layout.ts";
// By another name, under which the formatter leaves the white space of templates alone.

test("text cannot end its element or its attribute", () => {
  const hostile = `"'><b>&amp;`;
  const safe = "&quot;&#39;&gt;&lt;b&gt;&amp;amp;";
  expect(markup`<a title="${hostile}" lang='${hostile}'>${hostile}</a>`.markup).toBe(
    `<a title="${safe}" lang='${safe}'>${safe}</a>`,
  );
});

test("markup goes in as it is, alone and in lists, and numbers as digits", () => {
  const items = ["a&b", "c"].map((text) => markup`<li>${text}</li>`);
  expect(markup`<ul>${items}</ul>${markup`<hr>`}${3}`.markup).toBe(
    "<ul><li>a&amp;b</li><li>c</li></ul><hr>3",
  );
});

test("text from a client is shown without tags, quotes and invisible characters", () => {
  const pieces = constantFrom(
    "<",
    ">",
    '"',
    "'",
    "&",
    "\u0000",
    "\u001b",
    "\u009b",
    "\u202e",
    "\u2066",
    "\ud83d",
    "x",
  );
  assert(
    property(string({ unit: pieces, maxLength: 400 }), (text) => {
      const shown = /^<bdi>(.*)<\/bdi>$/s.exec(showUntrustedText(text).markup)?.[1];
      expect(shown).not.toMatch(/[<>"'\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      expect(shown?.replaceAll(/&(amp|lt|gt|quot|#39);/g, "")).not.toContain("&");
    }),
  );
});
