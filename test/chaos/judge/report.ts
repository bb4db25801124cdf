import { stripVTControlCharacters } from 'node:util';
import type { ChaosOptions } from '../chaos-options.ts';
import type { Evidence } from './evidence.ts';
import type { Verdict } from './judge-run.ts';

/** Enough to see what broke; the rest is counted. */
const mostShown = 20;

/** The table of a run. */
export function tableText(options: ChaosOptions, evidence: Evidence, verdict: Verdict): string {
  const { counts, parkedButApplied, broken } = verdict;
  const ended = (kind: string) => counts.get(kind) ?? 0;
  const brokenOf = (promise: string) => broken.filter(({ says }) => says.includes(promise)).length;
  const { uploads, commands, requests, requestsStruck, wallMs, movedMs } = evidence;
  const events = uploads.length + commands.length;
  const requestCount = Object.values(requests).reduce((sum, count) => sum + count, 0);
  const seconds = wallMs / 1000;
  const rows: readonly (readonly [string, string | number, string?])[] = [
    ['events', events, `${uploads.length} uploads, ${commands.length} commands`],
    ['delivered again', evidence.copiesDelivered, 'copies that the queues made'],
    ['kills', evidence.kills, `of ${options.kills}`],
    ['requests', requestCount, namedCounts(requests)],
    ['requests struck', requestsStruck, `by a fault: ${percent(requestsStruck, requestCount)}`],
    ['applied', ended('applied')],
    ['applied twice', brokenOf('I2:')],
    ['lost', ended('lost')],
    [
      'parked',
      ended('parked'),
      `reason and next step; ${parkedButApplied} applied, ${ended('parked') - parkedButApplied} not`,
    ],
    ['parked without a reason', brokenOf('I19:')],
    ['superseded', ended('superseded')],
    ['skipped', ended('skipped')],
    ['ignored', ended('ignored')],
    ['dead letters', evidence.deadLetters.length],
    ['messages left', evidence.messagesLeft],
    ['broken promises', broken.length],
    [
      'wall time',
      `${seconds.toFixed(0)} s`,
      `${(events / seconds).toFixed(1)} events/s, and ${(movedMs / 60_000).toFixed(0)} min of waiting passed over`,
    ],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const head = `chaos: --events ${options.events} --kills ${options.kills} --faults ${options.faults} --seed ${options.seed}`;
  const lines = rows.map(([name, value, note = '']) =>
    `  ${name.padEnd(width)}  ${String(value).padStart(7)}  ${note}`.trimEnd(),
  );
  return [head, ...lines].join('\n');
}

/** What broke, key by key, with what the ledger and the gateway know of it. */
export function brokenText({ broken }: Verdict): string {
  const shown = broken
    .slice(0, mostShown)
    .flatMap(({ says, history }) => [
      `BROKEN ${stripVTControlCharacters(says)}`,
      ...history.filter((entry) => entry !== undefined).map((entry) => `    ${JSON.stringify(entry)}`),
    ]);
  const more = broken.length > mostShown ? [`… and ${broken.length - mostShown} more`] : [];
  return [...shown, ...more].join('\n');
}

function namedCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '0 %' : `${((100 * part) / whole).toFixed(1)} %`;
}
