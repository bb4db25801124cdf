import type { LineSpec } from '#shared/text/program-arguments.ts';
import { UsageError } from '#operator/errors.ts';
import { calendarsAnswer, askLocalStage } from '#operator/stage/local-stage.ts';
import type { CommandArguments } from '../terminal/arguments.ts';
import type { Command, CommandDeps } from '../terminal/command.ts';
import { columns } from '../terminal/output.ts';
import type { TextScreen } from '../terminal/times.ts';
import { stageClock } from '#operator/run-state/run-report.ts';
import { timeToCome } from '../terminal/typed-times.ts';

export const command: Command = {
  line: {
    says: 'Shows or moves a change calendar of the run on this machine, for a blackout with a calendar.',
    more: 'In AWS another team keeps it. The watcher reads it within a minute.',
    usualVerb: 'show',
    verbs: {
      show: { says: 'Shows the calendars that are closed.' },
      open: moving('Opens a calendar: it blocks nothing.'),
      close: moving('Closes a calendar: blackouts with it block starts.'),
    },
  },
  async run(args, deps) {
    const { target } = deps;
    if (target.kind !== 'local') throw new UsageError('only the run on this machine has calendars that this moves');
    const move = args.verb === 'show' ? undefined : await wantedMove(args, deps);
    const calendars = calendarsAnswer.parse(await askLocalStage(target, { about: 'calendar', move }, deps.signal));
    return { data: calendars, render: (screen) => linesOf(calendars, screen) };
  },
};

function moving(says: string): LineSpec {
  return {
    says,
    words: { '<NAME>': "the end of calendar: '…:document/NAME'" },
    options: { '--until <TIME>': 'when it changes back: 06:00 or 2027-01-04T06:00' },
    examples: ['autopilot calendar close change-freeze --until 2027-01-04'],
  };
}

/** What a document of Systems Manager can be called. */
const namePattern = /^[\w.-]{3,128}$/;

async function wantedMove(args: CommandArguments, deps: CommandDeps): Promise<object> {
  const [name = ''] = args.positionals;
  if (!namePattern.test(name)) throw new UsageError(`"${name}" is not the name of a calendar`);
  const text = args.text('until');
  const until = text === undefined ? undefined : timeToCome('--until', text, await stageClock(deps));
  return { name, isOpen: args.verb === 'open', until: until?.toISOString() };
}

function linesOf(calendars: ReturnType<typeof calendarsAnswer.parse>, { at }: TextScreen): readonly string[] {
  const rows = Object.entries(calendars).map(([name, { isOpen, until }]) => {
    return [name, isOpen ? 'open' : 'closed', until === undefined ? '' : `until ${at(until)}`];
  });
  return rows.length === 0 ? ['every calendar is open'] : columns(rows);
}
