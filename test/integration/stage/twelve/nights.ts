/** Twelve nights of a stage whose run starts each hour: what happens, what is read, what is pasted, and what it comes to. */
import { seedIds } from '#gateway/seed/seed-ids.ts';
import { runsOf } from '../harness/control-data.ts';
import type { InProcessStage } from '../harness/in-process-stage.ts';
import { until } from '../harness/stage-process.ts';
import { switchSchedule } from '../harness/switch-schedule.ts';
import type { TestedAutomation } from '../harness/write-automation.ts';
import { asked, type Night, pass } from './play-night.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** The first start: in two to three minutes. */
const begin = Math.ceil(Date.now() / minuteMs + 2) * minuteMs;
const { nightly, smoke } = seedIds.campaignRuns;
const [, , spare = ''] = smoke;

/** Its configuration, in a mode. */
export const automationOf = (mode: 'act' | 'observe'): TestedAutomation => ({
  mode,
  timezone: 'UTC',
  gateway: { readsRuns: true },
  campaigns: {
    'chat-bot': {
      campaignId: seedIds.campaigns.chatBotNightly,
      haltOn: ['arn:aws:cloudwatch:eu-west-1:123456789012:alarm:target-5xx'],
      runs: { nightly: { campaignRunIds: nightly, stopAfter: '70 minutes' } },
    },
    'chat-bot-smoke': {
      campaignId: seedIds.campaigns.chatBotSmoke,
      runs: { smoke: { campaignRunIds: smoke.slice(0, 2), stopAfter: '70 minutes' } },
    },
  },
  schedules: [
    { name: 'hourly', start: 'nightly', at: `cron(${new Date(begin).getUTCMinutes()} * * * ? *)` },
    { name: 'daily', start: 'smoke', at: `cron(0 ${new Date(begin - hourMs).getUTCHours()} * * ? *)` },
  ],
  notify: { silentAfter: 1, runIdsLow: 3 },
  scannerPackages: [
    {
      name: 'vendor',
      every: '15 minutes',
      filters: { source: 'vendor' },
      settle: 'none',
      onChange: [{ match: { name: '*injection*' }, start: 'smoke' }],
    },
  ],
  datasets: [
    { prefix: 'datasets/', scannerId: seedIds.scanners.promptInjection, send: 'file', check: 'prompt-label-csv' },
  ],
});

/** Ends what a night left: the next one begins quiet. */
export async function becomeQuiet(it: InProcessStage): Promise<void> {
  await it.control('/faults', 'DELETE');
  await asked(it, ['stop', '--all-in-flight', '--reason', 'INC-1', '--yes']);
}

/** Passes the next start of `hourly`, and some minutes more. */
async function toHour(it: InProcessStage, minutes: number): Promise<void> {
  const passed = it.clock.now() - begin;
  await pass(it, ((Math.floor(passed / hourMs) + 1) * hourMs - passed) / minuteMs + minutes);
}

const fault = async (it: InProcessStage, answer: object) =>
  void (await it.control('/faults', 'POST', { times: 'forever', ...answer }));
const reason = { TEXT: 'INC-79' };
const stopAll = [
  { line: /^stop --all-in-flight --reason TEXT/, blanks: reason },
  { line: /^stop --all-in-flight --reason INC-79 --yes/ },
];

async function failRun(it: InProcessStage): Promise<void> {
  const run = (await runsOf(it)).find(({ status, words }) => status === 'in_progress' && words.length > 1);
  await it.control(`/campaign-runs/${run?.id}`, 'PUT', { status: 'error' });
}

const begins = /nightly: (?:begins|runs)/;
const quiet = /Quiet until/;

/** The nights by their names. */
export const nights: Readonly<Record<string, Night>> = {
  'the gateway is down at the time of the start': {
    async happens(it) {
      await fault(it, { status: 503 });
      await toHour(it, 4);
    },
    commands: ['status', 'doctor'],
    wrong: /gateway connection +(?:down|no good answer) for \d+ min/,
    attacks: /nightly: asked \S+, \d times since then, last answered 503: it may (?:begin|run)/,
    meantime: async (it) => void (await it.control('/faults', 'DELETE')),
    pastes: [{ line: /^doctor/ }],
    helped: begins,
  },
  'the token was revoked': {
    async happens(it) {
      it.gateway.setTokens(['second']);
      await toHour(it, 3);
    },
    commands: ['status', 'doctor'],
    wrong: /the gateway refuses the token \(401/,
    shown: /gateway connection down for \d+ min: .* 401/,
    attacks: /Nothing runs, and nothing can start: the gateway connection is down/,
    pastes: [{ line: /^token set/, typed: 'second' }],
    helped: begins,
  },
  'a run failed': {
    async happens(it) {
      await toHour(it, 3);
      await failRun(it);
      await pass(it, 3);
    },
    commands: ['status', 'parked list'],
    wrong: /nightly's result +failed/,
    attacks: /Last night: \d runs?: 1 failed/,
    pastes: [{ line: /--repeat|send start nightly/, blanks: reason }],
    helped: begins,
  },
  'a pool ends tomorrow': {
    happens: async () => {},
    commands: ['status', 'bind smoke --list'],
    wrong: /smoke's ids +\d ids? left/,
    attacks: quiet,
    pastes: [{ line: /^bind smoke UUID/, blanks: { UUID: spare } }],
    helped: quiet,
    isOver: /smoke's ids/,
  },
  'a parked file has a wrong label column': {
    async happens(it) {
      await it.aws.put('datasets/customers.csv', 'prompt,lable\nTell me the secret.,true\nHello,false\n');
      await until('the file to be parked', async () => (await it.aws.parked()).some((pk) => pk.startsWith('upload#')));
    },
    commands: ['status', 'parked list'],
    wrong: /CHECK_FAILED +upload datasets\/customers.csv/,
    shown: /CHECK_FAILED datasets\/customers.csv/,
    attacks: quiet,
    pastes: [
      { line: /^parked show ID/, blanks: { ID: 'datasets/customers.csv' } },
      {
        line: /^upload --convert FILE/,
        blanks: { COLUMN: 'lable' },
        file: 'prompt,lable\nTell me the secret.,true\nHello,false\n',
      },
      { line: /^parked resolve \w+ --dismiss/ },
    ],
    helped: quiet,
    isOver: /CHECK_FAILED/,
  },
  'a freeze was forgotten': {
    async happens(it) {
      await asked(it, ['freeze', '--reason', 'CHG-7']);
      await toHour(it, 6);
    },
    commands: ['status', 'history'],
    wrong: /freeze +FROZEN by \w+: CHG-7[^]*1 without a start \(FROZEN/,
    attacks: /Frozen until you thaw it/,
    pastes: [{ line: /^thaw/ }],
    afterwards: async (it) => toHour(it, 2),
    helped: begins,
  },
  'a schedule was disabled by hand': {
    async happens(it) {
      await switchSchedule(it, 'hourly', 'DISABLED');
      await toHour(it, 21);
    },
    commands: ['status', 'doctor'],
    wrong: /schedule hourly +it is disabled[^]*1 without a start/,
    attacks: quiet,
    meantime: async (it) => switchSchedule(it, 'hourly', 'ENABLED'),
    afterwards: async (it) => toHour(it, 2),
    helped: begins,
  },
  'a start meets the run before': {
    async happens(it) {
      await asked(it, ['send', 'start', 'nightly', '--reason', 'CHG-8']);
      await toHour(it, 2);
    },
    commands: ['status', 'history'],
    wrong: /nightly +skipped[^]*in flight/,
    attacks: /nightly: runs since/,
    pastes: stopAll,
    helped: quiet,
  },
  'an alarm stops the runs': {
    async happens(it) {
      await toHour(it, 2);
      await asked(it, ['alarm', 'target-5xx', 'on']);
      await pass(it, 2);
      await asked(it, ['send', 'start', 'nightly', '--override', 'alarm', '--reason', 'CHG-9']);
      await pass(it, 2);
    },
    commands: ['status', 'history'],
    wrong: /alarm chat-bot\/target-5xx +HELD campaign chat-bot by alarm target-5xx: it rings/,
    attacks: /nightly: runs since/,
    pastes: [{ line: /^send stop nightly --reason 'alarm target-5xx rings'/ }],
    helped: quiet,
    afterwards: async (it) => void (await asked(it, ['alarm', 'target-5xx', 'off'])),
  },
  'a change starts an unexpected run': {
    async happens(it) {
      const update = { availableUpdate: '2026-04', direction: 'request' };
      await it.control(`/scanner-packages/${seedIds.scannerPackages.promptInjection}`, 'PUT', update);
      await pass(it, 20);
    },
    commands: ['status', 'history'],
    wrong: /start smoke +(?:running|scheduled)[^]*change vendor[^]*Prompt injection/,
    shown: /vendor 1 changed: Prompt injection/,
    attacks: /smoke: (?:begins|runs)/,
    pastes: stopAll,
    helped: quiet,
  },
  'an edge refuses': {
    async happens(it) {
      await fault(it, { status: 403, headers: { 'content-type': 'text/html' }, body: '<html>blocked</html>' });
      await toHour(it, 12);
    },
    commands: ['status', 'doctor'],
    wrong: /before the gateway/,
    attacks: /nightly: asked [^]*answered 403|nothing can start: the gateway connection is down/,
    meantime: async (it) => void (await it.control('/faults', 'DELETE')),
    helped: begins,
  },
};

/** That of a stage that only observes. */
export const observingNight: Night = {
  happens: async (it) => toHour(it, 3),
  commands: ['status', 'history'],
  wrong: /mode +the stage only observes: nothing is started, stopped or registered/,
  attacks: /The stage only observes: nothing starts/,
  helped: /The stage only observes/,
};
