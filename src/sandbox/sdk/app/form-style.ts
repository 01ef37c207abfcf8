/** A constructed style sheet, which works under a CSP without inline styles. */
export const FORM_STYLE = `
  dialog {
    --ground: light-dark(#fff, #1c2026);
    --text: light-dark(#1b1f24, #e4e7eb);
    --quiet: light-dark(#555d68, #a3abb6);
    --edge: light-dark(#7a828e, #78818d);
    --line: light-dark(#d5d9df, #3d444e);
    --accent: light-dark(#0b5cad, #7ab8f5);
    --on-accent: light-dark(#fff, #0c1a28);
    color-scheme: light dark;
    box-sizing: border-box;
    width: min(28rem, calc(100vw - 2rem));
    padding: 1.25rem;
    border: 1px solid var(--edge);
    border-radius: 0.5rem;
    font: 1rem / 1.45 system-ui, sans-serif;
    color: var(--text);
    background: var(--ground);
  }
  dialog::backdrop { background: rgb(0 0 0 / 50%); }
  h2 { margin: 0; font-size: 1.125rem; line-height: 1.3; overflow-wrap: anywhere; }
  p { margin: 0.5rem 0; }
  .note, label span { color: var(--quiet); }
  .note { font-size: 0.875rem; }
  [role="status"]:empty { display: none; }
  form { margin: 0; }
  fieldset { min-width: 0; margin: 0.75rem 0 0; padding: 0; border: 0; }
  legend { padding: 0; font-weight: 600; }
  label {
    display: grid;
    grid-template-columns: 1.25rem 1fr auto;
    gap: 0 0.5rem;
    align-items: center;
    padding: 0.5rem 0;
    border-bottom: 1px solid var(--line);
    font-size: 0.875rem;
  }
  label strong { grid-column: 2 / -1; font-weight: 600; }
  label input { grid-row: 1 / 3; margin: 0; accent-color: var(--accent); }
  label span { font-size: 0.8125rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
  button {
    min-height: 2.25rem;
    margin: 0.75rem 0.5rem 0 0;
    padding: 0.25rem 0.875rem;
    border: 1px solid var(--edge);
    border-radius: 0.25rem;
    font: inherit;
    color: inherit;
    background: transparent;
    cursor: pointer;
  }
  .primary { border-color: var(--accent); color: var(--on-accent); background: var(--accent); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;
