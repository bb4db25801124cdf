import { without } from '../../mutant.ts';
import { decisions, runs } from '../../test-files.ts';

/** What keeps a command from coming back too late, too often, or from being given up too early. */
export const waitMutants = [
  ...without('functions/_runs/decide/waiting.ts', decisions('waiting'), {
    'a start that failed often comes back while there is time': [
      'Math.max(leastStartWaitMs, leftMs * mostOfValidity)',
      'Infinity',
    ],
    'a start with little time left is not asked more often than every half minute': [
      'Math.max(leastStartWaitMs, leftMs * mostOfValidity)',
      'leftMs * mostOfValidity',
    ],
    'no stop begins a call with too little time left': [' - slots.runsMs >= callBudgetMs', ' > 0'],
    'waiting for a slot is no failed call: the back-off follows failures': [
      'const failures = storedOwn(moment)?.attempt?.failures ?? 0;',
      'const failures = moment.delivery.receiveCount - 1;',
    ],
    'refusals that may heal are counted': ['isUsedUp === true ?', 'refusals === null ?'],
    'no queue gives a stop up within the day': 'receiveCount > manyReceives.stop ? waitOfManyMs : ',
    'no queue gives up a start that waits for another run':
      'if (receiveCount > manyReceives[command.action]) return waitOfManyMs;',
  }),
  ...without('functions/_runs/decide/waiting.ts', decisions('waiting'), {
    'a stop that the gateway puts off asks again within a minute':
      "if (command.action === 'stop') return Math.min(delayMs, stopWaitMs(delivery));",
    'a start waits at a closed gate': ['if (gateWaitMs > 0) return', 'if (gateWaitMs > Infinity) return'],
    'a stop waits at a closed gate, for a minute': ['if (holdMs > 0) return', 'if (holdMs > Infinity) return'],
    'a stop passes a closed gate a minute after it was sent': ['longestWaitMs - heldMs', 'longestWaitMs'],
    'no start begins a call with too little time left': ' && delivery.remainingMs - slotWaitMs >= callBudgetMs',
    'a start whose slot is far makes room for the stop behind it': 'slotWaitMs <= longestSlotWaitMs && ',
  }),
  ...without('functions/_runs/handle-command.ts', runs('slots-and-days'), {
    'a stop that breaks its worker comes back within a minute': [
      "later(command.action === 'stop' ? Math.min(delayMs, stopWaitMs(record)) : delayMs, message);",
      'later(delayMs, message);',
    ],
  }),
  ...without('functions/_runs/rounds.ts', runs('slots-and-days'), {
    'after its read a start waits for its slot in process': [
      "const runsMs = type === 'campaign-read' || state.shown !== undefined ? 0 : rateLimiter.waitMs('runs');",
      "const runsMs = rateLimiter.waitMs('runs');",
    ],
    'a command that was never tried is judged, however late it comes': ['return isTried && isOpen', 'return isOpen'],
  }),
  ...without('functions/_runs/rounds.ts', runs('waits'), {
    'the slot is taken before the row, so that the attempt covers the call alone':
      "if (decision.effect?.do === 'patch') await deps.rateLimiter.take('runs', context.remainingMs());",
    'a command at its retry deadline gets an outcome': [
      'return isTried && isOpen && isPastHorizon(record.sentAt, context.now());',
      'return isTried && isOpen && !isPastHorizon(record.sentAt, new Date(0));',
    ],
  }),
  ...without('functions/_runs/handle-command.ts', runs('waits'), {
    'a command whose attempts die one after another is parked': [
      "if (step.kind === 'crash-loop') {",
      "if (step.kind === 'crash-loop' && step.crashes < 0) {",
    ],
  }),
  ...without('functions/_runs/rounds.ts', runs('deaths'), {
    'an answer that settles something is tried to be written until the attempt ends': [
      'isAnswer ? context.remainingMs() <= shortWaitMs : lost >= mostLostRounds',
      'lost >= 1',
    ],
  }),
];
