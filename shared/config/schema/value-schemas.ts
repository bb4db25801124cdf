/** Values of the configuration that can be judged alone, each with its sentence for the person who wrote it. */
import { isCalendarFile } from './calendar-file.ts';
import * as z from 'zod';
import { hourMs, type Duration, type Parsed, parsed, parseDuration, parseProblem } from '../../schedule/duration.ts';
import { parseScheduleExpression } from '../../schedule/schedule-expression.ts';
import { encodingNamed } from '../../datasets/file/text-encoding.ts';
import { isCalendarDay, isTimeZone } from '../../schedule/time-zone.ts';
import { datasetsPrefix } from '../../vocabulary/resource-names.ts';
import { wanted } from './section.ts';

/**
 * A text that a reader takes: what it reads of it is the value, and its sentence the problem.
 * @param example - a text as people would write it, for one that is missing
 */
export function readBy<Value>(read: (text: string) => Parsed<Value>, example?: string) {
  const error = wanted('a text', example === undefined ? undefined : `"${example}"`);
  return z.string({ error }).transform((text, context): Value => {
    const result = read(text);
    if (result.ok) return result.value;
    context.addIssue({ code: 'custom', message: result.problem });
    return z.NEVER;
  });
}

/** The same that stays as it is written. */
export function checked(read: (text: string) => Parsed<unknown>, example?: string) {
  return readBy((text) => {
    const result = read(text);
    return result.ok ? parsed(text) : result;
  }, example);
}

/** Things of one kind, in the order in which they are written. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

/** A text that is right if this is so, and the sentence about one that is not. */
function textThat(isRight: (text: string) => boolean, problem: (text: string) => string, example?: string) {
  return checked((text) => (isRight(text) ? parsed(text) : parseProblem(problem(text))), example);
}

/** A text of one form, and the sentence on what it is. */
export function written(pattern: RegExp, rule: string) {
  return textThat(
    (text) => pattern.test(text),
    (text) => `"${text}" is not ${rule}.`,
  );
}

/** A name by a pattern of its own. */
export function nameOf(pattern: RegExp, rule: string) {
  return textThat(
    (text) => pattern.test(text),
    (text) => `"${text}" cannot be a name: it is ${rule}.`,
  );
}

/** A text with something in it. */
export const filled = textThat(
  (text) => text.trim() !== '',
  () => 'is empty.',
);

/** A duration as people or ISO 8601 write it. What is read of it is ISO 8601, so no user of a setting has to think of that. */
export function durationBy(read: (text: string) => Parsed<Duration> = parseDuration, example = '8 hours') {
  return readBy((text) => isoOf(read(text)), example);
}

/** A duration that was read, in ISO 8601. */
export function isoOf(read: Parsed<Duration>): Parsed<string> {
  return read.ok ? parsed(read.value.iso) : read;
}

/** The same of at most so many hours; what follows the hours says why. */
export function durationWithin(hours: number, longest: string, example: string) {
  return durationBy((text) => {
    const read = parseDuration(text);
    if (!read.ok || read.value.milliseconds <= hours * hourMs) return read;
    return parseProblem(`"${text}" is longer than ${longest}`);
  }, example);
}
/** A uuid, in small letters. */
export const uuid = z
  .uuid({ error: ({ input }) => (typeof input === 'string' ? `"${input}" is not a uuid.` : undefined) })
  .transform((id) => id.toLowerCase());
/**
 * A function's time sets the least rate. Its environments share the rate, and one that waits for
 * its turn longer than it lives never sends anything. A start is two requests of a function of 30
 * s; uploads and polls have minutes.
 */
export function rate(least: number) {
  return z.number().min(least, {
    error: ({ input }) => `is ${String(input)}; at least ${least} requests a second, or nothing gets its turn.`,
  });
}
/** An address that a message can be sent to, bare: `Name <address>` is refused by AWS. */
export const email = written(
  /^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;".]+$/,
  'an e-mail address; write it bare, as "soc@example.com"',
);
/** The name of a secret, and never what belongs into one. Characters and length are those of Secrets Manager's CreateSecret. */
export const secretName = checked((text) => {
  if (text.includes('://'))
    return parseProblem('is an address: put it into a secret of Secrets Manager, and write its name.');
  return /^[\w/+=.@-]{1,512}$/.test(text)
    ? parsed(text)
    : parseProblem(`"${text}" is no name of a secret: 1 to 512 letters, digits and /_+=.@- are.`);
});
/** A status of a request that failed. */
export const errorStatus = z.number().refine((status) => Number.isInteger(status) && status >= 400 && status <= 599, {
  error: ({ input }) =>
    `${String(input)} is no status of a request that failed (400 to 599): a request with that answer may have made the dataset.`,
});
/** An instant with its offset, in UTC. */
export const instant = z.iso
  .datetime({
    offset: true,
    error: ({ input }) =>
      typeof input === 'string'
        ? `"${input}" is not an instant with its offset; write "2026-11-20T22:00:00Z" or "2026-11-20T22:00:00+01:00".`
        : undefined,
  })
  .transform((text) => new Date(text).toISOString());
/** An IANA time zone. */
export const zoneSchema = textThat(
  isTimeZone,
  (text) => `"${text}" is not a time zone; write its IANA name, such as "Europe/Dublin" or "UTC".`,
  'Europe/Dublin',
);
/** A period that EventBridge Scheduler can keep. */
export const period = durationBy((text) => {
  const read = parseDuration(text);
  if (!read.ok || read.value.milliseconds % 60_000 === 0) return read;
  return parseProblem(`"${text}" is not a whole number of minutes, and EventBridge Scheduler knows nothing smaller.`);
}, '15 minutes');
/** A prefix that uploads are taken from. */
export const prefix = textThat(
  (text) => text.startsWith(datasetsPrefix),
  (text) => `"${text}" is not below ${datasetsPrefix}, the only place that uploads are taken from.`,
);

/** A text encoding that `TextDecoder` knows. */
export const textEncoding = textThat(
  (text) => encodingNamed(text) !== undefined,
  (text) => `"${text}" is not an encoding that is known.`,
  'windows-1251',
);

/** A local date and time without a zone: `2026-12-19T00:00`. */
export const localTimeSchema = textThat(
  (text) => /T(?:[01]\d|2[0-3]):[0-5]\d$/.test(text) && isCalendarDay(text.slice(0, -'T00:00'.length)),
  (text) => `"${text}" is not a local date and time; write it as "2026-12-19T00:00".`,
);

const calendarArn = /^arn:aws[\w-]*:ssm:[a-z0-9-]+:\d{12}:document\/[\w.-]{3,128}$/;

/** A calendar that others keep: a file, or a document of Systems Manager. */
export function calendarOf(readFile: (path: string) => Parsed<unknown>) {
  return checked((text) => {
    if (isCalendarFile(text)) return readFile(text);
    if (calendarArn.test(text)) return parsed(text);
    return parseProblem(
      `"${text}" is neither a file that ends in .ics nor the ARN of a calendar; one such as holidays.ics or arn:aws:ssm:eu-west-1:123456789012:document/change-freeze is wanted.`,
    );
  });
}

/** An alarm of CloudWatch, also a composite one. */
export const alarmArn = written(
  /^arn:aws[\w-]*:cloudwatch:[a-z0-9-]+:\d{12}:alarm:[^\p{C}]{1,255}$/u,
  'the ARN of an alarm; one such as arn:aws:cloudwatch:eu-west-1:123456789012:alarm:target-5xx is wanted',
);

/** A day without a zone: `2026-12-24`. */
export const localDate = textThat(isCalendarDay, (text) => `"${text}" is not a day; write it as "2026-12-24".`);

/** A schedule expression, without the spaces around it. */
export const scheduleTime = expressionBy(parseScheduleExpression, 'cron(0 22 ? * MON-FRI *)');

/** A schedule expression that says its times itself: `cron(…)`. */
export const cron = expressionBy((text) => {
  const read = parseScheduleExpression(text);
  if (!read.ok || read.value.kind === 'cron') return read;
  return parseProblem(`"${text}" is no cron(…): a time that comes again and again at an hour of the day is wanted.`);
});

function expressionBy(read: (text: string) => Parsed<unknown>, example?: string) {
  return checked(read, example).transform((text) => text.trim());
}

/** Each start that counts is remembered by its digest, and all of them in one row of 400 KB. */
const mostCounted = 5000;

/** A whole number of at least one and at most that. */
export const count = z.number().refine((value) => Number.isInteger(value) && value >= 1 && value <= mostCounted, {
  error: ({ input }) => `is ${String(input)}; a whole number from 1 to ${mostCounted} is wanted.`,
});

/** What the name of a run may name. */
const runNamePlaceholders = ['date'] as const;

/** The longest name of a run at the gateway, in characters. */
const longestName = 100;

/** A local date as `{date}` writes it. */
const dateLength = '2026-11-20'.length;

/** The name that a run gets at its start, as long as it can become. */
export const gatewayRunName = checked((text) => {
  const read = parseTemplate(text, runNamePlaceholders);
  const length = Array.from(text.replaceAll('{date}', '-'.repeat(dateLength))).length;
  if (!read.ok || length <= longestName) return read;
  return parseProblem(`becomes ${length} characters long; the name of a run has at most ${longestName}.`);
});

/** What the templates of a dataset rule may name. */
export const datasetPlaceholders = ['bucket', 'key', 'stem', 'versionId', 'etag'] as const;

/** Checks that a template names only what it will be given. */
export function parseTemplate(text: string, known: readonly string[]): Parsed<string> {
  const list = known.map((name) => `{${name}}`).join(' ');
  if (text.trim() === '') return parseProblem(`is empty; write a text that may hold ${list}.`);
  const unknown = [...text.matchAll(/\{([^{}]*)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const unfilled = unknown.map((name) => `{${name}}`).join(' ');
    return parseProblem(`"${text}" names ${unfilled}, which nothing fills; known here: ${list}.`);
  }
  if (/[{}]/.test(text.replaceAll(/\{[^{}]*\}/g, ''))) {
    return parseProblem(`"${text}" has a brace that belongs to no placeholder; known here: ${list}.`);
  }
  return parsed(text);
}

/**
 * Parameters of the listing of scanner packages that belong to the walk: a watch that set them
 * would break its own comparison.
 */
export const walkParameters = ['cursor', 'limit', 'sortBy', 'ascending'] as const;
