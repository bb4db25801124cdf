import { stripVTControlCharacters } from 'node:util';
import type { ChaosOptions } from '../chaos-options.ts';
import type { Evidence, Fate, Judged } from './evidence.ts';
import { judgeCommands } from './judge-commands.ts';
import { judgeRuns } from './judge-runs.ts';
import { judgeUploads } from './judge-uploads.ts';

/** What a chaos run found. */
export interface Verdict {
  readonly counts: Readonly<Record<Fate, number>>;
  /** Of the parked ones: whose effect is at the gateway. */
  readonly parkedButApplied: number;
  /** Runs that began by no start or by several, or that went on after a later stop. */
  readonly wrongRuns: number;
  /** Every broken promise, with what is known. */
  readonly broken: readonly Judged[];
}

/**
 * Judges a run from outside: the gateway's own store against what was sent, and the ledger against
 * both. Pure.
 */
export function judgeRun(evidence: Evidence): Verdict {
  const events = [...judgeUploads(evidence), ...judgeCommands(evidence)];
  const runs = judgeRuns(evidence);
  const counts: Record<Fate, number> = {
    'applied once': 0,
    'applied twice': 0,
    lost: 0,
    denied: 0,
    parked: 0,
    'parked without a reason': 0,
    superseded: 0,
    skipped: 0,
    ignored: 0,
  };
  for (const { fate } of events) counts[fate] += 1;
  return {
    counts,
    parkedButApplied: events.filter(({ wasApplied }) => wasApplied === true).length,
    wrongRuns: runs.length,
    broken: [...events, ...runs, ...deadLetters(evidence)].filter((judged) => judged.broken !== undefined),
  };
}

/** Dead-letter queues are emptied into the ledger. */
function deadLetters(evidence: Evidence): readonly Judged[] {
  return evidence.deadLetters.map((body) => ({
    key: 'a message in a dead-letter queue',
    fate: 'lost',
    broken: 'it was not parked',
    history: [body],
  }));
}

/** Enough to see what broke; the rest is counted. */
const mostShown = 20;

/** The table of a run. */
export function tableText(options: ChaosOptions, evidence: Evidence, verdict: Verdict): string {
  const { counts, parkedButApplied, wrongRuns } = verdict;
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
    ['applied once', counts['applied once']],
    ['applied twice', counts['applied twice']],
    ['lost', counts.lost],
    ['denied', counts.denied],
    [
      'parked',
      counts.parked,
      `reason and next step; ${parkedButApplied} applied, ${counts.parked - parkedButApplied} not`,
    ],
    ['parked without a reason', counts['parked without a reason']],
    ['superseded', counts.superseded],
    ['skipped', counts.skipped],
    ['ignored', counts.ignored],
    ['dead letters', evidence.deadLetters.length],
    ['messages left', evidence.messagesLeft],
    ['runs not as wished', wrongRuns],
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
    .flatMap(({ key, broken: why = '', history = [] }) => [
      `BROKEN ${stripVTControlCharacters(key)}: ${why}`,
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
