import { type DrainedPool, drainPools } from '#operator/runs/drain-pools.ts';
import { type Command, exitCodes } from '../terminal/command.ts';

export const command: Command = {
  line: {
    says: 'Freezes the stage and cancels the unused runs that Autopilot made ahead, before the stage is destroyed.',
    more: 'It says which are left at the gateway. After autopilot thaw the pools fill again.',
    examples: ['autopilot drain --aws --stage test'],
  },
  async run(_args, deps) {
    const pools = await drainPools(deps);
    const lines = pools.flatMap(leftLines);
    return {
      exitCode: lines.length === 0 ? exitCodes.done : exitCodes.failed,
      data: { pools },
      render: () => (lines.length === 0 ? ['no unused run is left at the gateway'] : lines),
    };
  },
};

/** What is left of a pool: by ids, and by its name at the gateway if runs may be there that are not known. */
function leftLines({ run: name, mark, ids, mayHaveMore }: DrainedPool): readonly string[] {
  const known = ids.map((id) => `${id} of ${name} is still scheduled: cancel it at the gateway`);
  const more = `look at the gateway for scheduled runs named "${name} ${mark}": not all of them may be known`;
  return mayHaveMore ? [...known, more] : known;
}
