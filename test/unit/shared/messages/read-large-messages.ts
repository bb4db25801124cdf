/**
 * Reads hostile messages of 1 MB, one after another, as every worker of a queue reads its messages.
 * Runs in a process of little memory, which ends if one of them fills it.
 */
import { listedDetail } from '#shared/ledger/rows/detail.ts';
import { parseCampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { linkTestInMessage } from '#shared/messages/link-test.ts';
import { closestWord } from '#shared/text/did-you-mean.ts';
import { parseObjectEvents } from '#shared/uploads/object-events.ts';

/** SQS takes no larger message. */
const messageBytes = 1024 * 1024;

const now = new Date('2026-11-20T22:00:00.000Z');
const start = '{"version":1,"id":"x","action":"start","run":"nightly","issuedAt":"2026-11-20T22:00:00Z",';
const command = `${start}"origin":{"kind":"operator","name":"grace"}`;

/** `begin`, then as many parts as fit, with commas between them, then `end`. */
function filled(begin: string, part: (index: number) => string, end: string): string {
  let text = begin;
  for (let index = 0; ; index += 1) {
    const next = `${index === 0 ? '' : ','}${part(index)}`;
    if (text.length + next.length + end.length > messageBytes) return text + end;
    text += next;
  }
}

const long = 'x'.repeat(messageBytes - 300);
const messages: Readonly<Record<string, () => string>> = {
  'a name of a field': () => `${command},"${long}":1}`,
  'a name of a field in an object': () => `${start}"origin":{"${long}":1}}`,
  'a text': () => `${command},"reason":"${long}"}`,
  'a duration': () => `${command},"validFor":"P${'1'.repeat(long.length)}D"}`,
  'names of fields': () => filled(`${command},`, (index) => `"a${index}":1`, '}'),
  'names that are nearly known': () => filled(`${command},`, (index) => `"stopAfte${index}":1`, '}'),
  guards: () => filled(`${command},"override":{"guards":[`, () => '1', '],"reason":"x"}}'),
  'lists in lists': () => '['.repeat(messageBytes / 2) + ']'.repeat(messageBytes / 2),
  objects: () => filled('[', () => '{}', ']'),
  'records of nothing': () => filled('{"Records":[', () => '1', ']}'),
  'records without an object': () => filled('{"Records":[', () => '{"s3":{}}', ']}'),
};

for (const [what, message] of Object.entries(messages)) {
  const body = message();
  const read = parseCampaignRunCommand(body, now);
  if (!read.ok) listedDetail(read.problems, 'problems');
  linkTestInMessage(body);
  parseObjectEvents(body);
  process.stdout.write(`${what}\n`);
}
closestWord(long, ['start', 'stop']);
process.stdout.write('a word\n');
