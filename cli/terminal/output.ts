import type { OutcomeKind } from '#shared/vocabulary/outcomes.ts';
import type { Paint, Style } from '#shared/text/terminal-writer.ts';
import { visibleText } from '#shared/text/visible-text.ts';

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

/** Rows as columns, each as wide as its widest cell; the last one is not filled up, and one without a word is left out. Style a whole line, never a cell. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  // As wide as they leave.
  const shown = rows.map((row) => row.map((cell) => visibleText(cell)));
  const widths: number[] = [];
  for (const row of shown) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  }
  return shown.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .filter((_, index) => widths[index] !== 0)
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
