import * as z from 'zod';
import { durationMs, longestInCommandMs } from '../schedule/duration.ts';
import { didYouMean } from '../text/did-you-mean.ts';
import { guardNames } from '../vocabulary/reason-codes.ts';

/** Who may ask for a change of a run. */
export const originKinds = ['schedule', 'upload', 'change', 'watcher', 'operator'] as const;

// The one message of the commands queue, from every sender: a schedule, an upload, a change,
// a watcher or an operator. (issuedAt, id) orders the commands about a run: the latest wins.

/** A start later than `issuedAt` + this is skipped, unless the command says otherwise. */
export const defaultValidFor = 'PT1H';

/** A start's `issuedAt` further ahead than this is a bad message, so that a wrong clock cannot outrank every later command. */
export const maxAheadMs = 5 * 60_000;

const isoDuration = z
  .string()
  .refine((text) => durationMs(text) !== undefined, 'is not an ISO 8601 duration of days, hours, minutes and seconds')
  .refine((text) => (durationMs(text) ?? 0) <= longestInCommandMs, 'is longer than 31 days');

/** Half a character cannot be put into an address and is another text once it was sent as UTF-8. */
const wellFormed = z.string().refine((text) => text.isWellFormed(), 'is not well-formed Unicode');

/** A text of a bounded length, with what is wrong with it in words. */
function textUpTo(most: number) {
  return wellFormed.max(most, `is longer than ${most} characters`);
}

const commandOrigin = z.strictObject({
  /** Who asked. */
  kind: z.enum(originKinds),
  /** Which: schedule name, object key, change set, person. */
  name: textUpTo(1200).min(1, 'is empty'),
});

const override = z.strictObject({
  /** The guards whose no does not count. */
  guards: z.array(z.enum(guardNames)).min(1, 'names no guard'),
  /** Why: it stays in the ledger. */
  reason: textUpTo(1000).min(1, 'is empty'),
});

/** The longest name of a run, in characters: what the gateway takes as a name. */
export const longestRunName = 100;

/**
 * The longest message that is read, in characters: twice the longest command. 1 MB of unknown
 * fields filled the memory of the worker.
 */
const longestMessage = 65_536;

/** What a command has to be. */
const campaignRunCommandType = z
  .strictObject({
    version: z.literal(1),
    id: textUpTo(256)
      .min(1, 'is empty')
      // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not be in an id
      .regex(/^[^\u0000-\u001f\u007f]+$/, 'holds control characters'),
    action: z.enum(['start', 'stop']),
    run: textUpTo(longestRunName).min(1, 'is empty').optional(),
    campaignRunId: z.uuid('is not a uuid').toLowerCase().optional(),
    issuedAt: z.iso.datetime({ offset: true, error: 'is not an RFC 3339 instant with an offset' }),
    validFor: isoDuration.optional(),
    startDelay: isoDuration.optional(),
    stopAfter: isoDuration.optional(),
    origin: commandOrigin,
    reason: textUpTo(1000).optional(),
    override: override.optional(),
    /** This stop ends the run of that start alone; only the workers of the stage may say so. */
    startId: textUpTo(256).min(1, 'is empty').optional(),
    /** Sent by a stage that only observes: never done by one that acts. */
    isObserved: z.literal(true).optional(),
  })
  .refine(({ action, run }) => action !== 'start' || run !== undefined, {
    message: 'names no configured run; a campaignRunId beside it chooses one of its ids',
    path: ['run'],
  })
  .refine(
    ({ action, run, campaignRunId }) => action !== 'stop' || (run === undefined) !== (campaignRunId === undefined),
    {
      message: 'names either a configured run (run) or a uuid (campaignRunId), not both',
      path: ['run'],
    },
  )
  .refine(({ action, startId, origin }) => startId === undefined || (action === 'stop' && origin.kind === 'watcher'), {
    message: 'is a field of the stops that the workers of the stage send',
    path: ['startId'],
  })
  .refine((command) => command.override === undefined || command.action === 'start', {
    message: 'only a start passes guards that can be overridden',
    path: ['override'],
  })
  .refine((command) => command.override === undefined || command.origin.kind === 'operator', {
    message: 'only an operator may override a guard',
    path: ['override'],
  });

/** A start or a stop of campaign runs. */
export type CampaignRunCommand = z.infer<typeof campaignRunCommandType>;

/** What a command is to do, for people: `start nightly`, `stop 019ba000-…`. */
export function commandTitle(command: Pick<CampaignRunCommand, 'action' | 'run' | 'campaignRunId'>): string {
  const { action, run, campaignRunId = '' } = command;
  return `${action} ${run ?? campaignRunId}`;
}

/** A command, or every problem of it as `path: sentence`. */
export type ParsedCommand = { ok: true; command: CampaignRunCommand } | { ok: false; problems: string[] };

/** A command of the queue; `ignored` are the paths of its fields that this version does not know, if it has any. */
export type ReadCommand = ParsedCommand & { readonly ignored?: readonly string[] };

/**
 * Checks the fields of one command; total. A start that was issued more than 5 minutes after `now` is a problem; a stop is never refused for its
 * clock.
 */
export function checkCampaignRunCommand(input: unknown, now: Date): ParsedCommand {
  const parsed = campaignRunCommandType.safeParse(input);
  if (!parsed.success) return { ok: false, problems: problemsOf(parsed.error) };
  const { data: command } = parsed;
  if (command.action === 'start' && Date.parse(command.issuedAt) > now.getTime() + maxAheadMs) {
    return { ok: false, problems: [`issuedAt: ${command.issuedAt} is more than 5 minutes in the future`] };
  }
  return { ok: true, command };
}

function problemsOf({ issues }: z.ZodError): string[] {
  return issues.map((issue) => `${issue.path.join('.') || 'command'}: ${issue.message}`);
}

/**
 * Reads the body of a message; total. A field that this version does not know is ignored, unless
 * its name is nearly that of a known one (docs/adr/0052-unknown-fields-are-ignored.md).
 */
export function parseCampaignRunCommand(body: string, now: Date): ReadCommand {
  if (body.length > longestMessage) return { ok: false, problems: [tooLong] };
  let input: unknown;
  try {
    input = JSON.parse(body);
  } catch {
    return { ok: false, problems: ['command: is not JSON'] };
  }
  const checked = checkCampaignRunCommand(input, now);
  // A mark of `doctor --deep` has no room for work: what has both is a mistake (link-test.ts).
  if (checked.ok || !isObject(input) || 'linkTest' in input) return checked;
  return readWithoutUnknown(input, now);
}

const tooLong = `command: is longer than ${longestMessage} characters`;

/** The objects of a command, by the field that they are in. */
const objects = { origin: commandOrigin, override };

function readWithoutUnknown(input: Readonly<Record<string, unknown>>, now: Date): ReadCommand {
  const found: FoundFields = { ignored: [], problems: [] };
  const known = knownFields(input, { shape: campaignRunCommandType.shape, path: '' }, found);
  for (const [name, { shape }] of Object.entries(objects)) {
    const value = known[name];
    if (isObject(value)) known[name] = knownFields(value, { shape, path: `${name}.` }, found);
  }
  const checked = checkCampaignRunCommand(known, now);
  const { ignored } = found;
  const problems = checked.ok ? found.problems : [...checked.problems, ...found.problems];
  return checked.ok && problems.length === 0 ? { ...checked, ignored } : { ok: false, problems, ignored };
}

interface FoundFields {
  readonly ignored: string[];
  readonly problems: string[];
}

function knownFields(
  value: Readonly<Record<string, unknown>>,
  { shape, path }: { readonly shape: object; readonly path: string },
  { ignored, problems }: FoundFields,
): Record<string, unknown> {
  const names = Object.keys(shape);
  const known = Object.entries(value).filter(([name]) => {
    if (names.includes(name)) return true;
    const meant = didYouMean(name, names);
    if (meant === '') ignored.push(`${path}${name}`);
    else problems.push(`${path}${name}: is not a field of a command${meant}`);
    return false;
  });
  return Object.fromEntries(known);
}

/** The place of a command in the order of commands about a run. */
export type CommandOrder = Pick<CampaignRunCommand, 'issuedAt' | 'id'>;

/** Total order of commands: by instant, then by id. Negative: `a` is earlier. */
export function compareCommands(a: CommandOrder, b: CommandOrder): number {
  const byInstant = Date.parse(a.issuedAt) - Date.parse(b.issuedAt);
  if (byInstant !== 0) return byInstant;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

/** Whether a value is an object of JSON: no list, no null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
