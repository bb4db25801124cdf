/** The name of every log line: the sentence beside it is for people, the name is for queries. */
export const logEvents = {
  /** One per accepted message; of an upload that was registered, `datasetCreated` is the line. */
  outcome: 'outcome',
  /** A message whose outcome is in the ledger already came again: its follow-ups were repeated. */
  repeated: 'repeated',
  /** A command has fields that this version does not know, as those of a newer version have. */
  fieldsIgnored: 'fields_ignored',
  bindingRunningLow: 'binding_running_low',
  recordLater: 'record_later',
  /** The gateway answered a dataset's id: written before the ledger is, which may fail. */
  datasetCreated: 'dataset_created',
  /** A gateway request ended, well or badly; no bodies, no secrets. */
  gatewayRequest: 'gateway_request',
  eventPublished: 'event_published',
  commandSent: 'command_sent',
  startDeferred: 'start_deferred',
  /** A run counts as in flight no longer: its time has ended, and no stop settled it. */
  runCountedOut: 'run_counted_out',
  /** The gateway says that a run has ended: it counts as in flight no longer. */
  runEnded: 'run_ended',
  /** A run could not be read; it counts as in flight until a later tick reads it. */
  runUnread: 'run_unread',
  /** A run counts as running again: the stop that ordered its end has its outcome and did not settle it. */
  runReleased: 'run_released',
  /** A run was asked of the gateway ahead, and what came back. */
  poolAsked: 'pool_asked',
  /** A run that was made ahead is not wanted any more. */
  poolRunCancelled: 'pool_run_cancelled',
  startConfirmed: 'start_confirmed',
  /** The time for the sign of a start is over, and the campaign does not show it. */
  startUnconfirmed: 'start_unconfirmed',
  calendarUnread: 'calendar_unread',
  campaignHeld: 'campaign_held',
  campaignReleased: 'campaign_released',
  campaignUnread: 'campaign_unread',
  packagesWalked: 'packages_walked',
  /** A first walk or a changed filter: fingerprints written, nothing reported. */
  packagesBaseline: 'packages_baseline',
  changeSet: 'change_set',
  /** Another look of the same watch was first; this one does not count. */
  lookOvertaken: 'look_overtaken',
  /** A look at a project's configuration ended: what changed, or that it was the first. */
  projectLooked: 'project_looked',
  /** A read of an earlier configuration failed; what it would have added is left out. */
  configAtUnread: 'config_at_unread',
  /** A run was in flight while the configuration of its project changed. */
  runNotComparable: 'run_not_comparable',
  endpointsRead: 'endpoints_read',
  /** The gateway asked for a pause: all workers wait until its end. */
  gatePaused: 'gate_paused',
  /** No worker calls the gateway until a probe succeeds; also each probe that did not. */
  gateClosed: 'gate_closed',
  gateOpened: 'gate_opened',
  /** The gate's row could not be written; this environment obeys all the same. */
  gateUnwritten: 'gate_unwritten',
  /** The gateway refuses the token, or there is none that can be sent. */
  authRefused: 'auth_refused',
  /** The token expires soon, by the date beside it in its secret. */
  tokenExpires: 'token_expires',
  /** A walk over a listing was cut off, and nothing was concluded from it. */
  walkCut: 'walk_cut',
  /** The reconciler found an upload without a notification, and sent its message. */
  uploadFound: 'upload_found',
  /** The reconciler sent the message of an upload again that was silent for too long. */
  uploadAskedAgain: 'upload_asked_again',
  scheduleSilent: 'schedule_silent',
  /** A tick of the reconciler ended: versions, finds, rows. */
  ledgerReconciled: 'ledger_reconciled',
  deadlineNear: 'deadline_near',
  /** The empty event: every dependency answered, or which did not. */
  smoke: 'smoke',
  failed: 'failed',
} as const;

/** One of the names above. */
export type LogEvent = (typeof logEvents)[keyof typeof logEvents];
