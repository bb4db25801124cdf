import { UsageError } from '#operator/errors.ts';
import { calendarsAnswer, askLocalStage } from '#operator/stage/local-stage.ts';
import { type Command, type CommandResult, exitCodes } from './terminal/command.ts';
import { columns } from './terminal/output.ts';
import type { When } from './terminal/times.ts';
import { clockOf, timeToCome } from './terminal/typed-times.ts';

const help = `autopilot calendar [open|close NAME] [--until TIME]

Shows or moves a change calendar of the run on this machine, for a blackout with
calendar: '…:document/NAME'. In AWS another team keeps it. The watcher reads it
within a minute.

  --until TIME              when it changes back

Examples
  autopilot calendar
  autopilot calendar close change-freeze
  autopilot calendar close change-freeze --until 2027-01-04`;

/** What a document of Systems Manager can be called. */
const namePattern = /^[\w.-]{3,128}$/;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const { target } = deps;
  if (target.kind !== 'local') throw new UsageError('only the run on this machine has calendars that this moves');
  const [verb, name = '', ...more] = args.positionals;
  const url = '/_local/calendar';
  if (verb !== undefined) {
    const isKnown = (verb === 'open' || verb === 'close') && namePattern.test(name) && more.length === 0;
    if (!isKnown) throw new UsageError('calendar takes open or close, and the name of one calendar');
    const text = args.text('until');
    const until = text === undefined ? undefined : timeToCome('--until', text, await clockOf(args, deps));
    const body = JSON.stringify({ name, isOpen: verb === 'open', until: until?.toISOString() });
    await askLocalStage(target, { method: 'POST', url, body }, deps.signal);
  }
  const calendars = calendarsAnswer.parse(await askLocalStage(target, { method: 'GET', url }, deps.signal));
  return {
    exitCode: exitCodes.done,
    data: calendars,
    render: (_, times) => linesOf(calendars, times()),
  };
}

function linesOf(calendars: ReturnType<typeof calendarsAnswer.parse>, { at }: When): readonly string[] {
  const rows = Object.entries(calendars).map(([name, { isOpen, until }]) => {
    return [name, isOpen ? 'open' : 'closed', until === undefined ? '' : `until ${at(until)}`];
  });
  return rows.length === 0 ? ['every calendar is open'] : columns(rows);
}

/** `autopilot calendar`. */
export const command: Command = { help, options: { until: { type: 'string' } }, run };
