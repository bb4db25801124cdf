import type { RuleConversion } from '#shared/datasets/columns/column-mapping.ts';
import * as z from 'zod';
import { configQuestion } from '#shared/messages/questions.ts';
import { askStage } from './ask-stage.ts';
import type { AskingDeps, OperatorDeps } from './operator-deps.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';
import type { CalendarsRow } from '#shared/ledger/rows/stage-rows.ts';
import type { ResolvedBlackout } from '#shared/schedule/blackouts.ts';
import { calendarsAsRead, calendarsOf } from '#shared/schedule/calendars.ts';

/** What the command needs to know of the configuration that a stage is judged by. */
const stageConfig = z.object({
  runs: z.record(
    z.string(),
    z.object({
      name: z.string(),
      campaign: z.string(),
      guards: z.object({ haltOn: z.array(z.string()).optional() }).optional(),
    }),
  ),
});

export type StageConfig = z.infer<typeof stageConfig>;

/** Asks the deployed stage for its configuration, not the files on this machine. */
export async function readStageConfig(deps: AskingDeps): Promise<StageConfig> {
  return askStage(configQuestion, stageConfig, deps);
}

const boundRuns = z.object({
  gateway: z.object({ readsRuns: z.boolean().optional() }).optional(),
  runs: z.record(z.string(), z.object({ campaignRunIds: z.array(z.string()) })),
});

/** By the name of each configured run: the campaign run ids that its configuration lists. */
export type ConfiguredIds = ReadonlyMap<string, readonly string[]>;

/** Asks the deployed stage whether its gateway shows runs. */
export async function readsRuns(deps: AskingDeps): Promise<boolean> {
  return (await askStage(configQuestion, boundRuns, deps)).gateway?.readsRuns === true;
}

/** Asks the deployed stage which campaign run ids its configuration gives to which run. */
export async function readConfiguredIds(deps: AskingDeps): Promise<ConfiguredIds> {
  const { runs } = await askStage(configQuestion, boundRuns, deps);
  return new Map(Object.entries(runs).map(([name, { campaignRunIds }]) => [name, campaignRunIds]));
}

const datasetRules = z.object({
  datasetRules: z.array(
    z.object({
      prefix: z.string(),
      only: z.array(z.string()).optional(),
      file: z.object({ maxBytes: z.number() }).optional(),
      fileId: z.string().optional(),
      name: z.string().optional(),
      check: z.string(),
      convert: z.custom<RuleConversion>((mapping) => typeof mapping === 'object').optional(),
      /** The run that each new dataset starts. */
      thenStart: z.string().optional(),
    }),
  ),
});

/** What the command needs to know of a rule for datasets. */
export type StageDatasetRule = z.infer<typeof datasetRules>['datasetRules'][number];

/** Asks the deployed stage for its rules for datasets. */
export async function readDatasetRules(deps: AskingDeps): Promise<readonly StageDatasetRule[]> {
  return (await askStage(configQuestion, datasetRules, deps)).datasetRules;
}

const calendar = z.object({
  timezone: z.string().optional(),
  blackouts: z
    .array(
      z.object({
        name: z.string(),
        starts: z.enum(['skip', 'defer']),
        campaigns: z.array(z.string()).optional(),
        window: z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('once'), from: z.string(), to: z.string() }),
          z.object({ kind: z.literal('calendar'), arn: z.string() }),
          z.object({ kind: z.literal('recurring'), expression: z.string(), timezone: z.string(), lasts: z.string() }),
        ]),
      }),
    )
    .optional(),
});

/** Asks the deployed stage for its time zone and its blackouts, those that follow a calendar as it was read last. */
export async function readStageCalendar(
  deps: AskingDeps & Pick<OperatorDeps, 'now'>,
): Promise<{ readonly timezone?: string; readonly blackouts?: readonly ResolvedBlackout[] }> {
  const config = await askStage(configQuestion, calendar, deps);
  const { blackouts = [] } = config;
  if (calendarsOf(blackouts).length === 0) return config;
  const row = await (await deps.stage.ledger()).read<CalendarsRow>(ledgerKeys.calendars());
  return { ...config, blackouts: calendarsAsRead(blackouts, row?.readings ?? {}, await deps.now()).blackouts };
}
