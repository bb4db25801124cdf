import { styleText } from 'node:util';
import type { OutcomeKind } from '#shared/vocabulary/outcomes.ts';

/** The few styles that the texts use. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Puts a text in a style, or leaves it as it is where colours are not wanted. */
export type Paint = (style: Style, text: string) => string;

/** A paint for one stream: plain for files and pipes, and where NO_COLOR is set. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream });
}

/** No styles at all. */
export const plain: Paint = (_style, text) => text;

const outcomeStyles: Readonly<Record<OutcomeKind, Style>> = {
  applied: 'green',
  superseded: 'yellow',
  skipped: 'yellow',
  ignored: 'yellow',
  parked: 'red',
};

/** An outcome's word in its colour. */
export function outcomeWord(paint: Paint, kind: OutcomeKind): string {
  return paint(outcomeStyles[kind], kind);
}

/** Rows as columns, each as wide as its widest cell; the last one is not filled up. Style a whole line, never a cell. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** `Fri 2026-11-20 22:00`: what the wall shows at this instant in the zone. */
export function localTime(instant: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(instant);
  const part = (type: string) => parts.find((piece) => piece.type === type)?.value ?? '';
  return `${part('weekday')} ${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')}`;
}
