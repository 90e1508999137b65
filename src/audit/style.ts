// The page's style, for screens from a phone to a desktop and for paper, in light and dark colours. Text has a contrast
// of at least 4.5 in both; the meaning of every colour is also in words.

const light = `
  --page: #f5f6f8; --card: #ffffff; --text: #1a212b; --quiet: #556070; --line: #dde2e9; --track: #e6eaf0;
  --accent: #0b5cad; --code: #eef1f5;
  --high: #a3211a; --high-back: #fdecea; --medium: #7d4a00; --medium-back: #fdf1dc; --low: #3c5068; --low-back: #e9eef4;
  --good: #14662f; --good-back: #e5f4ea;
  --heat1: #fbe3cf; --heat2: #f3b78c; --heat3: #a8481a; --heat4: #7d2a0b; --heat-dark: #1a212b; --heat-light: #ffffff;`;

const dark = `
  --page: #10141a; --card: #181e26; --text: #e8ecf2; --quiet: #a6b1c0; --line: #303947; --track: #2a323e;
  --accent: #8cc0ff; --code: #222a35;
  --high: #ffb4ab; --high-back: #46201d; --medium: #f5c982; --medium-back: #3d2d10; --low: #b9c8da; --low-back: #263140;
  --good: #8ddba3; --good-back: #17341f;
  --heat1: #33241c; --heat2: #5c3620; --heat3: #c96a28; --heat4: #ff8f3d; --heat-dark: #ffffff; --heat-light: #1a1208;`;

export const style = `
:root { color-scheme: light dark; ${light} }
@media (prefers-color-scheme: dark) { :root { ${dark} } }
* { box-sizing: border-box; }
body {
  margin: 0; padding: 2rem 1.25rem 4rem; background: var(--page); color: var(--text);
  font: 1rem/1.45 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums;
}
header, main, footer { max-width: 66rem; margin: 0 auto; }
h1, h2, p, li, td { overflow-wrap: anywhere; }
h1 { margin: 0; font-size: clamp(1.5rem, 4vw, 2.125rem); line-height: 1.15; }
h2 { margin: 0; font-size: 1.1875rem; line-height: 1.3; }
a { color: var(--accent); }
.where, .about { margin: .25rem 0 .75rem; color: var(--quiet); }
.lead { margin: .75rem 0; font-size: 1.0625rem; }
.missing { margin: .75rem 0; padding: .625rem .875rem; background: var(--high-back); color: var(--high); border-radius: .5rem; font-weight: 600; }
section, details.more { margin: 1rem 0 0; padding: 1.125rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.tiles { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: .75rem; margin: 0; padding: 0; list-style: none; }
.tiles li { border-radius: .75rem; }
.tiles a, .tiles span { display: block; padding: .75rem 1rem; color: inherit; }
.tiles strong { display: block; font-size: 1.875rem; line-height: 1.1; }
nav { display: flex; flex-wrap: wrap; gap: .125rem 1rem; margin: .875rem 0 0; font-size: .9375rem; }
nav a { padding: .25rem 0; }
.chip { display: inline-block; padding: 0 .5rem; border-radius: 1rem; font-size: .8125rem; font-weight: 600; }
.high { background: var(--high-back); color: var(--high); }
.medium { background: var(--medium-back); color: var(--medium); }
.low { background: var(--low-back); color: var(--low); }
.good { background: var(--good-back); color: var(--good); }
time, nav a { white-space: nowrap; } time .quiet { display: block; }
.quiet { color: var(--quiet); font-size: .875rem; }
.findings, .findings ul, .plain { margin: 0; padding: 0; list-style: none; }
.findings > li { display: grid; grid-template-columns: minmax(0, 9fr) minmax(0, 11fr); gap: .25rem 1.5rem; padding: .75rem 0; border-top: 1px solid var(--line); }
.findings > li:first-child { border: 0; }
.findings p { margin: 0; }
.findings ul { font-size: .9375rem; }
.findings .reasons { padding: 0 0 0 1.125rem; list-style: disc; }
.findings .steps > li + li { margin-top: .375rem; }
li:target, tr:target { background: var(--code); }
.findings .reasons > li + li { margin-top: .125rem; }
.findings details > code { margin-top: .25rem; }
.findings > li > .tokens { grid-column: 1 / -1; }
.findings > li.group { display: block; }
.group table { margin: .375rem 0; } .group td { padding-top: .25rem; padding-bottom: .25rem; }
.findings .own { color: var(--high); font-weight: 600; }
.findings code { display: block; margin-top: .125rem; padding: .1875rem .5rem; background: var(--code); border-radius: .375rem; user-select: all; }
.next { margin: .75rem 0 0; }
code span { display: inline-block; max-width: 100%; }
.plain li { padding: .25rem 0; }
code { font: .8125rem/1.5 ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th { color: var(--quiet); font-size: .8125rem; font-weight: 600; text-align: left; }
th, td { padding: .4375rem 1rem .4375rem 0; vertical-align: top; }
td { border-top: 1px solid var(--line); }
.ages { border-collapse: separate; border-spacing: .1875rem; table-layout: fixed; }
.ages th, .ages td { padding: .375rem; border: 0; text-align: center; }
.ages th[scope="row"] { text-align: left; overflow-wrap: normal; }
.ages td { border-radius: .25rem; }
.a0 { color: var(--quiet); background: var(--track); }
.a1 { background: var(--heat1); color: var(--heat-dark); } .a2 { background: var(--heat2); color: var(--heat-dark); }
.a3 { background: var(--heat3); color: var(--heat-light); } .a4 { background: var(--heat4); color: var(--heat-light); }
.rules td:nth-child(n + 3), .rules th:nth-child(n + 3) { text-align: right; }
.rules td.good { background: none; } .rules code { white-space: nowrap; }
.rules td .quiet { display: block; }
summary { cursor: pointer; padding: .25rem 0; color: var(--accent); }
summary h2 { display: inline; color: var(--text); }
details.more > :not(summary) { margin-top: .75rem; }
.list .name { width: 36%; } .list .below { padding-left: 1.25rem; } .list td .quiet { display: block; }
.cut { padding: .5rem .75rem; background: var(--low-back); color: var(--low); border-radius: .5rem; }
footer { margin-top: 1.5rem; color: var(--quiet); font-size: .875rem; }
@media (max-width: 44rem) {
  body { padding: 1rem .75rem 2rem; }
  section, details.more { padding: .75rem .875rem; }
  .tiles { gap: .5rem; }
  .tiles a, .tiles span { padding: .5rem .625rem; font-size: .9375rem; }
  .rules code { display: block; white-space: normal; } .rules th, .rules td { padding-right: .5rem; }
  .findings > li { grid-template-columns: minmax(0, 1fr); padding: .5rem 0; }
  .ages thead td { width: 27%; } .ages th { font-size: .6875rem; } .ages th, .ages td { padding: .25rem .125rem; }
  .list thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .list, .list tbody, .list tr, .list td, .list .name { display: block; width: auto; }
  .list tr { padding: .625rem 0; border-top: 1px solid var(--line); }
  .list td { padding: .0625rem 0; border: 0; }
  .list td:not(.name) { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); }
  .list td:not(.name)::before { content: attr(data-label); color: var(--quiet); font-size: .875rem; }
  .list td:empty { display: none; }
  .group .list tr { padding: .3125rem 0; } .group .list td:not(.name) { display: block; } .group .list td:not(.name)::before { content: none; }
}
@media print {
  :root { color-scheme: light; ${light} --page: #ffffff; }
  @page { margin: 1.5cm; }
  html { font-size: 9pt; }
  body { padding: 0; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  section, details.more { border-radius: 0; border-width: 1px 0 0; padding: .75rem 0 0; }
  .findings > li, tr { break-inside: avoid; }
  h2, .about, summary { break-after: avoid; }
  nav, .tokens { display: none; } summary { list-style: none; color: inherit; }
  details.more:first-of-type { break-before: page; }
  details::details-content { display: block; block-size: auto; content-visibility: visible; }
}
`;
