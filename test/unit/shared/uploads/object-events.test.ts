import { describe, expect, it } from 'vitest';
import { parseObjectEvents } from '#shared/uploads/object-events.ts';

const record = {
  eventVersion: '2.1',
  eventSource: 'aws:s3',
  awsRegion: 'eu-west-1',
  eventTime: '2026-11-20T10:00:00.000Z',
  eventName: 'ObjectCreated:Put',
  s3: {
    bucket: { name: 'uploads', arn: 'arn:aws:s3:::uploads' },
    object: { key: 'datasets/a.csv', size: 12, eTag: 'e1', versionId: 'v1', sequencer: '0055' },
  },
};

function withObject(object: object) {
  return { ...record, s3: { ...record.s3, object: { ...record.s3.object, ...object } } };
}

function parse(...records: readonly unknown[]) {
  const parsed = parseObjectEvents(JSON.stringify({ Records: records }));
  if (parsed.kind !== 'records') throw new Error(`no records: ${JSON.stringify(parsed)}`);
  return parsed.records;
}

describe('parseObjectEvents', () => {
  it.each([['null'], [''], [undefined], [null]])(
    'keys a version called %j weakly, by etag, size and sequencer',
    (versionId) => {
      const [event] = parse(withObject({ versionId }));

      expect(event).toMatchObject({ kind: 'created', versionKey: 'weak:e1:12:0055' });
      expect(event).toHaveProperty('versionId', undefined);
    },
  );

  it('decodes a key once: plus is a space, an encoded plus and percent are themselves', () => {
    const [event] = parse(withObject({ key: 'datasets/a+b%2Bc%252F%C3%BC.csv' }));

    expect(event).toMatchObject({ kind: 'created', key: 'datasets/a b+c%2Fü.csv' });
  });

  it.each(['%zz', '%', '%ff', 'a%C3', '', 'x'.repeat(1025), '\ud800'])('answers bad-key for %j', (key) => {
    expect(parse(withObject({ key }))).toEqual([{ kind: 'bad-key', bucket: 'uploads', rawKey: key }]);
  });

  it('[D7] tells removals, restores and replications apart, whatever their fields', () => {
    const removed = { ...record, eventName: 'ObjectRemoved:DeleteMarkerCreated', eventTime: 7 };

    expect(parse(removed)).toEqual([
      { kind: 'other', eventName: 'ObjectRemoved:DeleteMarkerCreated', bucket: 'uploads', key: 'datasets/a.csv' },
    ]);
  });

  it('[D8] calls a record of another source foreign', () => {
    expect(parse({ ...record, eventSource: 'my:s3' })).toMatchObject([{ kind: 'bad-record', reason: 'FOREIGN_EVENT' }]);
  });

  it.each([
    ['no record at all', null],
    ['a size below zero', withObject({ size: -1 })],
    ['a version id that holds NUL', withObject({ versionId: 'a\u0000b' })],
    ['a time that is none', { ...record, eventTime: 'yesterday' }],
  ])('leaves the neighbours of %s alone', (_name, bad) => {
    expect(parse(record, bad, record).map((event) => event.kind)).toEqual(['created', 'bad-record', 'created']);
  });

  it.each([
    'not json',
    '',
    'null',
    '[]',
    '{}',
    '{"Records":[]}',
    '{"Records":{}}',
    '{"Event":"other"}',
    '['.repeat(200_000),
    `"${'x'.repeat(1024 * 1024)}"`,
  ])('answers bad for what is no S3 event (%#)', (body) => {
    expect(parseObjectEvents(body)).toMatchObject({ kind: 'bad' });
  });

  it('takes a thousand records of one message, and no more', () => {
    const records = Array.from({ length: 1_001 }, () => ({}));

    expect(parseObjectEvents(JSON.stringify({ Records: records.slice(1) }))).toMatchObject({ kind: 'records' });
    expect(parseObjectEvents(JSON.stringify({ Records: records }))).toEqual({
      kind: 'bad',
      detail: 'the message is an S3 event of more than 1000 records',
    });
  });
});

// Both were parked as "it has no Records".
describe('an event of S3 in an envelope', () => {
  const topic = 'arn:aws:sns:eu-west-1:000000000000:t';
  const detail = { bucket: { name: 'b' }, object: { key: 'datasets/a b.csv', size: 40 } };

  it.each([
    [
      'SNS',
      { Type: 'Notification', TopicArn: topic, Message: JSON.stringify({ Records: [record] }) },
      'RawMessageDelivery',
    ],
    ['EventBridge', { version: '0', 'detail-type': 'Object Created', source: 'aws.s3', detail }, 'to the queue itself'],
  ])('is named with the setting that takes it away: %s', (name, message, setting) => {
    const parsed = parseObjectEvents(JSON.stringify(message));

    expect(parsed).toMatchObject({ kind: 'bad', detail: expect.stringContaining(`it came through ${name}: `) });
    expect(parsed).toMatchObject({ detail: expect.stringContaining(setting) });
  });
});
