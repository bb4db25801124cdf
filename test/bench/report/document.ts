import type { MeasuredRow } from '../measured-row.ts';
import type { BenchOptions } from '../bench-options.ts';
import type { Machine } from './machine.ts';
import { limitText, noiseText, valueText } from './table-text.ts';

/** The part of docs/performance.md that is written by the bench lies between these. */
export const marks = {
  begin: '<!-- written by `npm run bench -- --write`: do not edit -->',
  end: '<!-- end of what is written by the bench -->',
} as const;

const verdictWords = {
  stretch: 'within the stretch',
  held: 'held',
  over: '**over**',
  'not judged': 'not judged: too noisy',
  'no bar': 'no bar',
} as const;

/** What the figures depend on beside the machine. */
export type Run = Pick<BenchOptions, 'rounds' | 'seed'>;

/**
 * Puts the figures into the document.
 * @throws Error where the document has no place for them
 */
export function withFigures(document: string, rows: readonly MeasuredRow[], machine: Machine, run: Run): string {
  const begin = document.indexOf(marks.begin);
  const end = document.indexOf(marks.end);
  if (begin < 0 || end < begin)
    throw new Error(`docs/performance.md has lost its marks: ${marks.begin} and ${marks.end}`);
  return `${document.slice(0, begin)}${marks.begin}\n\n${figuresText(rows, machine, run)}\n\n${document.slice(end)}`;
}

function figuresText(rows: readonly MeasuredRow[], { date, sentence }: Machine, { rounds, seed }: Run): string {
  const head = [
    `Measured ${date} by \`npm run bench -- --write --rounds ${rounds} --seed ${seed}\` on ${sentence}.`,
    '',
    '| measure | figure | bar | verdict | command |',
    '|---|---|---|---|---|',
  ];
  const lines = rows.flatMap(({ id, title, figures }) =>
    figures.map((figure) => {
      const what = cell(figure.name === '' ? title : `${title}: ${figure.name}`);
      return `| ${what} | ${valueText(figure)} | ${limitText(figure)} | ${verdictWords[figure.verdict]} | \`npm run bench -- --only ${id}\` |`;
    }),
  );
  return [...head, ...lines, ...rows.flatMap(rowSection)].join('\n');
}

function rowSection({ title, peer, figures, notes, sameTwice }: MeasuredRow): readonly string[] {
  const details = figures.map(({ name, detail }) => `- ${name === '' ? '' : `${name}: `}${detail}`);
  const noise = sameTwice === undefined ? [] : [`- ${noiseText(sameTwice)}`];
  return [
    '',
    `### ${title[0]?.toUpperCase()}${title.slice(1)}`,
    '',
    `Against ${peer}.`,
    '',
    ...details,
    ...noise,
    ...notes.map((note) => `- ${note}`),
  ];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
