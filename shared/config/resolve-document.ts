import { isoDuration, parseDuration } from '../schedule/duration.ts';
import type {
  AutomationDocument,
  CampaignDocument,
  DatasetRuleDocument,
  GatewayDocument,
  PackageWatchDocument,
  RunDocument,
  ScheduleDocument,
} from './automation.ts';
import { checkBaseUrl } from './check-base-url.ts';
import type {
  ResolvedAutomation,
  ResolvedDatasetRule,
  ResolvedGateway,
  ResolvedPackageWatch,
  ResolvedRun,
  ResolvedSchedule,
} from './resolved-automation.ts';

const defaultRequestsPerSecond = { datasets: 4, runs: 0.5, reads: 2 } as const;
const defaultValidFor = '1 hour';

/** Applies the defaults to a document that was found right, and writes durations in ISO 8601. */
export function resolveDocument(stage: string, document: AutomationDocument): ResolvedAutomation {
  const { campaigns, schedules = [], scannerPackages = [], datasets = [], runPlans } = document;
  const runs = Object.entries(campaigns).flatMap(([campaignName, campaign]) =>
    Object.entries(campaign.runs).map(([name, run]) => resolveRun(name, run, campaignName, campaign)),
  );
  return {
    stage,
    timezone: document.timezone,
    gateway: resolveGateway(document.gateway),
    runs: Object.fromEntries(runs.map((run) => [run.name, run])),
    schedules: schedules.map((schedule) => resolveSchedule(schedule, document.timezone)),
    packageWatches: scannerPackages.map(resolvePackageWatch),
    datasetRules: datasets.map(resolveDatasetRule).toSorted((a, b) => b.prefix.length - a.prefix.length),
    runPlans: { allowAnyRun: runPlans?.allowAnyRun ?? false },
  };
}

function resolveGateway(gateway: GatewayDocument): ResolvedGateway {
  // Whether loopback is allowed here was decided by the schema.
  const baseUrl = checkBaseUrl(gateway.baseUrl, { isLocalStage: true });
  if (!baseUrl.ok) throw new Error(`gateway.baseUrl ${baseUrl.problem}`);
  return {
    baseUrl: baseUrl.value,
    status: gateway.status,
    requestsPerSecond: { ...defaultRequestsPerSecond, ...definedOf(gateway.requestsPerSecond ?? {}) },
    alreadyInState: gateway.alreadyInState ?? [],
  };
}

function resolveRun(name: string, run: RunDocument, campaignName: string, campaign: CampaignDocument): ResolvedRun {
  const inFlightFor = run.stopAfter ?? campaign.longestRun;
  if (inFlightFor === undefined) throw new Error(`run ${name} has neither stopAfter nor longestRun`);
  return definedOf({
    name,
    campaign: campaignName,
    campaignId: campaign.campaignId?.toLowerCase(),
    binding:
      run.campaignRunId === undefined
        ? { kind: 'list' as const, campaignRunIds: (run.campaignRunIds ?? []).map((id) => id.toLowerCase()) }
        : { kind: 'repeat' as const, campaignRunId: run.campaignRunId.toLowerCase() },
    stopAfter: run.stopAfter === undefined ? undefined : iso(run.stopAfter),
    inFlightFor: iso(inFlightFor),
    overlap: campaign.overlap ?? 'skip',
    guardName: campaign.target ?? campaignName,
    nameTemplate: run.name,
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

function resolvePackageWatch({ name, every, filters = {}, onChange = [] }: PackageWatchDocument): ResolvedPackageWatch {
  const milliseconds = millisecondsOf(every);
  return {
    name,
    every: isoDuration(milliseconds),
    expression: rateExpression(milliseconds / 60_000),
    filters,
    onChange: onChange.map(({ match, start }) => ({ match: definedOf(match), start })),
  };
}

function resolveDatasetRule(rule: DatasetRuleDocument): ResolvedDatasetRule {
  return definedOf({
    prefix: rule.prefix,
    fileId: rule.fileId,
    name: rule.name ?? '{stem}',
    scannerId: rule.scannerId,
    scannerPackageId: rule.scannerPackageId,
    scannerVersions: rule.scannerVersions,
    check: rule.check ?? 'none',
    thenStart: rule.thenStart,
    announce: rule.announce ?? false,
  });
}

/** `rate(15 minutes)`, `rate(1 hour)`: in the largest unit that divides it, singular where AWS wants it. */
function rateExpression(minutes: number): string {
  const [count, unit] =
    minutes % 1440 === 0 ? [minutes / 1440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute'];
  return `rate(${count} ${unit}${count === 1 ? '' : 's'})`;
}

function iso(text: string): string {
  return isoDuration(millisecondsOf(text));
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
