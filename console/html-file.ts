import { html, raw } from 'hono/html';
import { visibleText } from '#shared/text/visible-text.ts';

/** A part of the document; what stands in its holes is escaped. */
export type Fragment = ReturnType<typeof html>;

/**
 * The evidence of one start as one file of HTML.
 * @param lines - the document of `evidenceDocument`, whose texts are escaped for Markdown and HTML
 */
export async function evidencePage(lines: readonly string[]): Promise<string> {
  // Every console loads this file, and few of them are asked for evidence.
  const { marked } = await import('marked');
  const title = visibleText((lines[0] ?? '').replace(/^# /, ''));
  const body = await marked.parse(lines.map(visibleText).join('\n'), { gfm: true });
  return htmlFile(title, raw(body));
}

/** One file of HTML that fetches nothing and runs nothing: what a person hands on. */
export async function htmlFile(title: string, body: Fragment, moreStyle = ''): Promise<string> {
  const document = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>${title}</title>
        <style>
          ${raw(style + moreStyle)}
        </style>
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html> `;
  return String(document);
}

const style = `
:root { color-scheme: light dark; --text: #1b1d21; --dim: #565d69; --line: #d5d9e0; --paper: #fff; --accent: #1256b0; --soft: #b9d1f0; --warn: #7a4b00; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8ec; --dim: #a5adba; --line: #3b414b; --paper: #16181c; --accent: #8ab8ff; --soft: #2c4a75; --warn: #f0c06a; --bad: #ff9a92; } }
body { margin: 0; background: var(--paper); color: var(--text); font: 14px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.dim, caption { color: var(--dim); } caption { text-align: left; }
.summary { font-size: 1.1rem; }
.notes { border-left: 4px solid var(--warn); padding-left: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.5rem; border-top: 1px solid var(--line); min-width: 5rem; }
@media print { .wide { overflow: visible; } tr, .lane { break-inside: avoid; } }
`;
