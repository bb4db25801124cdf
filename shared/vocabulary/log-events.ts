/** The name of every log line: the sentence beside it is for people, the name is for queries. */
export const logEvents = {
  /** One per accepted message: its outcome, key and reason. */
  outcome: 'outcome',
  /** A message whose outcome is in the ledger already came again: its follow-ups were repeated. */
  repeated: 'repeated',
  /** A configured run has few unused ids left. */
  bindingRunningLow: 'binding_running_low',
  /** A record goes back to its queue, with the delay and why. */
  recordLater: 'record_later',
  /** The gateway answered a dataset's id; written before the ledger is, so that the id survives a failing ledger. */
  datasetCreated: 'dataset_created',
  /** A file passed its check. */
  datasetChecked: 'dataset_checked',
  /** A gateway request ended, well or badly; no bodies, no secrets. */
  gatewayRequest: 'gateway_request',
  /** An outcome event went to the bus. */
  eventPublished: 'event_published',
  /** A command went to the commands queue. */
  commandSent: 'command_sent',
  /** A walk over the scanner packages ended: pages, packages, changes. */
  packagesWalked: 'packages_walked',
  /** A first walk or a changed filter: fingerprints written, nothing reported. */
  packagesBaseline: 'packages_baseline',
  /** A change set was opened, extended or closed. */
  changeSet: 'change_set',
  /** The time left would not do for another record. */
  deadlineNear: 'deadline_near',
  /** The empty event: every dependency answered, or which did not. */
  smoke: 'smoke',
  /** An error that the wrapper reports. */
  failed: 'failed',
} as const;

/** One of the names above. */
export type LogEvent = (typeof logEvents)[keyof typeof logEvents];
