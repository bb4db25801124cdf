import { type DatasetField, datasetFields } from '../schema/names.ts';
import type { ReadText } from '../schema/ca-bundle.ts';
import type { ReadDocument } from '../schema/automation-schema.ts';
import type {
  ReadCampaign,
  ReadDatasetRule,
  ReadRun,
  ResolvedAutomation,
  ResolvedDatasetRule,
  ResolvedRun,
  ResolvedSchedule,
  RunPool,
} from './resolved-automation.ts';
import { readyFor } from './keep-ready.ts';
import { resolveBlackout } from './resolve-blackout.ts';

/**
 * What takes several sections of a document to say, for one that its schema read: names of runs, zones, defaults that another setting
 * decides. Each section is passed whole, so a new setting cannot be left out.
 */
export function resolveDocument(
  stage: string,
  document: ReadDocument,
  options: { readonly isLocalStage: boolean; readonly readText?: ReadText; readonly now: Date },
): ResolvedAutomation {
  const { isLocalStage, readText, now } = options;
  const {
    campaigns,
    blackouts,
    scannerPackages: packageWatches,
    projects: projectWatches,
    datasets,
    ...rest
  } = document;
  const { timezone, notify } = document;
  const schedules = document.schedules.map((schedule) => resolveSchedule(schedule, timezone));
  const makesRuns = document.gateway.makesRuns === true;
  const runs = Object.entries(campaigns).flatMap(([campaignName, campaign]) =>
    Object.entries(campaign.runs).map(([name, run]) => ({
      ...resolveRun(name, run, campaignName, campaign),
      pool: makesRuns ? resolvePool(name, run, campaign, () => readyFor(name, schedules, now)) : undefined,
    })),
  );
  return shipped({
    ...rest,
    stage,
    runs: Object.fromEntries(runs.map((run) => [run.name, run])),
    schedules,
    blackouts: blackouts.flatMap((blackout) => resolveBlackout(blackout, { timezone, readText, now })),
    packageWatches,
    projectWatches,
    datasetRules: datasets
      .map((rule) => resolveDatasetRule(rule, notify.also.includes('registered')))
      .toSorted((a, b) => b.prefix.length - a.prefix.length),
    // An account's rules say nothing to one machine.
    deployment: isLocalStage ? {} : document.deployment,
  });
}

/** It ships as JSON, which has no `undefined`. */
function shipped(automation: ResolvedAutomation): ResolvedAutomation {
  return JSON.parse(JSON.stringify(automation));
}

function resolveRun(
  name: string,
  { name: nameTemplate, providerIds: _made, keepReady: _ready, ...rest }: ReadRun,
  campaignName: string,
  campaign: ReadCampaign,
): ResolvedRun {
  // What a campaign says beside its place at the gateway is for its guards.
  const { runs: _runs, campaignId, project, confirm = campaignId !== undefined, confirmWithin, ...guards } = campaign;
  if ((rest.stopAfter ?? guards.longestRun) === undefined) {
    throw new Error(`run ${name} has neither stopAfter nor longestRun`);
  }
  return {
    ...rest,
    name,
    campaign: campaignName,
    campaignId,
    project,
    guards: { ...guards, target: guards.target ?? campaignName },
    confirm: confirm ? { within: confirmWithin } : undefined,
    nameTemplate,
  };
}

function resolvePool(
  run: string,
  { providerIds, keepReady }: ReadRun,
  { campaignId }: ReadCampaign,
  usual: () => number,
): RunPool | undefined {
  if (providerIds === undefined || campaignId === undefined) return undefined;
  const ids = [...new Set(providerIds)].toSorted();
  return { run, campaignId, providerIds: ids, keepReady: keepReady ?? usual() };
}

function resolveSchedule(
  { start, stop, at, missed, ...rest }: ReadDocument['schedules'][number],
  timezone: string,
): ResolvedSchedule {
  const run = start ?? stop;
  if (run === undefined) throw new Error(`schedule ${rest.name} names no run`);
  return {
    ...rest,
    timezone: rest.timezone ?? timezone,
    action: start === undefined ? 'stop' : 'start',
    run,
    expression: at,
    validFor: start === undefined ? undefined : rest.validFor,
    missedWithin: missed === undefined ? undefined : rest.missedWithin,
  };
}

/** Names of the files that a check reads, and of those that a conversion reads beside them. */
const tableNames = ['.csv', '.tsv', '.txt'];
const convertedNames = ['.json', '.jsonl', '.ndjson', '.xlsx'];

function resolveDatasetRule(rule: ReadDatasetRule, isAnnounced: boolean): ResolvedDatasetRule {
  const { send, maxBytes, sidecarWithin, convert, promptColumn, labelColumn, labels, label, encoding, sheet, ...rest } =
    rule;
  const file = send === 'file' ? { maxBytes } : undefined;
  return {
    ...rest,
    only: rest.only ?? (rest.check === 'none' ? undefined : [...tableNames, ...(convert ? convertedNames : [])]),
    convert: convert ? { promptColumn, labelColumn, labels, label, encoding, sheet } : undefined,
    locked: [...new Set([...lockedFields(rule), ...(file === undefined ? [] : ['fileId' as const])])],
    file,
    sidecar: rest.sidecar === undefined ? undefined : { within: sidecarWithin },
    versions: rest.versions === 'latest' ? 'latest' : undefined,
    announce: rest.announce ?? isAnnounced,
  };
}

/** The fields that say which scanner a dataset is for: a rule that gives one means it. */
const scannerFields = ['scannerId', 'scannerPackageId'] as const;

function lockedFields(rule: ReadDatasetRule): readonly DatasetField[] {
  const { locked = scannerFields.filter((field) => rule[field] !== undefined) } = rule;
  return locked === true ? datasetFields : locked;
}
