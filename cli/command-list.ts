import type { ListedCommand } from './terminal/command.ts';
import { programs } from './programs.ts';
import type { CommandName } from './terminal/command-names.ts';

/** Every command, in the order of the help. */
export const commandList: Readonly<Record<string, ListedCommand>> = {
  upload: { summary: 'register files as datasets', load: () => import('./uploads/upload.ts') },
  check: { summary: 'what is wrong with files of prompts, row by row', load: () => import('./uploads/check.ts') },
  send: { summary: 'start or stop a campaign run', load: () => import('./runs/send.ts') },
  fire: { summary: 'do now what a schedule would do', load: () => import('./runs/fire.ts') },
  bind: { summary: 'give a configured run more campaign run ids', load: () => import('./runs/bind.ts') },
  freeze: { summary: 'skip every start of the stage, at once', load: switchCommand('freeze') },
  thaw: { summary: 'end a freeze', load: switchCommand('thaw') },
  pause: { summary: 'skip the starts of one schedule or campaign', load: switchCommand('pause') },
  resume: { summary: 'end a pause', load: switchCommand('resume') },
  stop: { summary: 'stop every run in flight', load: () => import('./runs/stop.ts') },
  token: { summary: 'put the gateway token in, or check it', load: () => import('./token/token.ts') },
  doctor: { summary: 'what is wrong with a stage, and the next step', load: () => import('./doctor/doctor.ts') },
  status: { summary: 'queues, schedules, what is parked and in flight', load: () => import('./status/status.ts') },
  show: { summary: 'the result of an upload or a command', load: () => import('./show/show.ts') },
  uploads: { summary: 'uploads and their results, newest first', load: () => import('./uploads/uploads.ts') },
  history: { summary: 'what was asked, its result, and why', load: () => import('./history/history.ts') },
  evidence: { summary: 'one document about one start of a run', load: () => import('./evidence/evidence.ts') },
  report: { summary: 'one file of HTML about a period, to hand on', load: () => import('./report/report.ts') },
  plan: { summary: 'what the schedules will bring about: a dry run', load: () => import('./plan/plan.ts') },
  parked: { summary: 'list, show and resolve what needs attention', load: () => import('./parked/parked.ts') },
  console: { summary: 'the same in a browser, for as long as it runs', load: () => import('./console/console.ts') },
  runbook: { summary: 'what to do about an alarm, or a reason', load: () => import('./runbook.ts') },
  completion: { summary: 'a script that completes at the Tab key', load: loadCompletion },
  clock: { summary: 'show or move the clock of a local run', load: () => import('./clock.ts') },
  calendar: { summary: 'show or move a calendar of a local run', load: () => import('./calendar.ts') },
  alarm: { summary: 'show or move an alarm of a local run', load: () => import('./alarm.ts') },
} satisfies Readonly<Record<CommandName, ListedCommand>>;

/** The text of `autopilot --help`. */
export const generalHelp = `autopilot COMMAND [options]

Gateway Autopilot: a stage on this machine or in AWS, and the operator's
commands, which are the same for both.

A stage
${lines(programs)}

Commands
${lines(commandList)}

Where
  --local                   the run on this machine (the default, unless
                            AUTOPILOT_TARGET is aws)
  --aws --stage NAME        a deployed stage, with your usual AWS credentials;
                            --profile and --region as in the AWS CLI
  --stage NAME@REGION:PROFILE
                            the same in one word; :PROFILE can be left out
  --data DIR                the folder of the local run (AUTOPILOT_DATA; default
                            .autopilot)
  -C DIR                    the first word of all: work in that folder
  --as POLICY               in the local run: with one policy of the stage, as
                            people have it in AWS: Reader, Operator,
                            LinkTester, DatasetsWriter,
                            StartingDatasetsWriter
status and doctor take several --stage, or several --data, and show all of them.

How
  --json                    one JSON document on stdout; progress and errors for
                            people stay on stderr
  --utc                     times in UTC, and not by the clock of the stage
  --verbose                 an error with all that is known about it
  --help                    this page; autopilot COMMAND --help: its own
  --version                 the version of this command

Exit codes
  0  done or applied; a duplicate upload whose dataset is named
  1  an error that none of the others names
  2  the command line is wrong; nothing was done
  3  nothing answers, or the stage, its credentials or a permission are missing
  4  it needs a person: parked, or a problem that doctor or token names
  5  passed over on purpose: skipped by a guard, superseded, ignored
  6  no outcome within --timeout

Examples
  autopilot start
  autopilot upload examples/datasets/prompt-injection.csv
  autopilot fire weeknights
  autopilot send stop nightly --reason "CHG-1042"
  autopilot status --aws --stage prod`;

function lines(listed: Readonly<Record<string, { readonly summary: string }>>): string {
  return Object.entries(listed)
    .map(([name, { summary }]) => `  ${name.padEnd(10)}  ${summary}`)
    .join('\n');
}

/** The four words of the switches share a file. */
function switchCommand(name: 'freeze' | 'thaw' | 'pause' | 'resume'): ListedCommand['load'] {
  return async () => ({ command: (await import('./switches/switch-commands.ts'))[name] });
}

/** It completes all of these commands, so it gets the list. */
async function loadCompletion(): ReturnType<ListedCommand['load']> {
  const { completionOf } = await import('./completion.ts');
  return { command: completionOf(commandList) };
}
