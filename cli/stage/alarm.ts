import { UsageError } from '#operator/errors.ts';
import { alarmsAnswer, askLocalStage } from '#operator/stage/local-stage.ts';
import type { Command } from '../terminal/command.ts';
import { columns } from '../terminal/output.ts';

export const command: Command = {
  line: {
    says: 'Shows or moves an alarm of the run on this machine that a campaign halts on (haltOn).',
    more: 'In AWS CloudWatch moves it. While it is on, the campaign starts nothing, and its runs in flight are stopped.',
    words: { '[NAME]': '', '[STATE]': 'on or off' },
    examples: ['autopilot alarm', 'autopilot alarm target-5xx on'],
  },
  async run(args, deps) {
    const { target } = deps;
    if (target.kind !== 'local') throw new UsageError('only the run on this machine has alarms that this moves');
    const [name, to = ''] = args.positionals;
    if (name !== undefined && to !== 'on' && to !== 'off')
      throw new UsageError('alarm takes the name of one alarm, and on or off');
    const move = name === undefined ? undefined : { name, state: to === 'on' ? 'ALARM' : 'OK' };
    const alarms = alarmsAnswer.parse(await askLocalStage(target, { about: 'alarm', move }, deps.signal));
    const rows = Object.entries(alarms);
    return {
      data: alarms,
      render: () => (rows.length === 0 ? ['no campaign halts on an alarm (haltOn)'] : columns(rows)),
    };
  },
};
