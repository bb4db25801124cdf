import type { CommandDeps } from '#cli/terminal/command.ts';
import { leadingTo, timesIn } from '#cli/terminal/times.ts';
import { commandAt } from '#operator/plan/schedule-occurrences.ts';
import { commandsOfMode } from '#functions/_handler/stage-ledger.ts';
import { watchRuns } from '#functions/watch-campaigns/watch-runs.ts';
import { scheduledCommandInput } from '#infra/constructs/compute/stage-schedules.ts';
import type { DeployedSchedule } from '#shared/aws/schedules.ts';
import { resolveAutomation } from '#shared/config/resolve/resolve-automation.ts';
import type { CampaignRunCommand } from '#shared/messages/campaign-run-command.ts';
import { previewQuestion } from '#shared/messages/questions.ts';
import { visibleText } from '#shared/text/visible-text.ts';
import { fakeDeps, typed, linesOf } from '../../operator/fake-deps.ts';
import { aCommand, createUpdateBench } from '../../functions/update-campaign-runs/harness/update-bench.ts';
import { validDocument } from '../../shared/config/document.ts';
import { operatorLinesOf } from './markdown.ts';

const quietLog = { debug() {}, info() {}, warn() {}, error() {} };
const weekMs = 7 * 24 * 3_600_000;

/**
 * A stage with the configuration of a page: the worker of campaign runs, and the operator's
 * commands against its ledger. It begins at ten in the evening of Friday 2026-11-20 in Dublin.
 */
export function createOperatorBench(settings: object) {
  const document = { gateway: validDocument().gateway, timezone: 'Europe/Dublin', ...settings };
  const result = resolveAutomation('prod', document, { isLocalStage: false, now: new Date('2026-11-20T12:00:00Z') });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const { runs, blackouts, schedules, mode } = result.automation;
  const times = timesIn(document.timezone, { isFile: true });
  const bench = createUpdateBench({ runs, blackouts, mode });
  // The campaign ran a week ago: a minimum gap needs a last run that can be read.
  bench.passMs(-weekMs);
  bench.startByHand();
  bench.passMs(weekMs);
  const deployed = schedules.map((schedule): DeployedSchedule => ({
    name: schedule.name,
    expression: schedule.expression,
    timezone: schedule.timezone,
    isEnabled: schedule.enabled,
    ...(schedule.startDate === undefined ? {} : { startDate: new Date(schedule.startDate) }),
    targetArn: 'arn:aws:sqs:eu-west-1:000000000000:commands',
    input: scheduledCommandInput(schedule),
  }));
  const { deps: fake } = fakeDeps({ schedules: deployed, mode });
  const deps: CommandDeps = {
    ...fake,
    now: async () => bench.now(),
    written: (at) => times(bench.now()).at(at),
    stage: {
      ...fake.stage,
      ledger: async () => bench.ledger,
      acting: async () => bench.table,
      send: async (_queue, body) => void (await bench.deliver(body)),
      invoke: async (_arn, input) => ({ payload: JSON.stringify(await answerTo(JSON.parse(input))) }),
    },
  };

  async function answerTo(question: { readonly ask: string }): Promise<object> {
    if (question.ask !== 'preview') return { mode, runs };
    const { commands, until } = previewQuestion.parse(question);
    return bench.preview(commands as readonly CampaignRunCommand[], new Date(until));
  }

  const moveTo = (instant: string) => bench.passMs(Date.parse(instant) - bench.now().getTime());

  return {
    ...bench,
    warnings: result.warnings,
    moveTo,
    /** A schedule fires at that instant, and its command is handled so much later. */
    async fire(name: string, instant: string, afterMs = 1000) {
      const schedule = deployed.find((one) => one.name === name);
      if (schedule === undefined) throw new Error(`the page has no schedule ${name}`);
      moveTo(instant);
      bench.passMs(afterMs);
      return bench.deliver(JSON.stringify(commandAt(schedule, new Date(instant))));
    },
    /** Another sender asks for a start at that instant. */
    async ask(instant: string, fields: Partial<CampaignRunCommand>) {
      moveTo(instant);
      return bench.deliver(aCommand({ id: `ask@${instant}`, issuedAt: instant, ...fields }));
    },
    /** The tick of that instant: stops that are due are sent and handled, and runs whose time is over are counted out. */
    async tick(instant: string) {
      moveTo(instant);
      const due: string[] = [];
      await watchRuns({
        ledger: bench.ledger,
        commands: commandsOfMode(mode, { send: async (body) => void due.push(body) }),
        now: bench.now,
        reports: { log: quietLog, count: () => {} },
      });
      for (const body of due) await bench.deliver(body);
    },
    /** What one command line prints, as `cli/main.ts` writes it into a file. */
    async operator(line: string): Promise<string> {
      const { command, args } = await typed(operatorLinesOf(`    ${line}`)[0] ?? []);
      return linesOf(await command.run(args, deps), leadingTo(times, { stageWords: [] }, bench.now))
        .map(visibleText)
        .join('\n')
        .trimEnd();
    },
  };
}
