import { type DatasetField, datasetFields, defaultStopWord } from '../names.ts';
import { isLoopback } from '../../net/loopback.ts';
import { durationMs } from '../../schedule/duration.ts';
import type {
  AutomationDocument,
  CampaignDocument,
  GatewayDocument,
  PackageWatchDocument,
  ProjectWatchDocument,
  RunDocument,
  ScheduleDocument,
} from '../automation.ts';
import type { DatasetRuleDocument } from '../dataset-rule-document.ts';
import { checkBaseUrl, readCaBundle, type ReadText } from '../check-base-url.ts';
import type {
  ResolvedAutomation,
  ResolvedDatasetRule,
  ResolvedGateway,
  ResolvedPackageWatch,
  ResolvedProjectWatch,
  ResolvedRun,
  ResolvedSchedule,
  RunPool,
} from './resolved-automation.ts';
import { readyFor } from './keep-ready.ts';
import { resolveBlackout } from './resolve-blackout.ts';

const defaultStartLead = 'PT1M';
const defaultRequestsPerSecond = { datasets: 4, runs: 0.5, reads: 2 } as const;
const defaultValidFor = 'PT1H';
const defaultMissedWithin = 'PT12H';
const defaultSettle = 'PT10M';
const defaultConfirmWithin = 'PT30M';
const defaultSidecarWithin = 'PT15M';
/** Two weeks of nights: time to make new runs at the gateway. */
const defaultRunIdsLow = 14;

/**
 * Applies the defaults to a document as its schema read it, with durations in ISO 8601. Each
 * section is passed whole, so a new setting cannot be left out.
 */
export function resolveDocument(
  stage: string,
  document: AutomationDocument,
  options: { readonly isLocalStage: boolean; readonly readText?: ReadText; readonly now: Date },
): ResolvedAutomation {
  const { isLocalStage, readText, now } = options;
  const { campaigns, schedules: written, blackouts, scannerPackages, projects, datasets, ...rest } = document;
  const schedules = (written ?? []).map((schedule) => resolveSchedule(schedule, document.timezone));
  const runs = Object.entries(campaigns).flatMap(([campaignName, campaign]) =>
    Object.entries(campaign.runs).map(([name, run]) => {
      const pool = resolvePool(name, run, campaign, () => readyFor(name, schedules, now));
      const isMade = document.gateway.makesRuns === true;
      return { ...resolveRun(name, run, campaignName, campaign), ...definedOf({ pool: isMade ? pool : undefined }) };
    }),
  );
  return {
    mode: 'act',
    ...definedOf(rest),
    stage,
    gateway: resolveGateway(document.gateway, readText),
    runs: Object.fromEntries(runs.map((run) => [run.name, run])),
    schedules,
    blackouts: (blackouts ?? []).flatMap((blackout) =>
      resolveBlackout(blackout, { timezone: document.timezone, readText, now }),
    ),
    packageWatches: (scannerPackages ?? []).map(resolvePackageWatch),
    projectWatches: (projects ?? []).map(resolveProjectWatch),
    datasetRules: (datasets ?? [])
      .map((rule) =>
        resolveDatasetRule({ announce: document.notify?.also?.includes('registered'), ...definedOf(rule) }),
      )
      .toSorted((a, b) => b.prefix.length - a.prefix.length),
    notify: {
      webhooks: [],
      silentAfter: 1,
      silentAlso: [],
      runIdsLow: defaultRunIdsLow,
      also: [],
      ...definedOf(document.notify ?? {}),
      emails: [...new Set(document.notify?.emails)],
    },
    // An account's rules say nothing to one machine.
    deployment: isLocalStage ? {} : definedOf(document.deployment ?? {}),
  };
}

/** The client sends an array by default. */
function sentAs({ scannerVersionsAs }: GatewayDocument): ResolvedGateway['scannerVersionsAs'] {
  return scannerVersionsAs === 'array' ? undefined : scannerVersionsAs;
}

function resolveGateway(gateway: GatewayDocument, readText: ReadText | undefined): ResolvedGateway {
  // The schema decided already if loopback is allowed here.
  const baseUrl = checkBaseUrl(gateway.baseUrl, { isLocalStage: true });
  if (!baseUrl.ok) throw new Error(`gateway.baseUrl ${baseUrl.problem}`);
  const caBundle = gateway.caBundle === undefined ? undefined : readCaBundle(gateway.caBundle, readText);
  if (caBundle?.ok === false) throw new Error(`gateway.caBundle ${caBundle.problem}`);
  return definedOf({
    startLead: defaultStartLead,
    postMayRepeatOn: [],
    ...definedOf(gateway),
    baseUrl: baseUrl.value,
    caBundle: caBundle?.value.pem,
    scannerVersionsAs: sentAs(gateway),
    // Its CONNECT would reach the proxy's own machine.
    proxy: isLoopback(new URL(baseUrl.value).hostname) ? undefined : gateway.proxy,
    status: { stop: defaultStopWord, ...definedOf(gateway.status ?? {}) },
    alreadyInState: { start: [], stop: [], ...definedOf(gateway.alreadyInState ?? {}) },
    // Without a word a start moves `startAt`, and a run begins once.
    startsRepeatSafely: gateway.status?.start === undefined || gateway.startsRepeatSafely === true,
    requestsPerSecond: { ...defaultRequestsPerSecond, ...definedOf(gateway.requestsPerSecond ?? {}) },
  });
}

function resolveRun(
  name: string,
  { campaignRunIds = [], name: nameTemplate, providerIds: _made, keepReady: _ready, ...rest }: RunDocument,
  campaignName: string,
  campaign: CampaignDocument,
): ResolvedRun {
  // What a campaign says beside its place at the gateway is for its guards.
  const { runs: _runs, campaignId, project, confirm = campaignId !== undefined, ...others } = campaign;
  const { confirmWithin: within = defaultConfirmWithin, ...guards } = others;
  if ((rest.stopAfter ?? guards.longestRun) === undefined) {
    throw new Error(`run ${name} has neither stopAfter nor longestRun`);
  }
  return definedOf({
    ...rest,
    name,
    campaign: campaignName,
    campaignId: campaignId?.toLowerCase(),
    project,
    campaignRunIds: campaignRunIds.map((id) => id.toLowerCase()),
    guards: { target: campaignName, overlap: 'skip' as const, ...definedOf(guards) },
    confirm: confirm ? { within } : undefined,
    nameTemplate,
  });
}

function resolvePool(
  run: string,
  { providerIds, keepReady }: RunDocument,
  { campaignId }: CampaignDocument,
  usual: () => number,
): RunPool | undefined {
  if (providerIds === undefined || campaignId === undefined) return undefined;
  const ids = [...new Set(providerIds.map((id) => id.toLowerCase()))].toSorted();
  return { run, campaignId: campaignId.toLowerCase(), providerIds: ids, keepReady: keepReady ?? usual() };
}

function resolveSchedule({ start, stop, at, missed, ...rest }: ScheduleDocument, timezone: string): ResolvedSchedule {
  const run = start ?? stop;
  if (run === undefined) throw new Error(`schedule ${rest.name} names no run`);
  return definedOf({
    enabled: true,
    timezone,
    ...definedOf(rest),
    action: start === undefined ? ('stop' as const) : ('start' as const),
    run,
    expression: at.trim(),
    validFor: start === undefined ? undefined : (rest.validFor ?? defaultValidFor),
    missedWithin: missed === undefined ? undefined : (rest.missedWithin ?? defaultMissedWithin),
    startDate: rest.startDate === undefined ? undefined : new Date(rest.startDate).toISOString(),
  });
}

function resolvePackageWatch(watch: PackageWatchDocument): ResolvedPackageWatch {
  const { every, onChange = [], settle = defaultSettle } = watch;
  return definedOf({
    filters: {},
    ...definedOf(watch),
    expression: rateExpression(every),
    onChange: onChange.map((rule) => ({ ...rule, match: definedOf(rule.match) })),
    settle: settle === 'none' ? undefined : settle,
  });
}

function resolveProjectWatch({ every, onChange = [], ...rest }: ProjectWatchDocument): ResolvedProjectWatch {
  return definedOf({
    name: rest.project,
    ...definedOf(rest),
    expression: rateExpression(every),
    onChange: onChange.map((rule) => ({ ...rule, match: definedOf(rule.match) })),
    endpoints: rest.endpoints === undefined ? undefined : definedOf(rest.endpoints),
  });
}

const defaultMaxBytes = 10_000_000;

/** Names of the files that a check reads, and of those that a conversion reads beside them. */
const tableNames = ['.csv', '.tsv', '.txt'];
const convertedNames = ['.json', '.jsonl', '.ndjson', '.xlsx'];

function resolveDatasetRule({ sidecarWithin, send, maxBytes, ...document }: DatasetRuleDocument): ResolvedDatasetRule {
  const { convert, promptColumn, labelColumn, labels, label, encoding, sheet, ...rest } = document;
  const file = send === 'file' ? { maxBytes: maxBytes ?? defaultMaxBytes } : undefined;
  return definedOf({
    name: '{stem}',
    check: 'none' as const,
    announce: false,
    only: rest.check === 'prompt-label-csv' ? [...tableNames, ...(convert === true ? convertedNames : [])] : undefined,
    ...definedOf(rest),
    convert: convert === true ? definedOf({ promptColumn, labelColumn, labels, label, encoding, sheet }) : undefined,
    locked: [...new Set([...lockedFields(rest), ...(file === undefined ? [] : ['fileId' as const])])],
    file,
    sidecar: rest.sidecar === undefined ? undefined : { within: sidecarWithin ?? defaultSidecarWithin },
    versions: rest.versions === 'latest' ? ('latest' as const) : undefined,
    since: rest.since === undefined ? undefined : new Date(rest.since).toISOString(),
  });
}

/** The fields that say which scanner a dataset is for: a rule that gives one means it. */
const scannerFields = ['scannerId', 'scannerPackageId'] as const;

function lockedFields(rule: DatasetRuleDocument): readonly DatasetField[] {
  const { locked = scannerFields.filter((field) => rule[field] !== undefined) } = rule;
  return locked === true ? datasetFields : locked;
}

/**
 * `rate(15 minutes)`, `rate(1 hour)`: in the largest unit that divides it, singular where AWS wants
 * it.
 */
function rateExpression(every: string): string {
  const minutes = (durationMs(every) ?? 0) / 60_000;
  const [count, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `rate(${count} ${unit}${count === 1 ? '' : 's'})`;
}

/** Drops keys without a value: the document is JSON, and JSON has no `undefined`. */
function definedOf<Item extends object>(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as Item;
}
