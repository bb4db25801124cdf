import { without } from '../../mutant.ts';
import { decisions, runs } from '../../test-files.ts';

/** What makes a start in doubt certain: it is sent again if that is safe, ended if it is too late, and never told as what it is not. */
export const doubtMutants = [
  ...without('functions/_runs/decide/held-start.ts', [...decisions('decide'), ...runs('in-doubt')], {
    'a start that may start its run twice is not sent again': [
      'if (!moment.config.gateway.startsRepeatSafely) {',
      'if (moment.config.gateway.startsRepeatSafely && moment.now.getTime() < 0) {',
    ],
    'a start in doubt that a guard refuses by now is ended first':
      "if (judged.kind === 'skip') return endFirst(moment, found, { reason: judged.reason, detail: judged.detail });",
    'the end of a start in doubt is sent': "    effect: { do: 'send-ends', ends: [end] },\n",
    'an unproven start waits for its campaign to show it': ['if (leftMs > 0)', 'if (leftMs > Infinity)'],
  }),
  ...without('functions/_runs/decide/held-start.ts', decisions('decide'), {
    'a start in doubt is sent again, one request more': ['unanswered: unanswered + 1, until:', 'until:'],
    'a start in doubt that a later stop replaces is ended':
      'if (laterOrder(moment) !== undefined) return endFirst(moment, found, undefined);',
    'a start whose run is being ended waits for that': [
      "if (entry.state === 'stopping') {",
      "if (entry.state === 'stopping' && entry.unanswered < 0) {",
    ],
    'an unproven start that a guard refused says so': ['refusedEnd(refusedBy ?? isUnshown,', 'refusedEnd(isUnshown,'],
    'a request that is not answered leaves its run in doubt':
      "if (answer.next !== 'applied' && answer.applied === 'unknown') return waitAfter(moment, answer);",
    'each answer counts one request less': [
      'const unanswered = Math.max(0, found.entry.unanswered - 1);',
      'const { unanswered } = found.entry;',
    ],
    'an answer of a run that is being ended does not apply its start': ['(!isStopping)', '(isStopping || !isStopping)'],
    '"already" counts only while another request is unanswered': ' unanswered > 0 &&',
    'a refusal is not the end while another request is unanswered': ' || entry.unanswered > 0',
    'at its last chance a start in doubt leaves its run in flight': [
      "    mayHaveRun: intervalOf(entry),\n  });\n  return ends(moment, end, [changedEntry(found, { state: 'running' })]);",
      '    mayHaveRun: intervalOf(entry),\n  });\n  return ends(moment, end, []);',
    ],
  }),
  ...without('functions/_runs/decide/held-start.ts', [...decisions('decide'), ...runs('guards/blackouts')], {
    'a start in doubt that a blackout would defer is ended': ["'defer'", "'defer' && moment.now.getTime() < 0"],
  }),
  ...without('functions/_runs/decide/held-start.ts', runs('in-doubt'), {
    'only the last run of its campaign proves a start': [
      'return lastRun === campaignRunId && (',
      'return (lastRun === campaignRunId || lastRunAt !== undefined) && (',
    ],
    'a run of that id from before the start proves nothing': [
      ' && (lastRunAt === undefined || Date.parse(lastRunAt) >= Date.parse(issuedAt));',
      ';',
    ],
    'an unproven start says when its run may have run': [
      '{ campaignRunId, mayHaveRun: intervalOf(entry) }));',
      '{ campaignRunId }));',
    ],
  }),
  ...without('functions/_runs/decide/held-start.ts', [...decisions('decide'), ...runs('refused-starts')], {
    'a start that is proven not applied gives its place back': ['withoutStart(row, entry.startId);', 'row;'],
    'an id whose run is not going stays used': ['if (staysUsed || id === undefined', 'if (id === undefined'],
    'a start that is given back forgets its id': ['campaignRunId: undefined, startAt', 'startAt'],
  }),
  ...without('functions/_runs/decide/held-start.ts', runs('refused-starts'), {
    'a 404 leaves the id used': ["true || (failure.next === 'park' && failure.evidence.httpStatus === 404)", 'true'],
    'a start refused as past is sent again at once': [
      'aheadMs === undefined ? delayAfter({ pauseMs }, moment) : shortWaitMs',
      'delayAfter({ pauseMs }, moment)',
    ],
  }),
  ...without('functions/update-campaign-runs/send-patch.ts', runs('in-doubt'), {
    '503 is no answer where a start repeats safely': ['gateway.startsRepeatSafely', '!gateway.startsRepeatSafely'],
  }),
  ...without('functions/update-campaign-runs/send-patch.ts', runs('refused-starts'), {
    'a startAt refused as past proves nothing about the run': ['parse(startAt) > gatewayMs', 'parse(startAt) > 0'],
  }),
  ...without(
    'functions/park-dead-letters/park-dead-letter.ts',
    ['test/unit/functions/park-dead-letters/park-dead-letter.test.ts'],
    {
      'a command that its queue gave up leaves its runs in flight': [' { writes } = ', ' writes = [] as const;\n    '],
    },
  ),
];
