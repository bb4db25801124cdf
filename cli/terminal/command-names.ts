/** The words after `autopilot` that a hint can name. The two lists of the room above have an entry for each, by their types. */

/** The operator's commands. */
const commandNames = [
  'upload',
  'check',
  'send',
  'fire',
  'bind',
  'freeze',
  'thaw',
  'pause',
  'resume',
  'stop',
  'token',
  'doctor',
  'status',
  'show',
  'uploads',
  'history',
  'evidence',
  'report',
  'plan',
  'parked',
  'console',
  'runbook',
  'completion',
  'clock',
  'calendar',
  'alarm',
] as const;
export type CommandName = (typeof commandNames)[number];

/** Commands that take over the process. */
const programNames = ['init', 'start', 'gateway', 'synth', 'bootstrap', 'diff', 'deploy', 'destroy'] as const;
export type ProgramName = (typeof programNames)[number];
