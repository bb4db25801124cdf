/** A start at ten without an answer: it can land until a minute past, and by any clock until six past. */
import { describe, expect, test } from 'vitest';
import { decide } from '#functions/_runs/decide/decide.ts';
import type { CommandEvent, CommandState, Decision } from '#functions/_runs/decide/state.ts';
import { type CommandRow, newCommandRow } from '#shared/ledger/rows/command-row.ts';
import { newRunIdPool } from '#shared/ledger/rows/run-id-pool-row.ts';
import type { ReadingAt, SentStart } from '#shared/ledger/rows/run-row.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { aCommand, campaignId, proving } from '../../update-campaign-runs/harness/update-bench.ts';
import { aState, at, minute, policyOf, runIn, sentStart, stored } from './command-states.ts';

type Options = Parameters<typeof policyOf>[1];

const first: ReadingAt = { runCount: 7, lastRunAt: minute(-600), at: minute(0) };
const shown = (minutes: number, fields: Partial<ReadingAt> = {}): ReadingAt => ({
  ...first,
  ...fields,
  at: minute(minutes),
});
const readable: Partial<SentStart> = { campaignId, reading: first };
const sure: Partial<SentStart> = { ...readable, confirm: { by: 'runCount', until: minute(30) } };

interface Doubt {
  readonly start?: Partial<SentStart>;
  readonly command?: Partial<CampaignRunCommand>;
  readonly more?: Partial<CommandState>;
  readonly options?: Options;
}

/** What is decided so many minutes after ten, of this event. */
function decided({ start, command: fields, more, options }: Doubt, minutes: number, reading?: ReadingAt): Decision {
  const command = aCommand({ id: 'at-ten', validFor: 'P1D', ...fields });
  const run = runIn({ state: 'start-unknown', start: sentStart(start), landsUntil: minute(1) });
  const event: CommandEvent =
    reading === undefined ? { type: 'command' } : { type: 'campaign-read', result: { kind: 'read', reading } };
  return decide(aState({ command, run, ...more }), event, policyOf(command, options), at(minutes));
}

/** In words: `patch`, `read-campaign`, `wait`, or how it ended. */
function wordsOf({ effect, then, changes }: Decision): string {
  if (effect !== undefined || then.kind !== 'outcome') return effect?.do ?? then.kind;
  const row = changes.map(({ after }) => after).findLast((one) => one.kind === 'command');
  return [row?.outcome?.kind, row?.outcome?.reason].join(' ').trim();
}

const runAfter = ({ changes }: Decision) => changes.map(({ after }) => after).find((row) => row.kind === 'run');

const orderedRepeat = (): Partial<CommandState> => {
  const command = aCommand({ id: 'at-ten', validFor: 'P1D' });
  const resolutions = [{ decision: 'repeat', by: 'ann', reason: 'looked', at: minute(5) }] as const;
  const row: CommandRow = { ...newCommandRow(command, at(0)), resolutions };
  return { row: stored(row) };
};

describe('a gateway that ignores a start of a run that runs', () => {
  const options = { startsRepeatSafely: true };

  test('gets a start again that cannot be read back, once it can land no more and until its stop is due', () => {
    const doubt = { options };

    expect(wordsOf(decided(doubt, 5.9))).toBe('wait');
    expect(wordsOf(decided(doubt, 6))).toBe('patch');
    expect(wordsOf(decided(doubt, 30))).toBe('parked START_OUTCOME_UNKNOWN');
  });

  test('gets a start again whose campaign tells nothing, once it can land no more', () => {
    const doubt = { options: { ...options, campaignId }, start: readable };

    expect(wordsOf(decided(doubt, 5.9, shown(5.9)))).toBe('wait');
    expect(wordsOf(decided(doubt, 6, shown(6)))).toBe('patch');
  });
});

test('a start whose validity is over is read back until a reading can prove something', () => {
  const doubt = { options: proving, start: sure, command: { validFor: 'PT2M' } };

  expect(wordsOf(decided(doubt, 5.9, shown(5.9)))).toBe('wait');
  expect(wordsOf(decided(doubt, 6, shown(6)))).toBe('skipped MISSED_WINDOW');
});

// After a 503 the detail said that the request was never answered, beside the status 503.
describe('a start in doubt is parked with what came back', () => {
  const command = aCommand({ id: 'at-ten' });
  const detailOf = (httpStatus: number | undefined, lastError?: string) => {
    const run = runIn({ state: 'start-unknown', start: sentStart(), landsUntil: minute(1), httpStatus });
    const attempt = { crashes: 0, since: minute(0), tries: 1, lastError };
    const row = stored<CommandRow>({ ...newCommandRow(command, at(0)), attempt });
    const { changes } = decide(aState({ command, run, row }), { type: 'command' }, policyOf(command), at(1));
    return changes.map(({ after }) => after).find((one) => one.kind === 'command')?.outcome?.detail;
  };

  test.each([
    [
      503,
      'PATCH /x was answered 503: the store is down',
      /^PATCH \/x was answered 503: the store is down; this proves/,
    ],
    [503, 'GET /campaigns was answered 404', /^its request was answered 503, which proves nothing, and it is unknown/],
    [undefined, 'GET /campaigns was answered 404', /^its request was sent and never answered, and it is unknown/],
  ])('status %s, last error %s', (status, lastError, words) => {
    expect(detailOf(status, lastError)).toMatch(words);
  });
});

describe('a start that is proven not to have begun', () => {
  const doubt = { options: proving, start: sure };

  test('is repeated, and its run may have been running since the first try', () => {
    const decision = decided(doubt, 6, shown(6));

    expect(wordsOf(decision)).toBe('patch');
    expect(runAfter(decision)).toMatchObject({ start: { firstSentAt: minute(0) } });
  });

  test('is not repeated once its planned stop is due', () => {
    expect(wordsOf(decided(doubt, 31, shown(31)))).toBe('skipped MISSED_WINDOW');
  });

  test('is not repeated after a later stop of its name', () => {
    const pool = stored({ ...newRunIdPool('smoke'), latestStop: { id: 'stop', issuedAt: minute(2) } });

    expect(wordsOf(decided({ ...doubt, more: { pool } }, 6, shown(6)))).toBe('skipped MISSED_WINDOW');
  });

  test('is repeated though another tool ran the campaign since: its gap is judged by the reading before it', () => {
    const gapped = { ...doubt, options: { ...proving, minimumGap: 'PT1H' } };

    expect(wordsOf(decided(gapped, 6, shown(6, { lastRunAt: minute(5) })))).toBe('patch');
  });
});

describe('a repeat that a person ordered', () => {
  test('goes out, and is compared with the campaign as it read before the first try', () => {
    const decision = decided({ options: proving, start: sure, more: orderedRepeat() }, 6);

    expect(wordsOf(decision)).toBe('patch');
    expect(runAfter(decision)).toMatchObject({ state: 'starting', start: { reading: first } });
  });

  test.each([
    ['of its run', 'command-9', 'parked START_OUTCOME_UNKNOWN'],
    ['of its run at the same instant, with a lesser id', 'a-stop', 'patch'],
  ])('is not sent after a later stop %s, though the gateway refused that stop', (_stop, id, words) => {
    const command = { issuedAt: minute(5) };
    const latest = { action: 'stop', issuedAt: minute(5), id } as const;
    const state = { state: 'start-unknown', start: sentStart(sure), landsUntil: minute(1) } as const;
    const run = { ...runIn(state), latest };

    const decision = decided({ options: proving, start: sure, command, more: { ...orderedRepeat(), run } }, 6);

    expect(wordsOf(decision)).toBe(words);
  });

  test('is not sent after a later stop of its name', () => {
    const pool = stored({ ...newRunIdPool('smoke'), latestStop: { id: 'stop', issuedAt: minute(5.5) } });
    const command = { issuedAt: minute(5) };

    const decision = decided({ options: proving, start: sure, command, more: { ...orderedRepeat(), pool } }, 6);

    expect(wordsOf(decision)).toBe('parked START_OUTCOME_UNKNOWN');
  });

  test('goes out once: without an answer it is read back like any start', () => {
    const sent = { ...sure, approvals: 1 };

    expect(wordsOf(decided({ options: proving, start: sent, more: orderedRepeat() }, 6))).toBe('read-campaign');
  });
});
