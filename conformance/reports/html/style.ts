/** The page's colours, letters and layout. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fff, #14171b);
  --raised: light-dark(#f5f6f8, #1c2026);
  --line: light-dark(#d5d9df, #343a43);
  --edge: light-dark(#7a828e, #78818d);
  --text: light-dark(#1b1f24, #e4e7eb);
  --quiet: light-dark(#555d68, #a3abb6);
  --accent: light-dark(#0b5cad, #7ab8f5);
  --good: light-dark(#17693a, #74cf97);
  --waiting: light-dark(#7d5200, #e3b35c);
  --bad: light-dark(#b0202c, #f58d90);
  --on-strong: light-dark(#fff, #14171b);
  --mark: light-dark(#fff0c2, #4a3a10);
  font: 0.9375rem / 1.45 system-ui, sans-serif;
  color: var(--text);
  background: var(--ground);
  scroll-padding-top: 1rem;
}

* { box-sizing: border-box; }

body, p, ul, ol, dl, dd, pre { margin: 0; padding: 0; }

body { overflow-wrap: anywhere; }

ul, ol { list-style: none; }

h1, h2, h3, h4 { margin: 0; line-height: 1.3; }
h1 { font-size: 1.375rem; }
h2 { font-size: 1.1875rem; }
h3 { font-size: 1rem; }
h4 { font-size: 0.875rem; margin-top: 0.75rem; }

code, pre, .code { font: 0.8125rem / 1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
code { unicode-bidi: isolate; }

a { color: var(--accent); text-underline-offset: 0.15em; }

:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }

.quiet, .kicker, dt { color: var(--quiet); }
.quiet { font-size: 0.8125rem; }

.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: 0.5rem; padding: 0.25rem 0.5rem; background: var(--ground); }

main {
  display: grid;
  grid-template-columns: minmax(0, 1fr);
  gap: 2.25rem;
  max-width: 73rem;
  padding: 1.5rem 1rem 6rem;
  margin: 0 auto;
}

main:focus { outline: none; }

section { min-width: 0; }
section > h2 {
  padding-bottom: 0.375rem;
  margin-bottom: 0.625rem;
  border-bottom: 1px solid var(--line);
}

#sum { border: 0; margin: 0; padding: 0; }

[data-verdict="passed"] { --tone: var(--good); }
[data-verdict="failed"] { --tone: var(--bad); }
[data-verdict="warned"] { --tone: var(--waiting); }
[data-verdict="skipped"] { --tone: var(--quiet); }
[data-verdict="excluded"] { --tone: var(--quiet); }

/* The sum */

.bar { display: block; margin: 0.75rem 0; border-radius: 0.25rem; background: var(--raised); }
.bar rect { fill: var(--tone); stroke: var(--ground); stroke-width: 1; }
.bar [data-verdict="skipped"] { fill: var(--edge); opacity: 0.45; }
.bar [data-verdict="excluded"] { fill: var(--line); }

.sums { display: flex; flex-wrap: wrap; gap: 0.25rem 2rem; }
.sums > div { display: flex; flex-direction: column-reverse; }
.sums dt { font-size: 0.8125rem; }
.sums dd {
  font-size: 1.5rem;
  line-height: 1.2;
  font-variant-numeric: tabular-nums;
  color: var(--tone);
}
.sums [data-verdict="passed"] dt,
.sums [data-verdict="failed"] dt,
.sums [data-verdict="warned"] dt { color: var(--tone); }

.warning, .known {
  margin-top: 0.875rem;
  padding: 0.5rem 0.75rem;
  border-left: 3px solid var(--waiting);
  background: var(--raised);
}
.known { border-color: var(--edge); }

/* Causes */

.causes > li {
  padding: 0.5rem 0 0.5rem 0.75rem;
  border-left: 3px solid var(--tone);
  margin-bottom: 0.5rem;
}

.causes h3 { margin-bottom: 0.125rem; }
.skips > li { padding: 0.5rem 0; border-bottom: 1px solid var(--line); }

/* The matrix */

.legend { display: flex; flex-wrap: wrap; gap: 0.375rem 1rem; margin-bottom: 0.75rem; }
.legend > li { display: flex; align-items: center; gap: 0.375rem; font-size: 0.8125rem; }

.grid { display: grid; gap: 0.25rem; }
.grid > li {
  display: grid;
  grid-template-columns: 13rem minmax(0, 1fr) auto;
  align-items: center;
  gap: 0 1rem;
}
.name { color: inherit; text-decoration: none; }
.name:hover { text-decoration: underline; }
.name > .code { display: inline-block; min-width: 3rem; color: var(--quiet); }
.cells { display: flex; flex-wrap: wrap; gap: 3px; }
.cell {
  display: inline-flex;
  align-items: center;
  justify-content: center;
  gap: 1px;
  width: 1.9375rem;
  height: 1.625rem;
  border: 1px solid transparent;
  border-radius: 0.25rem;
  font-size: 0.75rem;
  font-variant-numeric: tabular-nums;
  text-decoration: none;
  color: var(--tone);
  background: color-mix(in srgb, var(--tone) 11%, var(--ground));
}
.cell[data-verdict="failed"], .cell[data-verdict="warned"] {
  font-weight: 600;
  color: var(--on-strong);
  background: var(--tone);
}
.cell[data-verdict="skipped"] { border: 1px dashed var(--edge); background: none; }
.cell[data-verdict="excluded"] { background: none; }
a.cell:hover { border: 1px solid currentcolor; }

@media (max-width: 50rem) {
  main { gap: 1.75rem; padding-top: 1rem; }
  .grid { gap: 0.75rem; }
  .grid > li { grid-template-columns: minmax(0, 1fr) auto; gap: 0.25rem 1rem; }
  .grid .cells { grid-row: 2; grid-column: 1 / -1; }
  .cell { height: 1.75rem; }
  .sums { column-gap: 0.75rem; }
}
`;
