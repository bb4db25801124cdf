/**
 * Why something was parked or skipped. The codes are stable: the ledger, the events, the runbook and the operator's commands name them.
 * Each parked code carries its next step, so that a parked row can be acted on without reading code.
 */

/** What a person may decide about a parked row: `autopilot parked resolve --applied | --repeat | --dismiss`. */
export type ParkDecision = 'applied' | 'repeat' | 'dismiss';

/** What a parked code says; docs/runbook.md has a heading for each. */
export interface ParkReasonFacts {
  /** What is known. */
  readonly meaning: string;
  /** What cannot be known from here. @default nothing: no effect was made at the gateway */
  readonly notKnown?: string;
  readonly nextStep: string;
  /** What the next step ends with, the likeliest first. */
  readonly decisions: readonly ParkDecision[];
  /** A repeat may make a second effect at the gateway: a person has to have looked there, row by row. @default false */
  readonly mayDouble?: boolean;
}

/** What each parked code means and what a person does next. */
export const parkReasons = {
  POST_OUTCOME_UNKNOWN: {
    meaning: 'the dataset was sent and no answer came: it may or may not exist at the gateway',
    notKnown: 'whether the gateway made the dataset',
    nextStep:
      'Look for the dataset at the gateway by its name. If it is there: resolve --applied DATASET-ID. If it is not: resolve --repeat.',
    decisions: ['applied', 'repeat'],
    mayDouble: true,
  },
  APPLIED_ID_UNKNOWN: {
    meaning: 'the gateway accepted the dataset but its answer held no readable id',
    notKnown: 'the id that the gateway gave the dataset',
    nextStep: 'Look up the id at the gateway and resolve --applied DATASET-ID. Never repeat it.',
    decisions: ['applied'],
    mayDouble: true,
  },
  VALIDATION: {
    meaning: 'the gateway refused the request for good',
    nextStep:
      'Read what the gateway says. Correct the configuration, deploy and resolve --repeat, or upload again with the right metadata and resolve --dismiss. Of a stop either gateway.status.stop is the wrong word, or the run has ended and these words belong into gateway.alreadyInState.stop.',
    decisions: ['repeat', 'dismiss'],
  },
  CHECK_FAILED: {
    meaning: 'the file did not pass the check of its rule; nothing was sent',
    nextStep:
      'Correct the file and upload it again under the same key, then resolve --dismiss --superseded. If the file is not wanted: resolve --dismiss.',
    decisions: ['dismiss'],
  },
  FORBIDDEN: {
    meaning: 'the gateway refused the token this operation (403)',
    nextStep: 'Give the token the permission that the text names, then resolve --repeat.',
    decisions: ['repeat'],
  },
  RUN_NOT_FOUND: {
    meaning: 'the gateway does not know this campaign run',
    nextStep: 'Check the run id in the configuration or bind another, then resolve --repeat.',
    decisions: ['repeat'],
  },
  CONFLICT: {
    meaning: 'the gateway refused the change because of the state of the run',
    nextStep:
      'Look at the run at the gateway. If it is as wanted: resolve --dismiss, and add the text to gateway.alreadyInState. If not: put it right and resolve --repeat.',
    decisions: ['dismiss', 'repeat'],
  },
  DUPLICATE_SUSPECTED: {
    meaning: 'the gateway says that this dataset exists already',
    notKnown: 'whether the dataset that is there is this one',
    nextStep: 'Compare it at the gateway and resolve --applied DATASET-ID, or resolve --repeat.',
    decisions: ['applied', 'repeat'],
    mayDouble: true,
  },
  EDGE_REFUSED: {
    meaning: 'something before the gateway refused this request three times within an hour, for its form or size',
    nextStep:
      'Ask the people of the firewall or proxy before the gateway which rule refuses it. Once they let it through: resolve --repeat. If it is too large: split the file, upload the parts and resolve --dismiss.',
    decisions: ['repeat', 'dismiss'],
  },
  BAD_MESSAGE: {
    meaning: 'the message is not one that this queue takes',
    nextStep: 'Find who sent it by the kept message, and have it corrected and sent again. Then resolve --dismiss.',
    decisions: ['dismiss'],
  },
  BAD_KEY: {
    meaning: 'the object key in the event cannot be decoded',
    nextStep: 'Upload the object again under a plain key. Then resolve --dismiss this one.',
    decisions: ['dismiss'],
  },
  FOREIGN_EVENT: {
    meaning: 'the event is about a bucket or a prefix that is not ours; nothing was read',
    nextStep: 'Find out who may send to this queue. Then resolve --dismiss.',
    decisions: ['dismiss'],
  },
  OBJECT_GONE: {
    meaning: 'this version of the object was deleted before it could be read',
    nextStep: 'Upload it again if it is still wanted. Then resolve --dismiss.',
    decisions: ['dismiss'],
  },
  OBJECT_REFUSED: {
    meaning: 'S3 does not give the object out, and no repeat changes that; nothing was sent',
    nextStep:
      'Do what the detail says, such as restore the archived object or enable its key, then resolve --repeat. Or upload the file again and resolve --dismiss.',
    decisions: ['repeat', 'dismiss'],
  },
  OBJECT_TOO_LARGE: {
    meaning: 'the object is larger than its rule, the check or the gateway takes',
    nextStep: 'Split the file and upload the parts. Then resolve --dismiss this one.',
    decisions: ['dismiss'],
  },
  FILE_ID_MISSING: {
    meaning: 'the rule sends a fileId, and there is none: no metadata, no template in the rule',
    nextStep:
      "Let the rule send the file itself (send: 'file') or give it a fileId template, deploy and resolve --repeat. Or upload again with --file-id (x-amz-meta-file-id) and resolve --dismiss.",
    decisions: ['repeat', 'dismiss'],
  },
  SIDECAR_MISSING: {
    meaning: 'the rule wants a sidecar beside the upload, and none came in its time; nothing was sent',
    nextStep:
      'Put the file KEY.dataset.json beside the upload and resolve --repeat. If it was uploaded by mistake: resolve --dismiss.',
    decisions: ['repeat', 'dismiss'],
  },
  BAD_SIDECAR: {
    meaning: 'the sidecar of the upload cannot be used; nothing was sent',
    nextStep: 'Correct the sidecar as the detail says, put it there again and resolve --repeat.',
    decisions: ['repeat'],
  },
  NO_RUN_LEFT: {
    meaning: 'every campaign run id bound to this run has been used',
    nextStep:
      'Create runs at the gateway (examples/fill-pool.mjs does) and add them by autopilot bind RUN ID…; then resolve --repeat.',
    decisions: ['repeat'],
  },
  START_OUTCOME_UNKNOWN: {
    meaning: 'the start was sent, no answer came in a day, and its run counts as in flight; its stop stays armed',
    notKnown: 'whether the run was started',
    nextStep:
      'Look at the run at the gateway. If it runs: resolve --dismiss, and its stop stays armed. If it does not: resolve --repeat, which uses another id.',
    decisions: ['repeat', 'dismiss'],
    mayDouble: true,
  },
  WORKER_DIED: {
    meaning: 'the queue gave the message up after too many deliveries',
    notKnown: 'how far its work came; the rows of what it was about remember, so a repeat does nothing twice',
    nextStep: 'Read the log of the worker, then resolve --repeat.',
    decisions: ['repeat'],
  },
  CRASH_LOOP: {
    meaning: 'three attempts started and never ended',
    nextStep: 'Read the log of the worker (memory? timeout?), then resolve --repeat.',
    decisions: ['repeat'],
  },
  HORIZON_EXCEEDED: {
    meaning: 'it could not be done within a day',
    nextStep:
      'Read the last error, repair its cause, then resolve --repeat. If it is a stop, the run may still be running: stop it at the gateway if it must end now.',
    decisions: ['repeat'],
  },
  CONFIG: {
    meaning: 'the configuration does not know what the message names',
    nextStep:
      'Add the name to automation.config.ts, deploy and resolve --repeat. Or send it again under the right name and resolve --dismiss.',
    decisions: ['repeat', 'dismiss'],
  },
} as const satisfies Record<string, ParkReasonFacts>;

/** Why a message or an upload waits for a person. */
export type ParkReason = keyof typeof parkReasons;

/** Why a start or an upload was skipped on purpose. */
export const skipReasons = {
  MISSED_WINDOW: 'it came later than its validFor allows',
  OVERLAP: 'a run of this campaign is in flight',
  FROZEN: 'the stage is frozen: an operator said that nothing is started',
  PAUSED: 'its campaign or its schedule is paused by an operator',
  HELD_BY_ALARM: 'an alarm of its target rings, and its campaign halts on it',
  BLACKOUT: 'a blackout of the configuration covers it',
  MINIMUM_GAP: 'the campaign ran too short a time before, by any starter',
  BUDGET: 'the campaign has used its starts of this calendar month',
  UNCONFIRMED: 'it was sent, no answer came, and its campaign never showed it; its run may have run',
  NOTHING_TO_STOP: 'no run of this name is in flight',
  ALREADY_ENDED: 'the gateway says that the run is not going: this or an earlier stop may have ended it',
  DUPLICATE_CONTENT: 'the same request with the same bytes was made before',
  SUPERSEDED_VERSION:
    'a newer version of the same key is there, or the key was deleted, and the rule takes the latest only',
} as const;

/** Why something was skipped. */
export type SkipReason = keyof typeof skipReasons;

/** Any code that an outcome may carry. */
export type ReasonCode = ParkReason | SkipReason;

/** Says whether a text is one of the parked codes. */
export function isParkReason(text: string): text is ParkReason {
  return Object.hasOwn(parkReasons, text);
}

/** What a parked code says, by its code. */
export function parkReasonFacts(code: ParkReason): ParkReasonFacts {
  return parkReasons[code];
}

/** The words of the command that prints the page of the runbook. */
export function runbookOf(code: ParkReason): readonly string[] {
  return ['autopilot', 'runbook', code];
}

/** What a reason means, in a sentence; an empty text without one, and of a code that a later version wrote. */
export function meaningOf(reason: ReasonCode | undefined): string {
  if (reason === undefined) return '';
  const skips: Readonly<Partial<Record<string, string>>> = skipReasons;
  return isParkReason(reason) ? parkReasons[reason].meaning : (skips[reason] ?? '');
}

/** The exactly-one outcome of each accepted message (design: messages and outcomes). */
export type OutcomeKind = 'applied' | 'superseded' | 'skipped' | 'ignored' | 'parked';

/** What each guard asks about a start, in the order in which they are asked: the first that says no gives the reason. */
export const guardQuestions = {
  frozen: 'is every start of the stage blocked?',
  paused: 'is the campaign, or the schedule that asks, paused?',
  alarm: 'does an alarm ring that halts the campaign?',
  validity: 'is it too late for this start?',
  blackout: 'does a blackout cover it?',
  overlap: 'is another run of the campaign in flight?',
  gap: 'did the campaign run too recently?',
  budget: 'has the campaign used its starts of the month?',
} as const;

/** One of the guards. */
export type GuardName = keyof typeof guardQuestions;

/** The guards in the order in which they are asked. */
export const guardNames = Object.keys(guardQuestions) as readonly GuardName[];
