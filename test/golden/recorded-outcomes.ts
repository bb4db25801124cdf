import type { LedgerRow } from '#shared/ledger/rows/ledger-row.ts';
import type { MessageRow } from '#shared/ledger/rows/message-row.ts';
import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import { tenOClock, createUpdateBench } from '../unit/functions/update-campaign-runs/harness/update-bench.ts';
import type { Bench, Scenario } from './command-scenarios.ts';

type Ended = CommandRow | MessageRow;

/** Plays scenarios, and returns all that operators and their tools can see of each as one text. */
export async function recordOutcomes(scenarios: readonly Scenario[]): Promise<string> {
  const played: object[] = [];
  for (const { name, options, play } of scenarios) {
    const bench = createUpdateBench(options);
    const reported: object[] = [];
    await play(reporting(bench, reported));
    played.push({ $scenario: name, reported, ...visibleOf(bench) });
  }
  return withRelativeTimes(`${JSON.stringify(played, sortedKeys, 2)}\n`);
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

/** The same bench, which keeps what each delivery has to log and count; the row has the detail. */
function reporting(bench: Bench, reported: object[]): Bench {
  return {
    ...bench,
    async deliver(...delivery) {
      const result = await bench.deliver(...delivery);
      reported.push(...(result.outcomes ?? []).map(({ kind, reason, fields }) => ({ kind, reason, fields })));
      return result;
    },
  };
}

function visibleOf({ ledger, patches, sent, events }: Bench): object {
  return {
    messages: ledger.all().filter(isEnded).map(recorded).toSorted(byId),
    requests: patches.map(({ requestId: _requestId, ...request }) => request),
    sent,
    events,
  };
}

function isEnded<Row extends LedgerRow>(row: Row): row is Extract<Row, Ended> {
  return row.kind === 'command' || row.kind === 'message';
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id.localeCompare(b.id);
}

function recorded(row: Ended) {
  const { outcome, parked } = row;
  const command = row.kind === 'command' ? row : undefined;
  return {
    id: command?.id ?? 'no command',
    campaignRunId: command?.campaignRunId,
    outcome,
    parkedFields: parked && Object.keys(parked).toSorted(),
    evidence: parked && {
      httpStatus: parked.httpStatus,
      errorCode: parked.errorCode,
      requestSent: parked.requestSent,
    },
    verdicts: command?.verdicts?.map(({ guard, verdict, detail }) =>
      [`${guard} ${verdict}`, ...(detail === undefined ? [] : [detail])].join(': '),
    ),
  };
}

/**
 * For `JSON.stringify`: the order in which the worker sets the fields of a row or an event is no
 * promise.
 */
function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b)));
}

/**
 * Writes each instant of the text as its distance from ten o'clock, at which every scenario begins.
 */
function withRelativeTimes(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, (instant) => {
    const seconds = (Date.parse(instant) - tenOClock) / 1000;
    return `<ten ${seconds < 0 ? '-' : '+'} ${Math.abs(seconds)} s>`;
  });
}
