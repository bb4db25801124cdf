import { csvRow, roughly } from '#operator/readable.ts';
import { readScores, type RunScores, type ScoredEnd } from '#operator/scores/run-scores.ts';
import { toMedianWords } from '#operator/scores/score-words.ts';
import type { Paint } from '#shared/text/terminal-writer.ts';
import type { Command } from '../terminal/command.ts';
import { columns } from '../terminal/output.ts';
import { noteLines, type TextScreen } from '../terminal/times.ts';

export const command: Command = {
  line: {
    says: 'What the last 30 runs of each name found: when, how they ended, their scores, and what changed before.',
    more: 'Higher is better. A run that failed or was stopped has no score. It needs gateway.readsRuns.',
    words: { '[RUN]': 'of one name' },
    options: { '--csv': 'a table for a spreadsheet' },
    examples: ['autopilot scores smoke', 'autopilot scores smoke --csv'],
  },
  async run(args, deps) {
    const [name] = args.positionals;
    const runs = await readScores(name, deps);
    const isCsv = args.flag('csv');
    return {
      data: { runs },
      now: await deps.now(),
      render: (screen) => (isCsv ? csvLines(runs) : textLines(runs, screen)),
    };
  },
};

function textLines(runs: readonly RunScores[], screen: TextScreen): readonly string[] {
  const nothing = 'no run has ended yet, or none is read (gateway.readsRuns)';
  if (runs.every(({ ends }) => ends.length === 0)) return [nothing];
  return [...noteLines(screen), ...runs.flatMap((one) => runLines(one, screen))];
}

function runLines({ run: name, ends }: RunScores, { paint, at }: TextScreen): readonly string[] {
  if (ends.length === 0) return [`${paint('bold', name)}: no run has ended yet`];
  const rows = columns(
    ends.map((end) => [
      at(end.startAt),
      end.state,
      roughly(end.lastedMs),
      end.score === undefined ? '-' : String(end.score),
      barOf(end),
      toMedianWords(end.toMedian),
    ]),
  );
  return [
    paint('bold', name),
    ...ends.flatMap((end, index) => [
      `  ${toned(end, rows[index] ?? '', paint)}`,
      ...end.changed.map((change) => paint('dim', `      before it: ${change}`)),
    ]),
  ];
}

const barLength = 20;

/** A score as a bar; none for a run without one. */
function barOf({ score, state }: ScoredEnd): string {
  if (score === undefined || state !== 'complete') return '';
  const full = Math.round((Math.max(0, Math.min(100, score)) / 100) * barLength);
  return `${'█'.repeat(full)}${'░'.repeat(barLength - full)}`;
}

function toned({ state, toMedian = 0 }: ScoredEnd, line: string, paint: Paint): string {
  if (state === 'failed') return paint('red', line);
  return toMedian < 0 ? paint('yellow', line) : line;
}

const header = ['run', 'campaignRunId', 'startAt', 'endedAt', 'state', 'minutes', 'score', 'median', 'changed'];

function csvLines(runs: readonly RunScores[]): readonly string[] {
  const rows = runs.flatMap(({ run: name, ends }) =>
    ends.map(({ campaignRunId, startAt, at, state, lastedMs, score, median, changed }) => {
      const minutes = Math.round(lastedMs / 60_000);
      return [name, campaignRunId, startAt, at, state, minutes, score, median, changed.join('; ')];
    }),
  );
  return [header, ...rows].map(csvRow);
}
