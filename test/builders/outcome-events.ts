/**
 * The `detail` of each event on the outcome bus, exactly as it is published. The page
 * docs/reference/events.md is made of it, and the tests check every published event against it. No
 * worker imports it: what is published is not checked again while it runs. A reader of events
 * leaves fields alone that he does not know, since fields are added; none is ever taken away or
 * given another meaning.
 */
import * as z from 'zod';
import { oddKinds } from '#shared/datasets/file/checked-file.ts';
import { testedLinks } from '#shared/messages/link-test.ts';
import { type EventType, eventTypes } from '#shared/vocabulary/resource-names.ts';

const instant = z.iso.datetime({ offset: true });
const eventId = z.string().min(1).describe('the same for each repeat of this event: deduplicate by it');
const isObserved = z.literal(true).describe('the stage only observes: nothing was sent to the gateway').optional();
const run = z.string().describe('the run as it is called in the configuration');
const campaignRunId = z.string().describe('the id of the run at the gateway');
const campaignId = z.string().describe('the id of the campaign at the gateway');
const reason = z.string().describe('a stable code: autopilot runbook CODE prints its page');
const nextStep = z.string().describe('what a person does next');
const difference = z.array(z.string()).describe('each change in words, old value and new');

const origin = z.strictObject({
  kind: z.enum(['schedule', 'upload', 'change', 'watcher', 'operator']),
  name: z.string(),
});

/** Of an event about a command. */
const ofCommand = {
  eventId,
  commandId: z.string().describe('`autopilot show` takes it'),
  action: z.enum(['start', 'stop']),
  origin: origin.describe('who asked: the kind, and the name of the schedule, file, watch or person'),
  at: instant.describe('when the outcome was recorded'),
  run: run.optional(),
  campaignRunId: campaignRunId.optional(),
  askedBecause: z.string().describe('why it was asked for, in words').optional(),
  detail: z.string().describe('what happened, in words').optional(),
};

const lateSeconds = z
  .int()
  .nonnegative()
  .describe('from the instant at which the stop was due, or asked for, to its outcome');

/** Of a start that used a run id. */
const ofStart = {
  due: instant.describe('when its run was due to begin').optional(),
  endsAt: instant.describe('when its planned stop is sent, or until when it counts as in flight').optional(),
  plansStop: z.boolean().describe('whether a stop is sent at `endsAt`').optional(),
  campaign: z.string().describe('its campaign as it is called in the configuration').optional(),
};

const campaignRunStarted = z.strictObject({
  ...ofCommand,
  ...ofStart,
  campaignRunId,
  startAt: instant.describe('when it begins, by the request that the gateway took'),
});

const campaignRunStopped = z.strictObject({ ...ofCommand, campaignRunId, lateSeconds });

const score = z.number().describe('0 to 100; higher is better');

const campaignRunEnded = z.strictObject({
  eventId,
  campaignRunId,
  run,
  campaign: z.string().describe('its campaign as it is called in the configuration'),
  commandId: ofCommand.commandId,
  status: z
    .enum(['complete', 'error', 'schedule_error', 'cancelled'])
    .describe('how it ended, as the gateway shows it'),
  startAt: instant.describe('when it began'),
  at: instant.describe('when the gateway showed that it had ended'),
  score: score.optional(),
  progress: z.int().describe('prompts that were answered').optional(),
  total: z.int().describe('prompts of the run').optional(),
  lastedMs: z.int().describe('from `startAt` to `at`, in milliseconds'),
  detail: z.string().describe('how far it came, its score and failed providers, in words'),
  errors: z
    .int()
    .describe('prompts that providers answered with errors; absent: none, or the run failed, which `RunFailed` tells')
    .optional(),
});

const found = {
  eventId,
  campaignRunId,
  run,
  campaign: campaignRunEnded.shape.campaign,
  commandId: ofCommand.commandId,
  startAt: campaignRunEnded.shape.startAt,
  at: campaignRunEnded.shape.at,
  inARow: z.int().positive().describe('how many runs of the name in a row'),
  detail: campaignRunEnded.shape.detail,
};

const campaignRunFailed = z.strictObject(found);

const campaignRunScoreLow = z.strictObject({
  ...found,
  score,
  atLeast: z.number().describe('the configured limit that it is below').optional(),
  median: z.number().describe('of the complete runs before it, if it fell too far below it').optional(),
  changed: z.array(z.string()).describe('what changed since the complete run before it'),
  because: z.string().describe('the limit in words'),
});

const campaignRunStartSkipped = z.strictObject({ ...ofCommand, ...ofStart, reason, isObserved });

/**
 * Four producers: a command, an upload, a message that cannot be read, a dead letter. Only the first
 * three fields are in all.
 */
const workParked = z.strictObject({
  eventId,
  reason,
  nextStep,
  detail: z.string().describe('what is known, in words; it may quote the file').optional(),
  at: instant.describe('when it was parked').optional(),
  // a command
  ...ofStart,
  commandId: ofCommand.commandId.optional(),
  action: ofCommand.action.optional(),
  origin: ofCommand.origin.optional(),
  run: run.optional(),
  campaignRunId: campaignRunId.optional(),
  askedBecause: ofCommand.askedBecause,
  lateSeconds: lateSeconds.optional(),
  isObserved,
  // everything else
  subject: z.string().describe('what it is about, if it is no command: an object key, a row of the ledger').optional(),
  worker: z.literal('register-datasets').describe('of an upload').optional(),
  ledgerKey: z.string().describe('of an upload: its row in the ledger').optional(),
  bucket: z.string().describe('of an upload').optional(),
  versionId: z.string().describe('of an upload: the version of the object').optional(),
  isQuiet: z
    .literal(true)
    .describe('of a message that is none: people get no mail, since one of the last hour had it')
    .optional(),
  queue: z
    .enum(['commands', 'uploads'])
    .describe('of a message that cannot be read, and of a dead letter: its queue')
    .optional(),
});

const datasetRegistered = z.strictObject({
  eventId,
  ledgerKey: z.string().describe('the row of the upload in the ledger'),
  datasetId: z.string().describe('the id that the gateway gave it'),
  datasetName: z.string().describe('its name at the gateway').optional(),
  bucket: z.string(),
  key: z.string().describe('the object key, decoded'),
  versionId: z.string().describe('the version of the object; absent if a bucket of your own keeps none').optional(),
  rule: z.string().describe('the `prefix` of the rule that decided'),
  checked: z
    .strictObject({
      rows: z.int(),
      blocking: z.int(),
      repeated: z.int(),
      contradictory: z.strictObject({ prompts: z.int(), rows: z.tuple([z.int(), z.int()]) }).optional(),
      odd: z
        .array(
          z.strictObject({
            kind: z.enum(oddKinds),
            rows: z.int(),
            first: z.int(),
          }),
        )
        .optional(),
      sheet: z.string().optional(),
    })
    .describe(
      'what the check counted: rows, rows to block, rows that repeat a prompt, prompts with both labels, and odd prompts; the sheet of a workbook',
    )
    .optional(),
  at: instant.describe('when it was recorded'),
});

const scannerPackagesChanged = z.strictObject({
  eventId,
  watch: z.string().describe('the watch as it is called in the configuration'),
  since: instant.describe('when the first of the changes was seen'),
  count: z.int().positive().describe('how many packages changed; more than are listed, if they are many'),
  changes: z
    .array(
      z.strictObject({
        kind: z.enum(['added', 'changed', 'removed']),
        packageId: z.string(),
        name: z.string(),
        fields: z.array(z.string()),
      }),
    )
    .max(100)
    .describe('the first 100: id, name, and of a changed one its changed fields'),
  starts: z.array(z.string()).describe('the runs that the rules start for it'),
});

const project = z.strictObject({ id: z.string(), name: z.string() }).describe('the project at the gateway');

/** Between two looks. */
const ofProject = {
  watch: z.string().describe('the watch as it is called in the configuration'),
  project,
  from: instant.describe('the look before'),
  to: instant.describe('the look that found the changes'),
  difference,
};

const projectChanged = z.strictObject({
  eventId,
  ...ofProject,
  count: z.int().positive().describe('how many changes; more than are listed, if they are many'),
  changes: z
    .array(
      z.strictObject({
        kind: z.enum(['added', 'changed', 'removed']),
        field: z.string(),
        before: z.string().optional(),
        after: z.string().optional(),
      }),
    )
    .describe('each change: its field, such as `scanners.ID.version`, the value before and after if they are known'),
  starts: z.array(z.string()).describe('the runs that the rules start for it'),
});

const campaignRunNotComparable = z.strictObject({
  eventId,
  campaignRunId,
  run,
  startedAt: instant.describe('when the run began'),
  ...ofProject,
});

const endpointsStillInUse = z.strictObject({
  eventId,
  watch: z.string().describe('the watch as its schedule is called'),
  at: instant.describe('when they were read'),
  count: z.int().positive().describe('how many; more than are listed, if they are many'),
  endpoints: z
    .array(z.strictObject({ id: z.string(), name: z.string() }))
    .max(100)
    .describe('the first 100: id and name'),
});

const campaignStartUnconfirmed = z.strictObject({
  eventId,
  campaignRunId,
  run,
  commandId: ofCommand.commandId,
  campaignId,
  startAt: instant.describe('when the run was to begin'),
  lastRun: z.string().describe('the last run that the campaign shows').optional(),
  lastRunAt: z.string().describe('when its last run began, as the campaign shows it').optional(),
  until: instant.describe('until when the campaign was expected to show the run'),
  at: instant.describe('when the campaign was read last'),
  detail: z.string().describe('the whole of it in words'),
});

const scheduleSilent = z.strictObject({
  eventId,
  schedule: z.string().describe('the schedule as it is called in the configuration'),
  run: z.string().describe('the run that it starts, as it is called in the configuration'),
  missed: z.int().positive().describe('occurrences in a row without a start'),
  since: instant.describe('the first of them'),
  lastStartAt: instant.describe('the last occurrence that started its run; absent if none is known').optional(),
  reason: z
    .string()
    .describe('why the last of them started nothing: a reason code, or a code of its own such as `DISABLED`'),
  meaning: z.string().describe('the reason in words'),
  detail: z.string().describe('what the ledger says of the last one; it may quote people').optional(),
  nextStep: z.string().describe('what a person does next'),
  at: instant.describe('when it was judged'),
});

const runPoolNotFilled = z.strictObject({
  eventId,
  run: z.string().describe('the run that it is a pool of, as it is called in the configuration'),
  since: instant.describe('the first request for a run that did not succeed'),
  detail: z.string().describe('what keeps the pool from filling, in the words of the gateway if it has some'),
  ready: z.int().nonnegative().describe('runs that are left'),
  keepReady: z.int().positive().describe('runs that are to be kept ready'),
});

const startsHeldBack = z.strictObject({
  eventId,
  scope: z.enum(['stage', 'campaign', 'schedule', 'alarm']),
  name: z.string().describe('the campaign or the schedule; of the stage `stage`, of an alarm `CAMPAIGN/ALARM`'),
  subject: z.string().describe('what is blocked: `the stage`, `campaign chat-bot`'),
  by: z.string().describe('who froze or paused it, or the alarm; characters that could end a text are left out'),
  because: z.string().describe('why, in their words; characters that could end a text are left out'),
  since: instant.describe('when it was frozen or paused'),
  until: instant.describe('when it ends automatically; absent if a person has to end it').optional(),
  ends: z.string().describe('its end in words'),
  nextStep: z.string().describe('the command that ends it, or shows it'),
  at: instant.describe('when people were reminded'),
});

const linkTested = z.strictObject({
  eventId,
  linkTest: z.uuid().describe('the id of the test'),
  link: z.enum(testedLinks).describe('what the test was sent as'),
  worker: z.enum(['register-datasets', 'update-campaign-runs']).describe('the function that took it'),
  at: instant.describe('when it arrived'),
});

/** The schema of each event's detail; strict, since it says what is published. */
export const outcomeEventDetails = {
  [eventTypes.campaignRunStarted]: campaignRunStarted,
  [eventTypes.campaignRunStopped]: campaignRunStopped,
  [eventTypes.campaignRunEnded]: campaignRunEnded,
  [eventTypes.campaignRunFailed]: campaignRunFailed,
  [eventTypes.campaignRunScoreLow]: campaignRunScoreLow,
  [eventTypes.campaignRunStartSkipped]: campaignRunStartSkipped,
  [eventTypes.workParked]: workParked,
  [eventTypes.datasetRegistered]: datasetRegistered,
  [eventTypes.scannerPackagesChanged]: scannerPackagesChanged,
  [eventTypes.projectChanged]: projectChanged,
  [eventTypes.campaignRunNotComparable]: campaignRunNotComparable,
  [eventTypes.endpointsStillInUse]: endpointsStillInUse,
  [eventTypes.campaignStartUnconfirmed]: campaignStartUnconfirmed,
  [eventTypes.runPoolNotFilled]: runPoolNotFilled,
  [eventTypes.scheduleSilent]: scheduleSilent,
  [eventTypes.startsHeldBack]: startsHeldBack,
  [eventTypes.linkTested]: linkTested,
} satisfies Record<EventType, z.ZodObject>;
