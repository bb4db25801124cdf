import { without } from '../../mutant.ts';
import { decisions, faults, runs } from '../../test-files.ts';

/** What makes a stop end every run that it is about, and no other. */
export const stopMutants = [
  ...without('functions/_runs/decide/stop.ts', [...decisions('decide'), ...runs('stops')], {
    'an earlier stop does not end the run of a later start': ' && compareCommands(orderOfStart(entry), command) < 0',
    'the run that was tried least is asked for': 'triesOf(own, a.campaignRunId) - triesOf(own, b.campaignRunId) ||',
    'a stop by an unknown name is parked':
      "if (isUnknown) return ends(moment, parked('CONFIG', unknownName(run, config)));",
  }),
  ...without('functions/_runs/decide/stop.ts', faults('planned-stops'), {
    'the stop of one start ends that run alone': ['return entry.startId === startId;', "return entry.run !== '';"],
  }),
  ...without('functions/_runs/decide/stop.ts', decisions('decide'), {
    'all runs of a stop are being stopped from its first write on': ', orderedTargets(moment, left)',
    'a run that was settled is not stopped again': 'if (isSettled(own, entry.campaignRunId)) return false;',
  }),
  ...without('functions/_runs/decide/stop.ts', [...decisions('decide'), ...runs('in-doubt')], {
    'a stop waits until a start by a word can land no more': ['(entry, now) <= 0', '(entry, now) < Infinity'],
  }),
  ...without('functions/_runs/decide/waiting.ts', [...decisions('decide'), ...runs('in-doubt')], {
    'a stop waits two minutes longer than the attempt of the start': ['+ landsWithinMs + 1;', '+ 1;'],
  }),
  ...without('functions/_runs/decide/rows.ts', [...decisions('decide'), ...runs('starts')], {
    'a stop is noted under its name, whatever its outcome': 'isLater ? [{ ...row, latest: { id, issuedAt } }] : ',
  }),
  ...without('functions/_runs/decide/rows.ts', faults('generations'), {
    'an earlier stop does not replace a later one under its name': [
      'const isLater = row.latest === undefined || compareCommands(row.latest, command) < 0;',
      'const isLater = true;',
    ],
  }),
  ...without('functions/_runs/decide/stop.ts', runs('stops'), {
    'a stop by name writes on the targets as they were read': [
      'return latest.length === 0 ? [] : [...latest, ...unchangedTargets(moment)];',
      'return latest;',
    ],
  }),
  ...without('functions/_runs/load.ts', runs('stops'), {
    'a stop finds runs under an earlier target of its name': '...(byName?.targets ?? []), ',
    'a stop from the future counts as sent when its message was': [
      'const isAhead = own === undefined && Date.parse(sent.issuedAt) > sentAt.getTime();',
      'const isAhead = false;',
    ],
  }),
  ...without('functions/_runs/decide/stop.ts', [...decisions('decide'), ...runs('stops-by-id')], {
    'an id that a stop by uuid ends is used': [
      "const writes = [withEnd(known, endBy(moment, 'ordered')), ...unchangedTargets(moment)];",
      'const writes = unchangedTargets(moment);',
    ],
    'a stop by uuid of nothing in flight is sent all the same': ['stopById(moment, campaignRunId)', 'endStop(moment)'],
    'a stop by uuid that is earlier than its start is superseded': [
      ' && laterStart(moment, campaignRunId) === undefined) {',
      ') {',
    ],
  }),
  ...without('functions/_runs/decide/stop.ts', runs('stops'), {
    'a stop has no key: a gateway that remembers answers must stop the run each time': [
      'input: { campaignRunId, status: moment.config.gateway.status.stop } }',
      "input: { campaignRunId, status: moment.config.gateway.status.stop, idempotencyKey: 'stop' } }",
    ],
  }),
  ...without('shared/messages/campaign-run-command.ts', ['test/unit/shared/messages/campaign-run-command.test.ts'], {
    'a message of a newer version is done, and not parked': ['return readWithoutUnknown(input, now)', 'return checked'],
    'a mistake in the name of a field is not taken for a newer version': ["(meant === '')", '(meant !== undefined)'],
  }),
  ...without('shared/messages/campaign-run-command.ts', ['test/unit/shared/messages/large-messages.test.ts'], {
    'a command of 1 MB does not fill the memory': ['const longestMessage = 65_536;', 'const longestMessage = 2 ** 20;'],
  }),
  ...without(
    'shared/text/did-you-mean.ts',
    ['test/unit/shared/messages/large-messages.test.ts', 'test/unit/shared/text/did-you-mean.test.ts'],
    {
      'a word of 1 MB does not fill the memory': ['const longestWord = 64;', 'const longestWord = 2 ** 20;'],
    },
  ),
];
