import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { MessageRow } from '#shared/ledger/rows/message-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { tenOClock, createUpdateBench } from '../unit/functions/update-campaign-runs/harness/update-bench.ts';
import type { Bench, Scenario } from './command-scenarios.ts';

type Ended = CommandRow | MessageRow;

/**
 * Plays scenarios, and returns all that operators and their tools can see of each: its name, then
 * one line a delivery.
 */
export async function recordOutcomes(scenarios: readonly Scenario[]): Promise<string> {
  const lines: string[] = [];
  for (const { name, options, play } of scenarios) {
    const bench = createUpdateBench(options);
    lines.push(`# ${name}`);
    await play(reporting(bench, lines));
  }
  return `${shortened(lines.join('\n'))}\n`;
}

/** Reason codes with which the last message of a scenario ended. */
export async function reasonsOf(scenarios: readonly Scenario[]): Promise<string[]> {
  const reasons: string[] = [];
  for (const { options, play } of scenarios) {
    const bench = createUpdateBench(options);
    await play(bench);
    reasons.push(...bench.ledger.all().flatMap((row) => (isEnded(row) ? (row.outcome?.reason ?? []) : [])));
  }
  return [...new Set(reasons)].toSorted();
}

/** The same bench, which writes a line for each delivery. */
function reporting(bench: Bench, lines: string[]): Bench {
  return {
    ...bench,
    async deliver(...delivery) {
      const [command] = delivery;
      const id = typeof command === 'string' ? 'no command' : command.id;
      const before = rowsOf(bench);
      const { patches, sent, events } = bench;
      const [patched, asked, told] = [patches.length, sent.length, events.length];
      const result = await bench.deliver(...delivery);
      const reported = (result.outcomes ?? []).map(({ kind, reason, fields }) => ({ kind, reason, ...fields }));
      const seen = {
        logged: reported,
        rows: rowsOf(bench).filter((row) => !before.includes(row)),
        requests: patches.slice(patched).map(({ requestId: _requestId, ...request }) => request),
        sent: sent.slice(asked),
        events: events.slice(told).map(({ type, detail }): Record<string, unknown> => ({ type, ...detail })),
      };
      // An event that has the words of its row has them once.
      const words = new Set(bench.ledger.all().flatMap((row) => (isEnded(row) ? (row.outcome?.detail ?? []) : [])));
      for (const event of seen.events) if (words.has(String(event['detail']))) event['detail'] = 'as its row';
      const parts = Object.entries(seen).flatMap(([what, all]) =>
        all.map((one) => `${what} ${typeof one === 'string' ? one : textOf(one)}`),
      );
      lines.push([`${bench.now().toISOString()} ${id}: ${result.kind}`, ...parts].join(' | '));
      return result;
    },
  };
}

function rowsOf({ ledger }: Bench): string[] {
  const ended = ledger.all().filter((row) => isEnded(row) && row.outcome !== undefined);
  return ended
    .filter(isEnded)
    .map((row) => textOf(recorded(row)))
    .toSorted();
}

function isEnded<Row extends LedgerRow>(row: Row): row is Extract<Row, Ended> {
  return row.kind === 'command' || row.kind === 'message';
}

function recorded(row: Ended) {
  const { outcome, parked } = row;
  const command = row.kind === 'command' ? row : undefined;
  return {
    id: command?.id ?? 'no command',
    campaignRunId: command?.campaignRunId,
    ...outcome,
    parkedFields: parked && Object.keys(parked).toSorted().join(' '),
    evidence: parked && [parked.httpStatus, parked.errorCode, parked.requestSent],
    verdicts: command?.verdicts && [
      `${command.verdicts.filter(({ verdict }) => verdict === 'apply').length} apply`,
      ...command.verdicts
        .filter(({ verdict }) => verdict !== 'apply')
        .map(({ guard, verdict, detail }) => `${guard} ${verdict}${detail === outcome?.detail ? '' : `: ${detail}`}`),
    ],
  };
}

/** A value without the order of its fields, which is no promise. */
function textOf(value: object): string {
  return JSON.stringify(value, sortedKeys).replaceAll(/"(\w+)":/g, '$1:');
}

/** For `JSON.stringify`. */
function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b)));
}

/**
 * Writes each instant as its distance from ten o'clock, at which every scenario begins, and of each
 * id what differs.
 */
function shortened(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (instant) => {
      const seconds = (Date.parse(instant) - tenOClock) / 1000;
      return `<ten ${seconds < 0 ? '-' : '+'} ${Math.abs(seconds)} s>`;
    })
    .replaceAll('018f0000-0000-7000-8000-0000000000', '…')
    .replaceAll(/\b([0-9a-f]{8})[0-9a-f]{24,56}\b/g, '$1…');
}
