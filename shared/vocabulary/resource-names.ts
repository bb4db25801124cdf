/** The deployed functions: each is a folder under `functions/` with a `handler.ts`. */
export const functionNames = [
  'poll-scanner-packages',
  'update-campaign-runs',
  'register-datasets',
  'park-dead-letters',
  'reconcile-ledger',
  'watch-campaigns',
  'watch-projects',
  'answer-questions',
] as const;

/** One of the deployed functions. */
export type FunctionName = (typeof functionNames)[number];

/**
 * What a function is called in AWS: fixed, since policies name functions of a stack that may come
 * later.
 */
export function deployedFunctionName(stage: string, name: FunctionName): string {
  return `gateway-autopilot-${stage}-${name}`;
}

/** Below it people put files that become datasets. */
export const datasetsPrefix = 'datasets/';

/** The source of every event that we put on the outcome bus. */
export const eventSource = 'gateway-autopilot';

/**
 * The `detail-type` of each event on the outcome bus; each detail carries an `eventId` to
 * deduplicate by.
 */
export const eventTypes = {
  campaignRunStarted: 'CampaignRunStarted',
  campaignRunStopped: 'CampaignRunStopped',
  campaignRunEnded: 'CampaignRunEnded',
  campaignRunFailed: 'CampaignRunFailed',
  campaignRunScoreLow: 'CampaignRunScoreLow',
  campaignRunStartSkipped: 'CampaignRunStartSkipped',
  workParked: 'WorkParked',
  datasetRegistered: 'DatasetRegistered',
  scannerPackagesChanged: 'ScannerPackagesChanged',
  projectChanged: 'ProjectChanged',
  campaignRunNotComparable: 'CampaignRunNotComparable',
  endpointsStillInUse: 'EndpointsStillInUse',
  campaignStartUnconfirmed: 'CampaignStartUnconfirmed',
  runPoolNotFilled: 'RunPoolNotFilled',
  scheduleSilent: 'ScheduleSilent',
  startsHeldBack: 'StartsHeldBack',
  linkTested: 'LinkTested',
} as const;

/** One of the types above. */
export type EventType = (typeof eventTypes)[keyof typeof eventTypes];
