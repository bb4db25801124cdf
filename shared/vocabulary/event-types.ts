/** The source of every event that we put on the outcome bus. */
export const eventSource = 'gateway-autopilot';

/** The `detail-type` of each event on the outcome bus; shared/messages/outcome-events.ts has the schemas. Each detail carries an `eventId` to deduplicate by. */
export const eventTypes = {
  campaignRunStarted: 'CampaignRunStarted',
  campaignRunStopped: 'CampaignRunStopped',
  campaignRunStartSkipped: 'CampaignRunStartSkipped',
  workParked: 'WorkParked',
  datasetRegistered: 'DatasetRegistered',
  scannerPackagesChanged: 'ScannerPackagesChanged',
  projectChanged: 'ProjectChanged',
  campaignRunNotComparable: 'CampaignRunNotComparable',
  endpointsStillInUse: 'EndpointsStillInUse',
  campaignStartUnconfirmed: 'CampaignStartUnconfirmed',
  campaignStartedElsewhere: 'CampaignStartedElsewhere',
  scheduleSilent: 'ScheduleSilent',
  startsHeldBack: 'StartsHeldBack',
  linkTested: 'LinkTested',
} as const;

/** One of the types above. */
export type EventType = (typeof eventTypes)[keyof typeof eventTypes];
