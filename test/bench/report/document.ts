import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '#shared/places.ts';
import type { JudgedFigure, MeasuredRow } from '../measured-row.ts';
import type { BenchOptions } from '../bench-options.ts';
import type { Machine } from './machine.ts';
import { valueText } from './table-text.ts';

/** The part of docs/reference/performance.md that is written by the bench lies between these. */
const marks = {
  begin: '<!-- written by `npm run bench -- --write`: do not edit -->',
  end: '<!-- end of what is written by the bench -->',
} as const;

const verdictWords = {
  stretch: 'stretch',
  held: 'held',
  over: '**over**',
  'not judged': 'not judged: too noisy',
  'no bar': '',
} as const;

/** What the figures depend on beside the machine. */
type Run = Pick<BenchOptions, 'rounds' | 'seed'>;

/**
 * Writes what was measured into docs/reference/performance.md.
 * @returns its path inside the project
 * @throws Error if the document has no place for it
 */
export function writeDocument(rows: readonly MeasuredRow[], machine: Machine, run: Run): string {
  const path = 'docs/reference/performance.md';
  const file = join(packageFolder, path);
  const document = readFileSync(file, 'utf8');
  const [begin, end] = [document.indexOf(marks.begin), document.indexOf(marks.end)];
  if (begin < 0 || end < begin) throw new Error(`${path} has lost its marks: ${marks.begin} and ${marks.end}`);
  const figures = `${marks.begin}\n\n${figuresText(rows, machine, run)}\n\n`;
  writeFileSync(file, `${document.slice(0, begin)}${figures}${document.slice(end)}`);
  return path;
}

function figuresText(rows: readonly MeasuredRow[], { date, sentence }: Machine, { rounds, seed }: Run): string {
  const head = [
    `Measured ${date} by \`npm run bench -- --write --rounds ${rounds} --seed ${seed}\` on ${sentence}.`,
    '',
    '| row: figure | value | bar (stretch) | from |',
    '|---|---|---|---|',
  ];
  const lines = rows.flatMap(({ id, figures }) =>
    figures.map((figure) => {
      const name = figure.name === '' ? `\`${id}\`` : `\`${id}\`: ${figure.name}`;
      const cells = [name, valueText(figure), barText(figure), figure.detail];
      return `| ${cells.map(cell).join(' | ')} |`;
    }),
  );
  return [...head, ...lines, '', 'Each row and its peer:', '', ...rows.flatMap(rowNotes)].join('\n');
}

/** `held: ≤ 1.70× (1.20×)`, empty for a figure without a bar. */
function barText({ bar, stretch, unit, verdict }: JudgedFigure): string {
  if (bar === undefined) return verdictWords[verdict];
  const most = `${verdictWords[verdict]}: ≤ ${valueText({ value: bar, unit })}`;
  return stretch === undefined ? most : `${most} (${valueText({ value: stretch, unit })})`;
}

function rowNotes({ id, title, peer, notes, sameTwice }: MeasuredRow): readonly string[] {
  const noise = sameTwice === undefined ? '' : `; noise ${rangeOf(sameTwice)}`;
  return [`- \`${id}\`: ${title}, against ${peer}${noise}`, ...notes.map((note) => `  - ${note}`)];
}

function rangeOf({ low, median, high }: NonNullable<MeasuredRow['sameTwice']>): string {
  return `${median.toFixed(2)}× (${low.toFixed(2)}–${high.toFixed(2)})`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
