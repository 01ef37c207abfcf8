/** How requirements, their findings and the traffic look. */
export const STYLE_OF_DETAILS = `
/* The filter */

.filter {
  display: flex;
  flex-wrap: wrap;
  gap: 0.375rem 0.5rem;
  padding: 0.5rem 0;
  margin: 0;
  border: 0;
  min-width: 0;
  background: var(--ground);
}
.filter legend { float: left; padding: 0.25rem 0.5rem 0 0; color: var(--quiet); }
.filter label {
  display: flex;
  align-items: center;
  gap: 0.375rem;
  min-height: 2rem;
  padding: 0 0.625rem;
  border: 1px solid var(--edge);
  border-radius: 0.25rem;
  cursor: pointer;
}
.filter label:has(:checked) { background: var(--raised); }
.filter label:has(:focus-visible) { outline: 2px solid var(--accent); outline-offset: 2px; }
.filter input { margin: 0; accent-color: var(--accent); }
.filter .mark { color: var(--tone); }

.requirement, .group { display: none; }
body:has(#show-passed:checked) .requirement[data-verdict="passed"],
body:has(#show-failed:checked) .requirement[data-verdict="failed"],
body:has(#show-warned:checked) .requirement[data-verdict="warned"],
body:has(#show-skipped:checked) .requirement[data-verdict="skipped"],
body:has(#show-excluded:checked) .requirement[data-verdict="excluded"],
.requirement:target,
.group:has(:target),
body:has(#show-passed:checked) .group:has(> [data-verdict="passed"]),
body:has(#show-failed:checked) .group:has(> [data-verdict="failed"]),
body:has(#show-warned:checked) .group:has(> [data-verdict="warned"]),
body:has(#show-skipped:checked) .group:has(> [data-verdict="skipped"]),
body:has(#show-excluded:checked) .group:has(> [data-verdict="excluded"]) { display: block; }

/* Requirements */

.group { margin-top: 1.25rem; }
.group > h3 { padding-bottom: 0.375rem; border-bottom: 1px solid var(--line); }
.group > h3 > .code { color: var(--quiet); }

summary { cursor: pointer; }
summary:hover { background: var(--raised); }

.requirement, .traffic > li { border-bottom: 1px solid var(--line); }
.requirement > summary {
  display: grid;
  grid-template-columns: 5.75rem 5.5rem minmax(0, 1fr) 1rem;
  align-items: baseline;
  gap: 0.125rem 0.75rem;
  padding: 0.4375rem 0;
}
.requirement > summary::marker { content: ""; }
.requirement > summary::after {
  content: "";
  align-self: start;
  margin-top: 0.375rem;
  width: 0.4375rem;
  height: 0.4375rem;
  border: solid var(--edge);
  border-width: 0 1.5px 1.5px 0;
  transform: rotate(45deg);
}
.requirement[open] > summary::after { transform: rotate(-135deg); }
.requirement:target > summary { background: var(--mark); }
details:target::details-content, :target > details::details-content {
  content-visibility: visible;
  block-size: auto;
}
.badge {
  justify-self: start;
  padding: 0 0.375rem;
  border: 1px solid currentcolor;
  border-radius: 0.25rem;
  font-size: 0.75rem;
  color: var(--tone);
}
.inside { padding: 0.25rem 0 1rem; }
.requirement > .inside { padding-left: 6.5rem; }

.facts { display: grid; gap: 0.125rem; }
.facts > div {
  display: grid;
  align-items: baseline;
  grid-template-columns: 6.5rem minmax(0, 1fr);
  gap: 0 0.75rem;
}
.facts dt { font-size: 0.8125rem; }
.facts dd { unicode-bidi: isolate; }
.got { color: var(--bad); }

.checks { margin-top: 0.5rem; }
.checks > li { padding: 0.25rem 0; }
.check { display: grid; grid-template-columns: 1rem minmax(0, 1fr); gap: 0 0.375rem; }
.check .mark { color: var(--tone); font-weight: 600; }
.check .quiet { display: inline-block; }

.findings { margin: 0.375rem 0 0.5rem 1.375rem; }
.findings > li {
  padding: 0.5rem 0 0.5rem 0.75rem;
  margin-bottom: 0.5rem;
  border-left: 3px solid var(--bad);
}
[data-verdict="warned"] .findings > li { border-color: var(--waiting); }
.findings > .told { padding-block: 0.125rem; margin: 0; }

.body { margin-top: 0.5rem; }
.requirement > summary > strong { white-space: nowrap; }
.body > pre { max-height: none; }
.body > summary { font-size: 0.8125rem; color: var(--quiet); }
pre {
  max-height: 26rem;
  overflow: auto;
  padding: 0.5rem 0.625rem;
  margin-top: 0.375rem;
  border-radius: 0.25rem;
  background: var(--raised);
  white-space: pre-wrap;
  unicode-bidi: isolate;
}
pre i { color: var(--quiet); }
mark { padding: 0.0625rem 0.125rem; color: inherit; background: var(--mark); font-weight: 600; }

.curl {
  display: flex;
  align-items: start;
  gap: 0.5rem;
  margin-top: 0.5rem;
  padding: 0.375rem 0.375rem 0.375rem 0.625rem;
  border: 1px solid var(--line);
  border-radius: 0.25rem;
}
.curl > code { flex: 1; min-width: 0; align-self: center; }
button {
  font: inherit;
  font-size: 0.8125rem;
  min-height: 1.75rem;
  padding: 0 0.625rem;
  color: inherit;
  border: 1px solid var(--edge);
  border-radius: 0.25rem;
  background: var(--raised);
  cursor: pointer;
}
button:hover { border-color: var(--accent); color: var(--accent); }

/* Deliveries on a line */

.timeline { margin: 0.625rem 0 0.25rem 0.375rem; border-left: 2px solid var(--line); }
.timeline > li { position: relative; padding: 0 0 0.625rem 1rem; }
.timeline > li::before {
  content: "";
  position: absolute;
  left: -0.3125rem;
  top: 0.4375rem;
  width: 0.5rem;
  height: 0.5rem;
  border-radius: 50%;
  background: var(--edge);
}
.timeline > .concerned::before { background: var(--bad); outline: 2px solid var(--ground); }
.timeline p { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.625rem; }
.timeline strong { font-weight: 600; }
time { font-variant-numeric: tabular-nums; }
.ids, .headers { font-size: 0.8125rem; }
.ids { display: flex; flex-wrap: wrap; gap: 0 1rem; }
.ids > div, .headers > div { display: flex; flex-wrap: wrap; gap: 0 0.375rem; min-width: 0; }
.ids dt, .headers dt { flex: none; max-width: 100%; }
.ids dd, .headers dd { min-width: 0; }

/* The traffic */

.traffic > li > details > summary { padding: 0.375rem 0; }
.traffic > li:target > details > summary { background: var(--mark); }
.nr { display: inline-block; font-size: 0.8125rem; min-width: 2rem; color: var(--quiet); }

@media (max-width: 50rem) {
  .requirement > summary { grid-template-columns: auto minmax(0, 1fr) 1rem; }
  .requirement > summary > .text { grid-row: 2; grid-column: 1 / -1; }
  .requirement > .inside { padding-left: 0; }
  .findings { margin-left: 0; }
  .facts > div { grid-template-columns: 5.25rem minmax(0, 1fr); }
  .curl { flex-direction: column; }
}

@media (min-width: 50.0625rem) {
  :root { scroll-padding-top: 4rem; }
  .filter { position: sticky; top: 0; z-index: 1; }
}

@media print {
  :root { color-scheme: light; font-size: 10pt; }
  main { max-width: none; padding: 0; }
  .filter, button, .skip { display: none; }
  pre { max-height: none; }
  .requirement > summary, .findings > li { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}
`;
