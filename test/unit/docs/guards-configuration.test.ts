import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import type { ResolvedAutomation } from '#shared/config/resolve/resolved-automation.ts';
import { guardNames, skipReasons } from '#shared/vocabulary/reason-codes.ts';
import { aCommand, createUpdateBench } from '../functions/update-campaign-runs/harness/update-bench.ts';
import { validDocument } from '../shared/config/document.ts';
import { sectionOf, tableBelow } from './documents/markdown.ts';
import { settingsIn } from './documents/operator-bench.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/guards.md'), 'utf8');

let automation: ResolvedAutomation;

beforeAll(async () => {
  const settings = await settingsIn(sectionOf(page, 'What is asked'));
  const document = { gateway: validDocument().gateway, ...settings };
  const result = resolveAutomation('prod', document, { isLocalStage: false, now: new Date() });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  ({ automation } = result);
});

/** The worker with the configuration of the page, at ten in the evening of 2026-11-20. */
function workerOfThePage() {
  const { runs, blackouts } = automation;
  return createUpdateBench({ runs, blackouts });
}

/** Delivers a start that is asked for at this moment. */
async function startAt(bench: ReturnType<typeof workerOfThePage>, instant: string, fields: object) {
  bench.passMs(Date.parse(instant) - bench.now().getTime());
  return bench.deliver(aCommand({ id: `${JSON.stringify(fields)}@${instant}`, issuedAt: instant, ...fields }));
}

describe('the configuration of docs/guards.md', () => {
  test('passes over what the year-end blackout covers, from any sender', async () => {
    const result = await startAt(workerOfThePage(), '2026-12-19T00:00:00.000Z', { run: 'smoke' });

    expect(result).toMatchObject({ outcomes: [{ reason: 'BLACKOUT' }] });
  });

  test('puts a start of chat-bot off until the office hours are over, and no start of the other campaign', async () => {
    const bench = workerOfThePage();

    const nightly = await startAt(bench, '2026-11-23T10:00:00.000Z', { run: 'nightly' });
    const smoke = await startAt(bench, '2026-11-23T10:00:00.000Z', { run: 'smoke' });

    expect(nightly).toEqual({ kind: 'done', outcomes: [] });
    expect(smoke).toMatchObject({ outcomes: [{ kind: 'applied' }] });
    expect(bench.table.all()).toContainEqual(
      expect.objectContaining({
        deferred: expect.objectContaining({ until: '2026-11-23T18:00:00.000Z', blackout: 'office hours' }),
      }),
    );
  });

  test('leaves a campaign alone that a person started by hand', async () => {
    const bench = workerOfThePage();
    bench.startByHand();

    const result = await startAt(bench, '2026-11-21T09:58:00.000Z', { run: 'nightly' });

    expect(result).toMatchObject({ outcomes: [{ reason: 'MINIMUM_GAP' }] });
  });

  test('stops the smoke run in flight for a newer one', async () => {
    const bench = workerOfThePage();
    await startAt(bench, '2026-11-20T22:00:00.000Z', { run: 'smoke' });

    const waits = await startAt(bench, '2026-11-20T22:10:00.000Z', { run: 'smoke' });

    expect(waits.kind).toBe('later');
    expect(bench.sent).toMatchObject([{ action: 'stop' }]);
  });

  test('says what it says about budget, validity and confirmation', () => {
    expect(automation.runs['nightly']).toMatchObject({
      guards: { startsPerMonth: 23 },
      confirm: { within: 'PT30M' },
    });
    expect(automation.schedules).toMatchObject([{ validFor: 'PT30M' }]);
  });
});

test('its table names every guard in the order in which they are asked, each with its reason', () => {
  const rows = tableBelow(page, 'What is asked').map(([guard = '', , reason = '']) => [
    guard.replaceAll('`', ''),
    /`([A-Z_]+)`/.exec(reason)?.[1] ?? '',
  ]);

  expect(rows.map(([guard]) => guard)).toEqual(guardNames);
  expect(rows.filter(([, reason = '']) => !Object.hasOwn(skipReasons, reason))).toEqual([]);
});
