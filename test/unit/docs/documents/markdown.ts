/**
 * Reads what documents claim: the links, paths and commands in a Markdown text. Pure; no more
 *   Markdown than our documents use.
 */

/** Where links lead, as written; addresses of the web are left out. */
export function linksOf(markdown: string): string[] {
  const prose = withoutBlocks(markdown).replaceAll(/`[^`]*`/g, 'code');
  return [...prose.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target));
}

/** The rooms that a path of the project begins with. */
const rooms = ['functions', 'shared', 'infra', 'local', 'cli', 'gateway', 'test', 'docs', 'examples'];

/**
 * Paths of the project in backticks and in blocks of code; those with a placeholder in them say
 * nothing about one file.
 */
export function pathsOf(markdown: string): string[] {
  return codeOf(markdown)
    .flatMap((code) => code.split(/[\s,;|"']+/))
    .map((word) => word.replace(/[.:)]+$/, ''))
    .filter((word) => rooms.some((room) => word.startsWith(`${room}/`)) && !/[<>*…{}$]/.test(word));
}

/** What `npm …` and `npm run …` are asked for, in backticks and in blocks of code. */
export function npmScriptsOf(markdown: string): string[] {
  return wordsAfter(markdown, /\bnpm (?:run )?([a-z][\w:-]*)/g);
}

/** The operator's commands: `autopilot upload …`. */
export function operatorCommandsOf(markdown: string): string[] {
  return wordsAfter(markdown, /(?<![-\w])autopilot ([a-z]+)/g);
}

/**
 * Whole command lines of the operator, as words: lines of code blocks, and texts in backticks with
 * more than the command's name.
 */
export function operatorLinesOf(markdown: string): string[][] {
  return codeOf(markdown)
    .flatMap((code) => code.split('\n'))
    .map((line) => line.trim().replace(/^(?:\$ )?(?:npx )?autopilot /, 'autopilot '))
    .filter((line) => line.startsWith('autopilot '))
    .map((line) => shellWords(line).slice(1));
}

/** Whole command lines of the AWS CLI in blocks of code, as words. */
export function awsLinesOf(markdown: string): string[][] {
  return [...markdown.matchAll(/^ {4}aws (.+)$/gm)].map(([, line = '']) => shellWords(line));
}

/** The words of a line as a shell reads it: quotes, and nothing else that our documents use. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

/** The text below a heading, up to the next heading of its level or above. */
export function sectionOf(markdown: string, heading: string): string {
  const [, marks = '#', after = ''] = new RegExp(`^(#+) ${heading}$([\\s\\S]*)`, 'm').exec(markdown) ?? [];
  return after.split(new RegExp(`^#{1,${marks.length}} `, 'm'))[0] ?? '';
}

/** The blocks of a language below a heading. */
export function blocksOf(section: string, language: string): string[] {
  return [...section.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
}

/** The settings of a section's first block, as they would stand in an `automation.config.ts`. */
export async function settingsIn(section: string): Promise<object> {
  const [written = ''] = blocksOf(section, 'ts');
  const { default: settings }: { default: object } = await import(
    `data:text/javascript,${encodeURIComponent(`export default { ${written} };`)}`
  );
  if (Object.keys(settings).length === 0) throw new Error('the section sets nothing');
  return settings;
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(markdown: string): string[] {
  return headingsOf(markdown).map(({ text }) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Headings, `level` counting the `#`. */
export function headingsOf(markdown: string): { readonly level: number; readonly text: string }[] {
  return [...withoutBlocks(markdown).matchAll(/^(#+) (.+)$/gm)].map(([, marks = '', text = '']) => ({
    level: marks.length,
    text,
  }));
}

/** The rows of the first table below a heading, without its head; a cell as written. */
export function tableBelow(markdown: string, heading: string): string[][] {
  const [, section = ''] = markdown.split(`\n## ${heading}\n`);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  const rows = table.trimEnd().split('\n').slice(2);
  return rows.map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  );
}

function wordsAfter(markdown: string, pattern: RegExp): string[] {
  return codeOf(markdown).flatMap((code) => [...code.matchAll(pattern)].map(([, word = '']) => word));
}

const block = /^```[^\n]*\n([\s\S]*?)^```$|^ {4}.*$/gm;

/** Texts in backticks, blocks between fences, and indented lines. */
function codeOf(markdown: string): string[] {
  const blocks = [...markdown.matchAll(block)].map(([whole, inFence]) => inFence ?? whole);
  const inline = [...withoutBlocks(markdown).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...blocks, ...inline];
}

function withoutBlocks(markdown: string): string {
  return markdown.replaceAll(block, '');
}
