import type { CommandArguments } from '../terminal/arguments.ts';
import { stageClock } from '#operator/run-state/run-report.ts';
import type { Command, CommandDeps } from '../terminal/command.ts';
import { UsageError } from '#operator/errors.ts';
import { counted } from '#operator/readable.ts';
import { timeWords, typedTime } from '#operator/times/typed-times.ts';
import { writeDocument } from '../terminal/output.ts';
import { dayMs } from '#shared/schedule/duration.ts';

export const command: Command = {
  line: {
    says: 'One file of HTML about a period, for those who have no access.',
    more: 'The calendar, past and planned. Every command with its outcome and reason, the uploads, and what is parked now. It has no script, fetches nothing, and can be read on a phone and printed.',
    options: {
      '--out <FILE>': 'write it there',
      '--from <TIME>': 'begin here (14 days ago): 2026-11-01, 06:00 or 2026-11-27T03:00',
      '--to <TIME>': 'end here (in 14 days), at most 92 days from now and 400 days after --from',
    },
    examples: [
      'autopilot report --out fortnight.html',
      'autopilot report --from 2026-10-01 --to 2026-11-01 --out oct.html',
    ],
  },
  async run(args, deps) {
    const file = args.text('out');
    if (file === undefined)
      throw new UsageError('report writes a file', { command: ['autopilot', 'report', '--out', 'night.html'] });
    if (file === '-')
      throw new UsageError('report writes a file, and - names none', {
        command: ['autopilot', 'report', '--out', 'night.html'],
      });
    const period = await periodOf(args, deps);
    const [{ readReport }, { reportDocument }] = await Promise.all([
      import('#console/report/read-report.ts'),
      import('#console/report/report-document.ts'),
    ]);
    const report = await readReport(period, deps);
    await writeDocument(file, await reportDocument(report));
    const { calendar, uploads, parked, problems } = report;
    const counts = {
      commands: calendar.past.length,
      planned: calendar.planned.length,
      uploads: uploads.length,
      parked: parked.length,
    };
    const notRead = problems.map(({ part = 'a part', message }) => ({ part, message }));
    return {
      data: { file, from: period.from.toISOString(), to: period.until.toISOString(), ...counts, notRead },
      render: () => [
        `${file}: ${counted(counts.commands, 'command')}, ${counts.planned} planned, ${counted(counts.uploads, 'upload')}, ${counts.parked} parked`,
        ...notRead.map(({ part, message }) => `  not in it: ${part}: ${message}`),
      ],
    };
  },
};

const defaultDays = 14;
const mostDays = 400;
const mostDaysAhead = 92;

async function periodOf(
  args: CommandArguments,
  deps: CommandDeps,
): Promise<{ readonly from: Date; readonly until: Date }> {
  const clock = await stageClock(deps);
  const { now } = clock;
  const [first, last] = [args.text('from'), args.text('to')];
  const from = first ? typedTime('--from', first, 'past', clock).at : new Date(now.getTime() - defaultDays * dayMs);
  const until = last ? typedTime('--to', last, 'future', clock).at : new Date(now.getTime() + defaultDays * dayMs);
  if (until <= from)
    throw new UsageError(`--to ${timeWords(until, clock)} is not after --from ${timeWords(from, clock)}`);
  if (until.getTime() - from.getTime() > mostDays * dayMs)
    throw new UsageError(`a report is about ${mostDays} days at most: move --from or --to`);
  if (until.getTime() - now.getTime() > mostDaysAhead * dayMs)
    throw new UsageError(`--to: a plan looks ${mostDaysAhead} days ahead at most`);
  return { from, until };
}
