import type { ListedCommand } from './terminal/command.ts';

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
  drain: { summary: 'cancel unused runs, before a stage goes', load: () => import('./runs/drain.ts') },
  token: { summary: 'put the gateway token in, or check it', load: () => import('./stage/token.ts') },
  doctor: { summary: 'what is wrong with a stage, and the next step', load: () => import('./reports/doctor.ts') },
  status: { summary: 'queues, schedules, what is parked and in flight', load: () => import('./reports/status.ts') },
  show: { summary: 'the result of an upload or a command', load: () => import('./reports/show.ts') },
  uploads: { summary: 'uploads and their results, newest first', load: () => import('./uploads/uploads.ts') },
  history: { summary: 'what was asked, the result, and why', load: () => import('./reports/history.ts') },
  evidence: { summary: 'one document about one start of a run', load: () => import('./reports/evidence.ts') },
  scores: { summary: 'what the last runs found, and what changed before', load: () => import('./reports/scores.ts') },
  report: { summary: 'one file of HTML about a period, to hand on', load: () => import('./reports/report.ts') },
  plan: { summary: 'what the schedules will bring about: a dry run', load: () => import('./reports/plan.ts') },
  parked: { summary: 'list, show and resolve what needs attention', load: () => import('./parked/parked.ts') },
  console: { summary: 'the same in a browser, for as long as it runs', load: () => import('./stage/console.ts') },
  runbook: { summary: 'what to do about an alarm, or a reason', load: () => import('./runbook.ts') },
  clock: { summary: 'show or move the clock of a local run', load: () => import('./stage/clock.ts') },
  calendar: { summary: 'show or move a calendar of a local run', load: () => import('./stage/calendar.ts') },
  alarm: { summary: 'show or move an alarm of a local run', load: () => import('./stage/alarm.ts') },
};

function switchCommand(name: 'freeze' | 'thaw' | 'pause' | 'resume'): ListedCommand['load'] {
  return async () => ({ command: (await import('./stage/switch-commands.ts'))[name] });
}
