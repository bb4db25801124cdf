import { without } from '../mutant.ts';

const silence = [
  'test/unit/functions/reconcile-ledger/judge-silence.test.ts',
  'test/unit/functions/reconcile-ledger/silent-schedules.test.ts',
];

/** What keeps the operator's command, the run on one machine, events and dashboard from telling what was not so. */
export const toldMutants = [
  ...without('operator/parked/find-parked.ts', ['test/unit/cli/parked/resolve.test.ts'], {
    'two characters of an id decide about no row': ['id.length < shortestHandle', 'id.length < 1'],
  }),
  ...without('cli/runs/send.ts', ['test/unit/cli/runs/send.test.ts'], {
    'a run that there is not is refused before a command about it is sent': '  await refuseUnknownRun(wanted, deps);\n',
  }),
  ...without('operator/runs/run-ids.ts', ['test/unit/cli/runs/send.test.ts'], {
    'a stop of a run that the ledger knows is sent, whatever the configuration says':
      '  if (known !== undefined) return;\n',
  }),
  ...without(
    'operator/evidence/read-evidence.ts',
    ['test/unit/cli/reports/evidence.test.ts', 'test/unit/docs/evidence.test.ts'],
    {
      'a run that was stopped before it began is no run that can be compared': ["begun !== 'no' && ", ''],
    },
  ),
  ...without(
    'operator/needs/needs.ts',
    ['test/unit/operator/needs/needs.test.ts', 'test/unit/cli/reports/status.test.ts'],
    {
      'a stage that only observes says so': ["if (mode !== 'observe') return []", 'if (mode !== undefined) return []'],
      'a stage that observes says which runs it started for real go on': ['if (real > 0) {', 'if (real < 0) {'],
    },
  ),
  ...without('operator/runs/runs-in-flight.ts', ['test/unit/cli/runs/send.test.ts', 'test/unit/docs/guards.test.ts'], {
    'a stop that a stage only observes is not told as one that was made': [
      "  if (modeOf(await deps.stage.outputs()) === 'act') return;\n",
      '  if (deps !== undefined) return;\n',
    ],
  }),
  ...without('cli/runs/stop.ts', ['test/unit/cli/runs/stop.test.ts', 'test/unit/docs/guards.test.ts'], {
    'stops of all in flight are not asked for if none is sent': ["(outputs) === 'observe'", '(outputs) === undefined'],
  }),
  ...without('cli/main.ts', ['test/unit/cli/main.test.ts'], {
    'a command that acts refuses two stages': ['    if (command.runSeveral === undefined)\n', '    if (!rest)\n'],
  }),
  ...without('operator/target.ts', ['test/integration/operator/target.test.ts'], {
    'a local run is called with its own key, whatever the environment has':
      '    credentials: async () => ({ ...(await keyOf(target)), expiration: new Date(0) }),\n',
  }),
  ...without('local/schedules/schedule-delivery.ts', ['test/unit/local/schedules/start-schedules.test.ts'], {
    'a move of the clock calls the watcher when its work falls due': ['await nextWorkMs(firing), targetMs', 'targetMs'],
  }),
  ...without(
    'functions/_runs/outcomes.ts',
    ['test/unit/functions/update-campaign-runs/starts.test.ts', 'test/unit/docs/events.test.ts'],
    {
      'an event is what docs/reference/events.md says that it is': ['origin, at, run', 'origin, run'],
    },
  ),
  ...without(
    'functions/reconcile-ledger/judge-silence.ts',
    ['test/unit/functions/reconcile-ledger/judge-silence.test.ts'],
    {
      'what the silence of every schedule came to fits one row': [
        'cappedDetail(outcome.detail, mostDetailBytes)',
        'outcome.detail',
      ],
    },
  ),
  ...without('infra/constructs/monitoring/webhooks.ts', ['test/infra/alarms/webhooks.test.ts'], {
    'the chat of one stage gets no alarm of another': 'alarmName: [{ prefix: alarmPrefix(this.stage) }], ',
  }),
  ...without('shared/config/schema/value-schemas.ts', ['test/unit/shared/config/resolve-automation.test.ts'], {
    'a configuration holds no address of a webhook': ["if (text.includes('://'))", 'if (text.length === 0)'],
  }),
  ...without('local/stage/start-options.ts', ['test/unit/local/stage/local-gateway.test.ts'], {
    'a notice of a stage on one machine does not leave the machine': ['isLoopbackUrl(text) && new URL', 'new URL'],
  }),
  ...without('shared/ledger/switches.ts', ['test/unit/operator/switches/switch-bands.test.ts'], {
    'a freeze that is over keeps its record': [
      'const over = before && pastSwitch(before, wanted);',
      'const over: PastSwitchRow | undefined = undefined;',
    ],
  }),
  ...without('functions/reconcile-ledger/judge-silence.ts', silence, {
    'a schedule without a start rings after as many occurrences as the configuration says': [
      'missed.at(isOnce ? -1 : -schedule.silentAfter)',
      'missed.at(isOnce ? -1 : -99)',
    ],
    'an occurrence of which no command came counts as no start': [
      "if (row === undefined) return { reason: 'NO_MESSAGE' };",
      "if (row === undefined) throw new Error('no row');",
    ],
    'a blackout that has an end does not ring': '|| isExcused(schedule, row, at, facts) ',
  }),
  ...without('functions/reconcile-ledger/silent-schedules.ts', silence, {
    'one silence is told once, and then once a day':
      'if (toldAt !== undefined && (isHeldBack(reason) || !isDayAgo(toldAt, now))) return undefined;',
    'the nights of a stage that only observes do not count once it acts':
      "  if (deps.config.mode === 'observe') await rememberObserving(now, deps);\n",
    "a person's words end no text of a notice": ".replaceAll(/[^\\p{L}\\p{N} .,:;@/_+#()-]+/gu, ' ')",
  }),
];
