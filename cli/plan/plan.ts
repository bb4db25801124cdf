import type { CommandArguments } from '../terminal/arguments.ts';
import type { Command, CommandResult } from '../command.ts';
import { UsageError } from '#operator/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import { planLines } from './plan-lines.ts';
import { readStagePlan } from '#operator/plan/stage-plan.ts';
import { countArgument, instantIn, noInstant } from '../terminal/value-arguments.ts';

const help = `autopilot plan [--from INSTANT] [--days N]

What the schedules will bring about: when each fires (with what a change of the
clocks does to it), which starts will be skipped or put off and why, the exact
requests, the run ids and starts of the month that are left. The deployed worker
judges it by its own guards, the ledger and the campaigns as the gateway tells
them; nothing is sent and nothing is changed. What people, uploads and changes
ask for in between is not in it.

  --from INSTANT            show what comes from here on (now), like
                            2026-12-18T00:00:00Z
  --days N                  so many days of it (7, at most 92)

Examples
  autopilot plan
  autopilot plan --days 31 --aws --stage prod
  autopilot plan --json | jq '.commands[] | select(.outcome != "applied")'`;

const defaultDays = 7;
const mostDays = 92;
const dayMs = 86_400_000;

async function run(...[args, deps]: Parameters<Command['run']>): Promise<CommandResult> {
  const [word] = args.positionals;
  if (word !== undefined) throw new UsageError(`plan takes no words, and "${word}" is one: name a stage with --stage`);
  const now = await deps.now();
  const days = countArgument('--days', args.text('days') ?? String(defaultDays), mostDays);
  const from = fromOf(args, now);
  const plan = await readStagePlan({ from, until: new Date(from.getTime() + days * dayMs) }, deps);
  return { exitCode: exitCodes.done, data: plan, render: (paint, times) => planLines(plan, times(now), paint) };
}

function fromOf(args: CommandArguments, now: Date): Date {
  const text = args.text('from');
  if (text === undefined) return now;
  const at = instantIn(text);
  if (at === undefined) throw noInstant('--from', text, '2026-12-18T00:00:00Z');
  if (at < now) throw new UsageError(`--from: ${text} is over: autopilot history --since ${text} tells what was`);
  return at;
}

/** `autopilot plan`. */
export const command: Command = { help, options: { from: { type: 'string' }, days: { type: 'string' } }, run };
