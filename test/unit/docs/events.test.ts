import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { type EventType, eventTypes } from '#shared/vocabulary/resource-names.ts';
import { undocumentedIn } from '../../builders/documented-event.ts';
import { eventsPath, freshEventsDocument } from './documents/events-document.ts';
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
});

test('the command that a ticket system sends is one that the worker takes', () => {
  const [, body = ''] = /aws sqs send-message .*--message-body '([^']+)'/.exec(page) ?? [];

  expect(parseCampaignRunCommand(body, new Date('2026-11-23T09:00:01Z'))).toMatchObject({ ok: true });
});
