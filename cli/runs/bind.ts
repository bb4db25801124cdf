import type { Command } from '../terminal/command.ts';
import { UsageError } from '#operator/errors.ts';
import { isUuid } from '#shared/gateway-client/operation.ts';
import { refuseOddIds } from '#operator/runs/odd-ids.ts';
import { addRunIds, type BindReport, listRunIds } from '#operator/runs/run-ids.ts';
import type { TextScreen } from '../terminal/times.ts';
export const command: Command = {
  line: {
    says: 'Adds campaign run ids to a configured run. Each start uses the next one, those of the configuration first.',
    more: 'No deployment is needed. All are refused if one belongs to a run already. With gateway.readsRuns its run must be scheduled, and of the same campaign.',
    words: { '<RUN>': '', '[UUID...]': '' },
    options: { '--list': 'show which were used, and which were added and are left' },
    examples: ['autopilot bind nightly 0197f3a0-5b1c-7d2e-8f30-112233445566', 'autopilot bind nightly --list'],
  },
  async run(args, deps) {
    const [name = '', ...ids] = args.positionals;
    if (isUuid(name)) throw new UsageError(`the first word of bind is a configured run, and ${name} is a uuid`);
    const isList = args.flag('list');
    if (isList && ids.length > 0) throw new UsageError('--list only shows: leave out the ids');
    if (!isList && ids.length === 0) throw new UsageError(`bind ${name} needs at least one uuid, or --list`);
    const wanted = checkedIds(ids);
    const unread = isList ? undefined : await refuseOddIds(name, wanted, deps);
    if (unread !== undefined) deps.progress(`not all ids could be looked at: ${unread}`);
    const report = isList ? await listRunIds(name, deps) : await addRunIds(name, wanted, deps);
    return { data: report, render: (screen) => lines(report, screen) };
  },
};

function checkedIds(ids: readonly string[]): readonly string[] {
  const wrong = ids.find((id) => !isUuid(id));
  if (wrong !== undefined) throw new UsageError(`"${wrong}" is not a uuid: nothing was bound`);
  const lower = ids.map((id) => id.toLowerCase());
  const twice = lower.find((id, index) => lower.indexOf(id) !== index);
  if (twice !== undefined) throw new UsageError(`${twice} is there twice: nothing was bound`);
  return lower;
}

function lines(report: BindReport, { paint }: TextScreen): readonly string[] {
  if (report.bound.length > 0) {
    return [`${paint('green', 'bound')} ${report.bound.length} to ${report.run}; ${report.left.length} added and left`];
  }
  return [
    `${report.run}: ${report.usedCount} used, ${report.left.length} added and left (those of the configuration come first)`,
    ...report.used.map(({ campaignRunId, isLive }) =>
      paint('dim', `  used  ${campaignRunId}${isLive === true ? '  in flight' : ''}`),
    ),
    ...report.left.map((id) => `  left  ${id}`),
  ];
}
