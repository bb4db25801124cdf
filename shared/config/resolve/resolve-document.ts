import { isLoopback } from '../../gateway-client/transport/base-url.ts';
import { isoDuration, parseDuration } from '../../schedule/duration.ts';
import type {
  AutomationDocument,
  CampaignDocument,
  DatasetRuleDocument,
  GatewayDocument,
  PackageWatchDocument,
  ProjectWatchDocument,
  RunDocument,
  ScheduleDocument,
} from '../automation.ts';
import { readCaBundle, type ReadText } from '../ca-bundle.ts';
import { checkBaseUrl } from '../check-base-url.ts';
import { resolveBlackout } from './resolve-blackouts.ts';
import type {
  ResolvedAutomation,
  ResolvedDatasetRule,
  ResolvedGateway,
  ResolvedGuards,
  ResolvedPackageWatch,
  ResolvedProjectWatch,
  ResolvedRun,
  ResolvedSchedule,
} from './resolved-automation.ts';

const defaultRequestsPerSecond = { datasets: 4, runs: 0.5, reads: 2 } as const;
const defaultValidFor = '1 hour';
const defaultSettle = '10 minutes';
const defaultConfirmWithin = '30 minutes';
const defaultSidecarWithin = '15 minutes';

/** Applies the defaults to a document that was found right, and writes durations in ISO 8601. */
export function resolveDocument(
  stage: string,
  document: AutomationDocument,
  { isLocalStage, readText }: { readonly isLocalStage: boolean; readonly readText?: ReadText },
): ResolvedAutomation {
  const { campaigns, schedules = [], blackouts = [], scannerPackages = [], projects = [], datasets = [] } = document;
  const runs = Object.entries(campaigns).flatMap(([campaignName, campaign]) =>
    Object.entries(campaign.runs).map(([name, run]) => resolveRun(name, run, campaignName, campaign)),
  );
  return {
    stage,
    mode: document.mode ?? 'act',
    timezone: document.timezone,
    gateway: resolveGateway(document.gateway, readText),
    runs: Object.fromEntries(runs.map((run) => [run.name, run])),
    schedules: schedules.map((schedule) => resolveSchedule(schedule, document.timezone)),
    blackouts: blackouts.map((blackout) => resolveBlackout(blackout, document.timezone)),
    packageWatches: scannerPackages.map(resolvePackageWatch),
    projectWatches: projects.map(resolveProjectWatch),
    datasetRules: datasets.map(resolveDatasetRule).toSorted((a, b) => b.prefix.length - a.prefix.length),
    runPlans: { allowAnyRun: document.runPlans?.allowAnyRun ?? false },
    notify: { emails: [...new Set(document.notify?.emails)] },
    // An account's rules say nothing to one machine.
    deployment: isLocalStage ? {} : definedOf(document.deployment ?? {}),
  };
}

function resolveGateway(gateway: GatewayDocument, readText: ReadText | undefined): ResolvedGateway {
  // Whether loopback is allowed here was decided by the schema.
  const baseUrl = checkBaseUrl(gateway.baseUrl, { isLocalStage: true });
  if (!baseUrl.ok) throw new Error(`gateway.baseUrl ${baseUrl.problem}`);
  const caBundle = gateway.caBundle === undefined ? undefined : readCaBundle(gateway.caBundle, readText);
  if (caBundle?.ok === false) throw new Error(`gateway.caBundle ${caBundle.problem}`);
  return definedOf({
    baseUrl: baseUrl.value,
    caBundle: caBundle?.value.pem,
    // Its CONNECT would reach the proxy's own machine.
    proxy: isLoopback(new URL(baseUrl.value).hostname) ? undefined : gateway.proxy,
    status: gateway.status,
    requestsPerSecond: { ...defaultRequestsPerSecond, ...definedOf(gateway.requestsPerSecond ?? {}) },
    alreadyInState: gateway.alreadyInState ?? [],
    startsRepeatSafely: gateway.startsRepeatSafely ?? false,
    postMayRepeatOn: gateway.postMayRepeatOn ?? [],
    scannerVersionsAs: gateway.scannerVersionsAs,
  });
}

function resolveRun(name: string, run: RunDocument, campaignName: string, campaign: CampaignDocument): ResolvedRun {
  if ((run.stopAfter ?? campaign.longestRun) === undefined) {
    throw new Error(`run ${name} has neither stopAfter nor longestRun`);
  }
  return definedOf({
    name,
    campaign: campaignName,
    campaignId: campaign.campaignId?.toLowerCase(),
    pool:
      run.campaignRunId === undefined
        ? { kind: 'list' as const, campaignRunIds: (run.campaignRunIds ?? []).map((id) => id.toLowerCase()) }
        : { kind: 'repeat' as const, campaignRunId: run.campaignRunId.toLowerCase() },
    stopAfter: isoIfSet(run.stopAfter),
    guards: resolveGuards(campaignName, campaign),
    project: campaign.project,
    confirm:
      campaign.confirm === undefined
        ? undefined
        : { by: campaign.confirm, within: iso(campaign.confirmWithin ?? defaultConfirmWithin) },
    nameTemplate: run.name,
  });
}

function resolveGuards(campaignName: string, campaign: CampaignDocument): ResolvedGuards {
  return definedOf({
    target: campaign.target ?? campaignName,
    overlap: campaign.overlap ?? 'skip',
    longestRun: isoIfSet(campaign.longestRun),
    minimumGap: isoIfSet(campaign.minimumGap),
    startsPerMonth: campaign.startsPerMonth,
  });
}

function resolveSchedule(schedule: ScheduleDocument, timezone: string): ResolvedSchedule {
  const { start, stop } = schedule;
  const run = start ?? stop;
  if (run === undefined) throw new Error(`schedule ${schedule.name} names no run`);
  return definedOf({
    name: schedule.name,
    action: start === undefined ? ('stop' as const) : ('start' as const),
    run,
    expression: schedule.at.trim(),
    timezone: schedule.timezone ?? timezone,
    validFor: start === undefined ? undefined : iso(schedule.validFor ?? defaultValidFor),
    startDelay: schedule.startDelay === undefined ? undefined : iso(schedule.startDelay),
    startDate: schedule.startDate === undefined ? undefined : new Date(schedule.startDate).toISOString(),
    enabled: schedule.enabled ?? true,
  });
}

function resolvePackageWatch(watch: PackageWatchDocument): ResolvedPackageWatch {
  const { name, every, filters = {}, onChange = [], settle = defaultSettle } = watch;
  return definedOf({
    name,
    every: iso(every),
    expression: rateExpression(every),
    filters,
    onChange: onChange.map(({ match, start }) => ({ match: definedOf(match), start })),
    settle: settle === 'none' ? undefined : iso(settle),
  });
}

function resolveProjectWatch(watch: ProjectWatchDocument): ResolvedProjectWatch {
  const { project, name = project, every, onChange = [], endpoints } = watch;
  return definedOf({
    name,
    project,
    expression: rateExpression(every),
    onChange: onChange.map(({ match, start }) => ({ match: definedOf(match), start })),
    endpoints: endpoints === undefined ? undefined : definedOf(endpoints),
  });
}

function resolveDatasetRule(rule: DatasetRuleDocument): ResolvedDatasetRule {
  return definedOf({
    prefix: rule.prefix,
    fileId: rule.fileId,
    name: rule.name ?? '{stem}',
    scannerId: rule.scannerId,
    scannerPackageId: rule.scannerPackageId,
    scannerVersions: rule.scannerVersions,
    sidecar: rule.sidecar === undefined ? undefined : { within: iso(rule.sidecarWithin ?? defaultSidecarWithin) },
    versions: rule.versions === 'latest' ? ('latest' as const) : undefined,
    check: rule.check ?? 'none',
    thenStart: rule.thenStart,
    announce: rule.announce ?? false,
    since: rule.since === undefined ? undefined : new Date(rule.since).toISOString(),
  });
}

/** `rate(15 minutes)`, `rate(1 hour)`: in the largest unit that divides it, singular where AWS wants it. */
function rateExpression(every: string): string {
  const minutes = millisecondsOf(every) / 60_000;
  const [count, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `rate(${count} ${unit}${count === 1 ? '' : 's'})`;
}

function iso(text: string): string {
  return isoDuration(millisecondsOf(text));
}

function isoIfSet(text: string | undefined): string | undefined {
  return text === undefined ? undefined : iso(text);
}

function millisecondsOf(text: string): number {
  const read = parseDuration(text);
  if (!read.ok) throw new Error(read.problem);
  return read.value.milliseconds;
}

/** Drops keys without a value: the document is JSON, and JSON has no `undefined`. */
function definedOf<Item extends object>(item: Item): Item {
  return Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined)) as Item;
}
