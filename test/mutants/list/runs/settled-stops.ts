import type { Mutant } from '../../mutant.ts';
import { decisions, runs } from '../../test-files.ts';

/** What settles a stop by its answers, and never by less. */
export const settledStopMutants: readonly Mutant[] = [
  {
    name: 'a stopped run leaves its target',
    file: 'functions/_runs/decide/stop.ts',
    from: "writes.push(state === 'refused' ? changedEntry(found, goesOn) : withoutEntry(row, entry.startId));",
    to: 'writes.push(changedEntry(found, goesOn));',
    tests: [...decisions('decide'), ...runs('stops')],
  },
  {
    name: 'a run whose stop was refused for good goes on, and counts',
    file: 'functions/_runs/decide/stop.ts',
    from: "writes.push(state === 'refused' ? changedEntry(found, goesOn) : withoutEntry(row, entry.startId));",
    to: 'writes.push(withoutEntry(row, entry.startId));',
    tests: [...decisions('decide'), ...runs('stops')],
  },
  {
    name: 'a start whose run was ended learns by which stop',
    file: 'functions/_runs/decide/stop.ts',
    from: "if (state !== 'refused' && id !== undefined) writes.push",
    to: "if (state === 'refused' && id !== undefined) writes.push",
    tests: [...decisions('decide'), ...runs('in-doubt')],
  },
  {
    name: 'a stop with a refused run is parked',
    file: 'functions/_runs/decide/stop.ts',
    from: "if (idsIn(own, 'refused').length > 0) return refusedEnd(own);",
    to: '',
    tests: [...decisions('decide'), ...runs('stops')],
  },
  {
    name: 'a stop of which one run was stopped is applied',
    file: 'functions/_runs/decide/stop.ts',
    from: 'if (stopped.length > 0) return',
    to: 'if (stopped.length > 1) return',
    tests: [...decisions('decide'), ...runs('stops')],
  },
  {
    name: 'a run that had ended is said to have ended',
    file: 'functions/_runs/decide/stop.ts',
    from: "if (failure.isNotGoing === true) return settled(moment, campaignRunId, { state: 'ended', attempt: answered });",
    to: '',
    tests: [...decisions('decide'), ...runs('stops')],
  },
  {
    name: 'a stop goes on with its other runs if one does not answer',
    file: 'functions/_runs/decide/stop.ts',
    from: "return isLeast ? wait : { ...wait, then: { kind: 'next' } };",
    to: 'return wait;',
    tests: runs('stops'),
  },
  {
    name: 'a stop asks no run twice in one attempt while another one may not be asked for',
    file: 'functions/_runs/decide/stop.ts',
    from: 'readyOf(moment, leftOf(moment)).every((entry) =>',
    to: 'leftOf(moment).map(({ entry }) => entry).every((entry) =>',
    tests: ['test/faults/model/found.test.ts'],
  },
  {
    name: 'at its last chance a stop leaves the runs that it ordered running',
    file: 'functions/_runs/decide/stop.ts',
    from: 'changedTargets(ordered, () => goesOn)',
    to: '[]',
    tests: decisions('decide'),
  },
  {
    name: 'a 409 to a stop says that the run is not going',
    file: 'functions/update-campaign-runs/send-patch.ts',
    from: 'return status === 409 || status === 410',
    to: 'return status === 410',
    tests: runs('stops'),
  },
  {
    name: 'a 422 about a field says nothing about the run',
    file: 'functions/update-campaign-runs/send-patch.ts',
    from: '(status === 422 && !namesField(error, ...fields))',
    to: 'status === 422',
    tests: runs('stops'),
  },
  {
    name: 'a 404 to a stop never says that the run has ended',
    file: 'functions/update-campaign-runs/send-patch.ts',
    from: 'return status === 409 || status === 410',
    to: 'return status === 404 || status === 409 || status === 410',
    tests: runs('stops'),
  },
  {
    name: "the gateway's own words for a stopped run settle its stop",
    file: 'functions/update-campaign-runs/send-patch.ts',
    from: "if (isAlready) return { next: 'applied', why };",
    to: '',
    tests: runs('stops'),
  },
];
