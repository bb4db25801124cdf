import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { type EventType, eventTypes } from '#shared/vocabulary/resource-names.ts';
import { undocumentedIn } from '../../builders/documented-event.ts';
import { eventsPath, freshEventsDocument, fieldsOf } from './documents/events-document.ts';
import { headingsOf, sectionOf } from './documents/markdown.ts';

const page = readFileSync(eventsPath, 'utf8');
const watching = readFileSync(join(eventsPath, '..', '..', 'watching.md'), 'utf8');
const types: readonly EventType[] = Object.values(eventTypes);

/** The example of an event in a document: `type` is its detail-type, the rest its detail. */
function examplesIn(markdown: string): { readonly type: EventType; readonly detail: Record<string, unknown> }[] {
  return [...markdown.matchAll(/```json\n(\{\n {2}"type": [\s\S]*?)```/g)].map(([, text = '']) => {
    const { type, ...detail } = JSON.parse(text);
    return { type, detail };
  });
}

const command = 'eventId commandId action origin at run? campaignRunId? askedBecause? detail?';
const start = 'due? endsAt? plansStop? campaign?';
const change = 'eventId watch count changes starts';

/** What readers may stand on since version 1.0.0: only ever longer. A mark says that a field may be absent. */
const promised: Record<EventType, string> = {
  [eventTypes.campaignRunStarted]: `${command} campaignRunId ${start}`,
  [eventTypes.campaignRunStopped]: `${command} campaignRunId lateSeconds`,
  [eventTypes.campaignRunEnded]: 'eventId campaignRunId run campaign commandId status startAt at detail lastedMs',
  [eventTypes.campaignRunFailed]: 'eventId campaignRunId run campaign commandId startAt at inARow detail',
  [eventTypes.campaignRunScoreLow]:
    'eventId campaignRunId run campaign commandId startAt at inARow detail score changed because atLeast? median?',
  [eventTypes.campaignRunStartSkipped]: `${command} reason ${start} isObserved?`,
  [eventTypes.workParked]: `eventId reason nextStep ${start} detail? at? commandId? action? origin? run? campaignRunId? askedBecause? isObserved? subject? worker? ledgerKey? bucket? versionId? queue?`,
  [eventTypes.datasetRegistered]: 'eventId ledgerKey datasetId bucket key rule at versionId? datasetName? checked?',
  [eventTypes.scannerPackagesChanged]: `${change} since`,
  [eventTypes.projectChanged]: `${change} project from to difference`,
  [eventTypes.campaignRunNotComparable]: 'eventId campaignRunId run startedAt watch project from to difference',
  [eventTypes.endpointsStillInUse]: 'eventId watch at count endpoints',
  [eventTypes.campaignStartUnconfirmed]:
    'eventId campaignRunId run commandId campaignId startAt until at detail lastRun? lastRunAt?',
  [eventTypes.runPoolNotFilled]: 'eventId run since detail ready keepReady',
  [eventTypes.scheduleSilent]: 'eventId schedule run missed since reason meaning nextStep at lastStartAt? detail?',
  [eventTypes.startsHeldBack]: 'eventId scope name subject by because since ends nextStep at until?',
  [eventTypes.linkTested]: 'eventId linkTest link worker at',
};

test('tables and examples of docs/reference/events.md are of the schemas and the workers (if not: npm run docs -- events)', async () => {
  expect(page).toBe(await freshEventsDocument());
});

test('has a heading for each event, and for no other', () => {
  expect(headingsOf(sectionOf(page, 'The events')).map(({ text }) => text)).toEqual(types);
});

describe.each(types)('%s', (type) => {
  const examples = [...examplesIn(page), ...examplesIn(watching)].filter((example) => example.type === type);

  test('has one example, which is as its schema says', () => {
    expect(examples).toHaveLength(1);
    expect(undocumentedIn(type, examples[0]?.detail)).toEqual([]);
  });

  test('has its example where its heading says', () => {
    const section = sectionOf(page, type);

    expect(/\]\(\.\.\/watching\.md#[a-z-]+\)/.test(section)).toBe(examplesIn(section).length === 0);
  });

  test('still has each field that readers were promised, as surely', () => {
    const fields = fieldsOf(type);
    const names = new Set(fields.map(({ name, isAlwaysThere }) => (isAlwaysThere ? name : `${name}?`)));

    for (const field of promised[type].split(' ')) {
      // What may be absent may become sure.
      expect(
        [field, field.replace('?', '')].some((name) => names.has(name)),
        field,
      ).toBe(true);
    }
  });
});

test('the command that a ticket system sends is one that the worker takes', () => {
  const [, body = ''] = /aws sqs send-message .*--message-body '([^']+)'/.exec(page) ?? [];

  expect(parseCampaignRunCommand(body, new Date('2026-11-23T09:00:01Z'))).toMatchObject({ ok: true });
});
