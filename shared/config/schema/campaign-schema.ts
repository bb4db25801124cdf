/** Campaigns and their runs. */
import * as z from 'zod';
import { namePattern, nameRule } from './names.ts';
import { named, section } from './section.ts';
import { alarmArn, count, durationBy, filled, gatewayRunName, listOf, nameOf, uuid } from './value-schemas.ts';

const runsExample = "{ nightly: { campaignRunIds: ['019ba000-0000-7000-8000-000000000301'], stopAfter: '8 hours' } }";

/** A document's campaigns as people would write them. */
export const campaignsExample = `{ 'chat-bot': { runs: ${runsExample} } }`;

/** More would begin at the gateway in two years if all of them were forgotten. */
export const mostReady = 50;

/** A schedule of the gateway takes no more. */
const mostProviders = 5;

/** A score of a gateway is a number of 0 to 100. */
const points = z
  .number({ error: 'is no number of 0 to 100.' })
  .min(0, { error: 'is below 0.' })
  .max(100, { error: 'is above 100.' });

/** Limits of a score. */
export const score = section(
  {
    /** A complete run with less is low. @default none */
    atLeast: points.optional(),
    /** A complete run is low that is further below the median of up to five complete ones before it. It counts from the third on. @default none */
    mayFallBy: points.optional(),
  },
  '{ atLeast: 80, mayFallBy: 5 }',
).refine(({ atLeast, mayFallBy }) => (atLeast ?? mayFallBy) !== undefined, {
  error: 'has neither atLeast nor mayFallBy, for example { atLeast: 80, mayFallBy: 5 }.',
});

export const run = section({
  /** Runs that are scheduled far ahead at the gateway; each start uses one, in this order. `autopilot bind` adds more without a deployment. @default none: bound ids alone */
  campaignRunIds: listOf(uuid).default([]),
  /** The one to five providers that runs made ahead attack. Needs `gateway.makesRuns` and the campaign's `campaignId`. @default none: no runs are made */
  providerIds: z
    .array(uuid)
    .min(1, { error: 'names no provider.' })
    .max(mostProviders, { error: `names more than ${mostProviders} providers.` })
    .readonly()
    .optional(),
  /** How many unused runs are kept ready, 1 to 50. Needs `providerIds`. @default 14 nights of its schedules and two more, 5 to 50 */
  keepReady: count
    .refine((ready) => ready <= mostReady, { error: `is more than ${mostReady}, the most that are kept.` })
    .optional(),
  /** A start plans its own stop this long after the instant of effect. @default none (`longestRun` is then required) */
  stopAfter: durationBy().optional(),
  /** Name to give the run at its start, 1 to 100 characters; `{date}` is the local date of the start. @default unchanged */
  name: gatewayRunName.optional(),
  /** Sent with the start, so that the gateway keeps the run's data. `true`, or a text for a gateway that wants one. @default not sent */
  preserve: z.union([z.boolean(), filled]).optional(),
  /** When the score of a complete run is low, a finding (SCORE_LOW). The gateway has to be read for it (`gateway.readsRuns`). @default no score is judged */
  score: score.optional(),
});

/** A pattern of EventBridge has at most 2,048 characters (EventBridge quotas), and the ARN of an alarm some 320. */
const mostAlarms = 5;

export const campaign = section(
  {
    /** Its uuid: without it nothing can be read back. @default unknown */
    campaignId: uuid.optional(),
    /** The project that it attacks: its configuration is part of a run's evidence, and a run during which it drifts is not comparable. @default none */
    project: filled.optional(),
    /** A start while a run of this campaign is in flight: skipped, let through, or sent after that run was stopped. */
    overlap: z.enum(['skip', 'stop-previous', 'allow']).default('skip'),
    /** Campaigns that attack the same system name the same target and so share overlap. @default the campaign alone */
    target: nameOf(namePattern, nameRule).optional(),
    /** A run without a `stopAfter` counts as in flight for this long. Required unless every run has a `stopAfter`. @default none */
    longestRun: durationBy().optional(),
    /** Least time between starts, by-hand ones included. Needs `campaignId`. @default none */
    minimumGap: durationBy().optional(),
    /** Most starts of a calendar month in the stage's timezone: each costs money. @default no limit */
    startsPerMonth: count.optional(),
    /** ARNs of at most five CloudWatch alarms of the target, in the stage's account and region. While one is in ALARM, no start of the campaign is sent, and its runs in flight are stopped. @default none */
    haltOn: z
      .array(alarmArn)
      .min(1, { error: 'names no alarm.' })
      .max(mostAlarms, { error: `names more than ${mostAlarms} alarms.` })
      .readonly()
      .optional(),
    /**
     * Whether an event reports a start that the campaign does not show within `confirmWithin`. It shows one by its `lastRun`, or by its `lastRunAt`.
     * @default true with a `campaignId`, else false
     */
    confirm: z.boolean().optional(),
    /** How long after the start that sign is looked for. */
    confirmWithin: durationBy().prefault('30 minutes'),
    /** Its runs by a name of your own. */
    runs: named('run', run, runsExample),
  },
  `{ runs: ${runsExample} }`,
);
