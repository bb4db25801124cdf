import { without } from '../../mutant.ts';
import { decisions, runs } from '../../test-files.ts';

/** What settles a stop by its answers, and never by less. */
export const settledStopMutants = [
  ...without('functions/_runs/decide/stop.ts', [...decisions('decide'), ...runs('stops')], {
    'a stopped run leaves its target': [
      "writes.push(state === 'refused' ? changedEntry(found, goesOn) : withoutRun(found, moment));",
      'writes.push(changedEntry(found, goesOn));',
    ],
    'a run whose stop was refused for good goes on, and counts': "state === 'refused' ? changedEntry(found, goesOn) : ",
    'a stop with a refused run is parked': "if (idsIn(own, 'refused').length > 0) return refusedEnd(own);",
    'a stop of which one run was stopped is applied': ['(stopped.length > 0) return', '(stopped.length > 1) return'],
    'a run that had ended is said to have ended':
      "if (failure.isNotGoing === true) return settled(moment, campaignRunId, { state: 'ended', attempt: answered });",
  }),
  ...without('functions/_runs/decide/stop.ts', [...decisions('decide'), ...runs('in-doubt')], {
    'a start whose run was ended learns by which stop': [
      'writes.push(withEnd(id, endBy(moment, how)))',
      'writes.push(id)',
    ],
  }),
  ...without('functions/_runs/decide/stop.ts', runs('stops'), {
    'a stop goes on with its other runs if one does not answer': [
      "return isLeast ? wait : { ...wait, then: { kind: 'next' } };",
      'return wait;',
    ],
  }),
  ...without('functions/_runs/decide/stop.ts', ['test/unit/functions/_runs/decide/decide.test.ts'], {
    'a stop asks no run twice in one attempt while another one may not be asked for': [
      'readyOf(moment, leftOf(moment)).every((entry) =>',
      'leftOf(moment).map(({ entry }) => entry).every((entry) =>',
    ],
  }),
  ...without('functions/_runs/decide/stop.ts', decisions('decide'), {
    'at its last chance a stop leaves the runs that it ordered running': ['changedTargets(open, () => goesOn)', '[]'],
  }),
  ...without('functions/update-campaign-runs/send-patch.ts', runs('stops'), {
    'a 409 to a stop says that the run is not going': ['status === 409 || status === 410', 'status === 410'],
    'a 422 about a field says nothing about the run': [
      '(status === 422 && !namesField(error, ...fields))',
      'status === 422',
    ],
    'a 404 to a stop never says that the run has ended': ['status === 409', 'status === 404 || status === 409'],
    "the gateway's own words for a stopped run settle its stop": "if (isAlready) return { next: 'applied', why };",
  }),
];
