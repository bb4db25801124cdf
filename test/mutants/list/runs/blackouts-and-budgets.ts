import { without } from '../../mutant.ts';
import { runs } from '../../test-files.ts';

/** What keeps blackouts, minimum gaps, budgets and overrides of starts true. */
export const budgetMutants = [
  ...without('shared/schedule/calendars.ts', ['test/unit/functions/update-campaign-runs/guards/calendars.test.ts'], {
    'a calendar that was not read for five minutes lets no start pass': ['undefined || now', 'undefined && now'],
  }),
  ...without(
    'functions/watch-campaigns/read-calendars.ts',
    ['test/unit/functions/watch-campaigns/read-calendars.test.ts'],
    {
      'a calendar that cannot be read keeps its last reading, with its age': [' ...known', ' readAt: at.toISOString()'],
    },
  ),
  ...without('shared/config/resolve/resolve-blackout.ts', ['test/unit/shared/schedule/blackouts.test.ts'], {
    'a day of a blackout is a day of its zone': [
      '[instantAt(`${date}T00:00`, timezone), instantAt(`${next}T00:00`, timezone)]',
      "[instantAt(`${date}T00:00`, 'UTC'), instantAt(`${next}T00:00`, 'UTC')]",
    ],
  }),
  ...without('shared/guards/guards.ts', ['test/unit/shared/guards/guards.test.ts', ...runs('guards/guards')], {
    'a minimum gap that cannot be judged lets no start pass': [
      'if (isUnreadable) {',
      'if (isUnreadable && times.startAt.getTime() < 0) {',
    ],
    'a campaign that ran and shows no instant is no campaign that never ran': [
      '(lastRunAt === undefined && (lastRun !== undefined || runCount > 0));',
      'false;',
    ],
    'an instant that cannot be read is no campaign that never ran': 'oddLastRunAt !== undefined || ',
  }),
  ...without('shared/guards/guards.ts', ['test/unit/shared/guards/guards.test.ts', ...runs('guards/guards')], {
    'the minimum gap counts own starts in flight': [
      'return [...inTheWay.filter(isOwn).map(({ entry }) => entry.due), ...(last === undefined ? [] : [last])];',
      'return last === undefined ? [] : [last];',
    ],
    'the minimum gap counts own starts that were stopped': [
      'return [...inTheWay.filter(isOwn).map(({ entry }) => entry.due), ...(last === undefined ? [] : [last])];',
      'return inTheWay.filter(isOwn).map(({ entry }) => entry.due);',
    ],
  }),
  ...without('functions/_runs/decide/start.ts', runs('guards/guards'), {
    'a guard without its fact lets nothing pass':
      "if (read !== undefined && read.next !== 'read') return waitForRead(moment, read);",
  }),
  ...without('shared/ledger/rows/target-row.ts', runs('guards/guards'), {
    'a start counts in the write that makes its entry': [
      'return countStart(row, { month: monthOf(new Date(due), timeZone), campaign }, startId, now);',
      'return row;',
    ],
    'a start belongs to the month of its due': [
      '(new Date(due), timeZone), campaign',
      '(new Date(0), timeZone), campaign',
    ],
  }),
  ...without('shared/guards/guards.ts', ['test/unit/shared/guards/guards.test.ts'], {
    'a repeat does not count twice in its month': ' || isCounted(target, where, command.id)',
  }),
  ...without('shared/guards/guards.ts', ['test/unit/shared/guards/guards.test.ts', ...runs('guards/blackouts')], {
    'a blackout is judged at the instant at which the run would begin': ['campaign, startAt', 'campaign, new Date(0)'],
    'the validity of a deferred start begins at the end of its blackout': ['0 : Date.parse(deferredUntil)', '0 : 1'],
  }),
  ...without('functions/_runs/decide/start.ts', runs('guards/blackouts'), {
    'a start that a blackout defers waits in the ledger': ["openState: 'DEFERRED',", "openState: 'ENDED',"],
    'of several deferred starts of a run the latest is sent': ['[...withLatest(moment), deferred]', '[deferred]'],
    'a deferred start is not sent before its blackout is over': [
      'own === undefined ? undefined : stillDeferred(moment, own);',
      'own === undefined ? stillDeferred(moment, ownRow(moment)) : undefined;',
    ],
  }),
  ...without('functions/_runs/decide/start-times.ts', runs('guards/blackouts'), {
    'the run of a deferred start is due at the end of its blackout': [
      'deferredUntil === undefined ? 0 : Date.parse(deferredUntil),',
      '0,',
    ],
  }),
];
