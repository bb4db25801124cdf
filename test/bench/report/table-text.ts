import { styleText } from 'node:util';
import type { JudgedFigure, MeasuredRow } from '../measured-row.ts';
import { noiseLimits, type Verdict } from '../verdict.ts';

const colours = {
  stretch: 'green',
  held: 'green',
  over: 'red',
  'not judged': 'yellow',
  'no bar': 'gray',
} as const satisfies Record<Verdict, Parameters<typeof styleText>[0]>;

/** A row for the terminal: each figure with its bar, then what is only printed. */
export function rowText({ id, title, peer, figures, notes, asides = [], sameTwice, seconds }: MeasuredRow): string {
  const head = `\n${styleText('bold', title)} (${id}, ${seconds.toFixed(0)} s) against ${peer}`;
  const width = Math.max(...figures.map(({ name }) => name.length));
  const lines = figures.map((figure) => {
    const verdict = styleText(colours[figure.verdict], figure.verdict.padEnd(10));
    return `  ${figure.name.padEnd(width)} ${valueText(figure).padStart(9)} ${verdict} ${limitText(figure)}  ${figure.detail}`;
  });
  const noise = sameTwice === undefined ? [] : [noiseText(sameTwice)];
  return [head, ...lines, ...[...noise, ...notes, ...asides].map((note) => `    ${note}`)].join('\n');
}

/** A few sentences for the whole run. */
export function summaryText(
  rows: readonly MeasuredRow[],
  failed: readonly { readonly id: string; readonly error: string }[] = [],
): string {
  const figures = rows.flatMap(({ id, figures: own }) => own.map((figure) => ({ id, ...figure })));
  const named = (verdict: Verdict) => figures.filter((figure) => figure.verdict === verdict);
  const list = (verdict: Verdict) =>
    named(verdict)
      .map(({ id, name }) => (name === '' ? id : `${id}: ${name}`))
      .join(', ');
  const held = named('held').length + named('stretch').length;
  const lines = [`\n${held} figures within their bars, ${named('stretch').length} of them within the stretch`];
  for (const { id, error } of failed) lines.push(`NOT MEASURED: ${id}: ${error}`);
  if (named('over').length > 0) lines.push(`OVER: ${list('over')}`);
  if (named('not judged').length > 0) {
    lines.push(
      `NOT JUDGED, the machine is too noisy (the peer over itself off by more than ${noiseLimits.median * 100} %, or a quarter of the rounds by more than ${noiseLimits.quartile * 100} %): ${list('not judged')}`,
    );
  }
  return lines.join('\n');
}

export function valueText({ value, unit }: Pick<JudgedFigure, 'value' | 'unit'>): string {
  if (unit === '$') return `$${value.toFixed(2)}`;
  if (unit === '×') return `${value.toFixed(2)}×`;
  return `${Number(value.toFixed(2))} ${unit}`;
}

/** `≤ 1.70×, stretch 1.20×`. */
function limitText({ bar, stretch, unit }: JudgedFigure): string {
  if (bar === undefined) return '';
  const most = `≤ ${valueText({ value: bar, unit })}`;
  return stretch === undefined ? most : `${most}, stretch ${valueText({ value: stretch, unit })}`;
}

/** What the peer over itself came to. */
function noiseText({ low, median, high }: NonNullable<MeasuredRow['sameTwice']>): string {
  return `the peer over itself: ${median.toFixed(2)}×, middle half ${low.toFixed(2)}–${high.toFixed(2)}`;
}
