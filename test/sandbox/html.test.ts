// HTML templates: values are escaped everywhere.
import { assert, constantFrom, property, string } from "fast-check";
import { expect, test } from "vitest";
import { html as markup, showUntrustedText } from "../../src/sandbox/pages/layout.ts";
// Renamed, so that the formatter does not change white space in the templates.

test("text cannot close its element or attribute", () => {
  const hostile = `"'><b>&amp;`;
  const safe = "&quot;&#39;&gt;&lt;b&gt;&amp;amp;";
  expect(markup`<a title="${hostile}" lang='${hostile}'>${hostile}</a>`.markup).toBe(
    `<a title="${safe}" lang='${safe}'>${safe}</a>`,
  );
});

test("markup is not escaped, alone or in lists; numbers are written as digits", () => {
  const items = ["a&b", "c"].map((text) => markup`<li>${text}</li>`);
  expect(markup`<ul>${items}</ul>${markup`<hr>`}${3}`.markup).toBe(
    "<ul><li>a&amp;b</li><li>c</li></ul><hr>3",
  );
});

test("text from a client is shown without tags, quotes or invisible characters", () => {
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
