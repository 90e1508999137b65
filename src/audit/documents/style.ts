// How the page looks: from a telephone to paper, in the colours that the reader's system prefers. Every pair of text and
// background has a contrast of 4.5 or more in both; what a colour says is written in words, too.

const light = `
  --page: #f5f6f8; --card: #ffffff; --text: #1a212b; --quiet: #556070; --line: #dde2e9; --track: #e6eaf0;
  --accent: #0b5cad; --code: #eef1f5;
  --high: #a3211a; --high-back: #fdecea; --medium: #7d4a00; --medium-back: #fdf1dc; --low: #3c5068; --low-back: #e9eef4;
  --good: #14662f; --good-back: #e5f4ea;
  --b0: #aab4c0; --b1: #5b9bd5; --b2: #2f6fb5; --b3: #d08a1d; --b4: #cf5a2a; --b5: #b3261e; --bu: #8b7fb0;`;

const dark = `
  --page: #10141a; --card: #181e26; --text: #e8ecf2; --quiet: #a6b1c0; --line: #303947; --track: #2a323e;
  --accent: #8cc0ff; --code: #222a35;
  --high: #ffb4ab; --high-back: #46201d; --medium: #f5c982; --medium-back: #3d2d10; --low: #b9c8da; --low-back: #263140;
  --good: #8ddba3; --good-back: #17341f;
  --b0: #657181; --b1: #6fb1ea; --b2: #4a8fd6; --b3: #e0a545; --b4: #e57d4f; --b5: #ef6a60; --bu: #a598cf;`;

export const style = `
:root { color-scheme: light dark; ${light} }
@media (prefers-color-scheme: dark) { :root { ${dark} } }
* { box-sizing: border-box; }
body {
  margin: 0; padding: 2.5rem 1.25rem 4rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; font-variant-numeric: tabular-nums;
}
header, main, footer { max-width: 72rem; margin: 0 auto; }
h1, h2, h3, p, li, td, dd { overflow-wrap: anywhere; }
.eyebrow { margin: 0 0 .25rem; color: var(--accent); font-size: .8125rem; font-weight: 600; letter-spacing: .06em; text-transform: uppercase; }
h1 { margin: 0; font-size: clamp(1.625rem, 4vw, 2.25rem); line-height: 1.15; letter-spacing: -.015em; text-wrap: balance; }
.where { margin: .5rem 0 0; color: var(--quiet); }
.lead { margin: 1.5rem 0 0; max-width: 46rem; font-size: 1.1875rem; line-height: 1.5; text-wrap: pretty; }
section { margin: 1.5rem 0 0; padding: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: .875rem; }
h2 { margin: 0; font-size: 1.25rem; line-height: 1.3; }
.about { margin: .25rem 0 1rem; color: var(--quiet); font-size: .9375rem; max-width: 46rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; margin: 1.75rem 0 0; }
.tiles > div { display: flex; flex-direction: column-reverse; justify-content: flex-end; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .875rem; }
.tiles dt { color: var(--quiet); font-size: .9375rem; }
.tiles dd { margin: 0; font-size: 2rem; font-weight: 650; line-height: 1.15; letter-spacing: -.02em; }
.tiles .warn dd { color: var(--high); }
.tiles .good dd { color: var(--good); }
svg { display: block; width: 100%; }
.share { height: 1rem; margin: 1rem 0 .875rem; border-radius: .5rem; background: var(--track); }
.legend { display: flex; flex-wrap: wrap; gap: .375rem 1.25rem; margin: 0; padding: 0; list-style: none; font-size: .9375rem; }
.legend li { display: flex; align-items: center; gap: .5rem; }
.legend svg { width: .75rem; height: .75rem; border-radius: .1875rem; }
.b0 { fill: var(--b0); } .b1 { fill: var(--b1); } .b2 { fill: var(--b2); } .b3 { fill: var(--b3); }
.b4 { fill: var(--b4); } .b5 { fill: var(--b5); } .bu { fill: var(--bu); }
.bar { height: .375rem; margin-top: .375rem; border-radius: .1875rem; background: var(--track); }
.bar + .quiet { margin-top: .25rem; }
.bar .age { fill: var(--accent); }
.chip { display: inline-block; padding: .0625rem .5rem; border-radius: 1rem; font-size: .8125rem; font-weight: 600; white-space: nowrap; }
.high { background: var(--high-back); color: var(--high); }
.medium { background: var(--medium-back); color: var(--medium); }
.low { background: var(--low-back); color: var(--low); }
.good .chip, .chip.good { background: var(--good-back); color: var(--good); }
.quiet { color: var(--quiet); font-size: .875rem; }
.findings { margin: 0; padding: 0; list-style: none; }
.findings > li { display: grid; grid-template-columns: minmax(0, 15rem) minmax(0, 1fr) minmax(0, 1.1fr); gap: .375rem 1.5rem; padding: .875rem 0; border-top: 1px solid var(--line); font-size: .9375rem; }
.findings > li:last-child { padding-bottom: 0; }
.findings h3 { display: inline; margin: 0 0 0 .375rem; font-size: 1rem; line-height: 1.4; }
.findings p { margin: 0; }
.measures, .commands { margin: 0; padding: 0; list-style: none; }
.commands { align-self: start; padding: .5rem .75rem; background: var(--code); border-radius: .5rem; }
.measures strong { font-weight: 600; }
code { font: .875em/1.5 ui-monospace, "SF Mono", "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
th { padding: 0 1.25rem .5rem 0; color: var(--quiet); font-size: .8125rem; font-weight: 600; text-align: left; }
td { padding: .75rem 1.25rem .75rem 0; border-top: 1px solid var(--line); vertical-align: top; }
th:last-child, td:last-child { padding-right: 0; }
.name { width: 32%; } .reach { width: 30%; } .when { width: 14%; }
td.name b { font-weight: 600; }
td .quiet { display: block; }
.rules { width: auto; min-width: min(100%, 34rem); }
.rules td, .rules th { padding-block: .375rem; }
.rules td:last-child, .rules th:last-child { text-align: right; }
.cut { margin: 1rem 0 0; padding: .625rem .875rem; background: var(--low-back); color: var(--low); border-radius: .5rem; font-size: .9375rem; }
footer { margin-top: 2rem; color: var(--quiet); font-size: .875rem; }
@media (max-width: 60rem) {
  .findings > li { grid-template-columns: minmax(0, 13rem) minmax(0, 1fr); }
  .commands { grid-column: 2; }
}
@media (max-width: 44rem) {
  body { padding: 1.5rem .875rem 3rem; }
  section { padding: 1.125rem; }
  .tiles { grid-template-columns: 1fr 1fr; gap: .75rem; }
  .tiles > div { padding: .75rem .875rem; }
  .tiles dd { font-size: 1.625rem; }
  .lead { font-size: 1.0625rem; }
  .findings > li { grid-template-columns: minmax(0, 1fr); gap: .5rem; }
  .commands { grid-column: auto; }
  .list thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .list, .list tbody, .list tr, .list td { display: block; width: auto; }
  .list tr { padding: .875rem 0; border-top: 1px solid var(--line); }
  .list td { padding: .125rem 0; border: 0; }
  .list td:not(.name) { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); }
  .list td:not(.name)::before { content: attr(data-label); color: var(--quiet); font-size: .875rem; }
  .list td:empty { display: none; }
}
@media print {
  :root { color-scheme: light; ${light} --page: #ffffff; }
  @page { margin: 1.5cm; }
  html { font-size: 9.5pt; }
  body { padding: 0; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  section, .tiles > div { border-radius: 0; border-width: 1px 0 0; padding: .75rem 0 0; }
  .tiles { grid-template-columns: repeat(4, 1fr); }
  .tiles > div { padding: .5rem 0 0; }
  .findings > li, tr { break-inside: avoid; }
  h2, .about { break-after: avoid; }
}
`;
