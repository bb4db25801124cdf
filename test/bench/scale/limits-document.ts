import { join } from 'node:path';
import { uploadsAtOnce } from '#shared/uploads/object-events.ts';
import { uploadsBatchSize } from '#infra/config/stage-numbers.ts';
import { betweenBatchesMs, gatewayMs, lambdaScaling, portMs } from '../drain/latencies.ts';
import { budgets } from './budgets.ts';
import type { Measured } from './measured.ts';
import { quotas, quotasAsOf } from './quotas.ts';
import type { ScaleFigures } from './scenario.ts';
import { backlogPerSecond, quickPart, type ScenarioName, scenarioNames, scenarios } from './scenarios.ts';
import { ratesForSchedules } from './schedules.ts';
import { amount, table } from './text.ts';
import { datasetsPerSecond, evenlyPerSecond } from './uploads.ts';
import type { StackSize } from './workers-stack.ts';

/** The document that is made here. */
export const documentPath = join(import.meta.dirname, '..', '..', '..', 'docs', 'limits.md');

const benchCommand = 'npm run bench -- --only scale';
const writeCommand = 'npm run docs:limits';

/** The whole of docs/limits.md: every number in it is measured, a quota, a setting, or computed here from those. */
export function limitsDocument(measured: Measured, stack: StackSize): string {
  return [
    introduction(measured),
    '## What was played\n',
    `\`${benchCommand}\` plays it again and compares every figure.\n`,
    figuresTable(measured.full),
    whatItSays(measured.full),
    '## The budgets\n',
    `Quotas are the defaults of an account in one of the larger Regions, as their pages said on ${quotasAsOf}.\n`,
    budgetsTable(measured.full, stack),
    bindsFirst(measured.full, stack),
    settings(measured.full),
    '## What is taken for granted\n',
    assumptions(),
    '## The quick form\n',
    `A hundredth of the time (${quickPart}) at the same rates, and a hundredth of the messages that may be in flight. \`${benchCommand} --quick\` and ` +
      '`npx vitest run test/unit/bench/limits.test.ts` play it and compare it with this table.\n',
    figuresTable(measured.quick),
  ].join('\n');
}

function introduction({ date }: Measured): string {
  return `# Limits

What a stage stands, which quota of AWS it meets first, and what to configure then. The figures come from the product's own code (client, pace, gate, retries, ledger
logic) on a virtual clock with a fixed seed: they are the same on every machine. They were measured on ${date}. This document is made by
\`${writeCommand}\`; with \`-- --text\` it is written anew without measuring. Nobody has run a million uploads in an account.
`;
}

const rows: readonly (readonly [string, (figures: ScaleFigures) => number])[] = [
  ['messages', ({ messages }) => messages],
  ['applied', ({ applied }) => applied],
  ['skipped, their half hour was over', ({ skipped }) => skipped],
  ['parked', ({ parked }) => parked],
  ['dead letters', ({ deadLetters }) => deadLetters],
  ['calls of the gateway', ({ calls }) => calls],
  ['of these answered 429', ({ refusedCalls }) => refusedCalls],
  ['of these not connected', ({ failedCalls }) => failedCalls],
  ['seconds to drain', ({ drainSeconds }) => drainSeconds],
  ['most messages in the queue', ({ mostWaiting }) => mostWaiting],
  ['most of them in flight', ({ mostInFlight }) => mostInFlight],
  ['environments at once', ({ environments }) => environments],
  ['invocations', ({ invocations }) => invocations],
  ['seconds of Lambda', ({ lambdaSeconds }) => lambdaSeconds],
  ['reads of the ledger', ({ ledgerReads }) => ledgerReads],
  ['writes of the ledger', ({ ledgerWrites }) => ledgerWrites],
  ['read units', ({ ledgerReadUnits }) => ledgerReadUnits],
  ['write units, indexes included', ({ ledgerWriteUnits }) => ledgerWriteUnits],
  ['write units of the busiest second', ({ mostWriteUnits }) => mostWriteUnits],
  ['of these in the index `open`', ({ openIndexWriteUnits }) => openIndexWriteUnits],
  ['of these in the row of recent outcomes', ({ recentWriteUnits }) => recentWriteUnits],
  ["read units of the gate's row in its busiest second", ({ gateReadUnits }) => gateReadUnits],
  ['events on the bus', ({ busEvents }) => busEvents],
];

const letters: Readonly<Record<ScenarioName, string>> = {
  day: 'A',
  down: 'B',
  backlog: 'C',
  schedules: 'D',
  schedulesAsShipped: 'E',
};

function figuresTable(played: Measured['full']): string {
  const head = ['', ...scenarioNames.map((name) => letters[name])];
  const body = rows.map(([title, figure]) => [title, ...scenarioNames.map((name) => amount(figure(played[name])))]);
  const legend = scenarioNames.map((name) => `- ${letters[name]}: ${scenarios[name].title}.`).join('\n');
  return `${legend}\n\n${table(head, body)}`;
}

function whatItSays({ day, down, backlog, schedules, schedulesAsShipped }: Measured['full']): string {
  return `Drain time counts from the last arrival; for B that is the moment when the gateway is back. In words:

- A: ${amount(day.environments)} environments are enough, and no upload waits. Batches are small when work trickles in
  (${amount(Math.round((10 * day.messages) / day.invocations) / 10)} messages each), so the list of recent outcomes, one write a batch, is a good part of the ledger's writes.
- B: ${amount(down.failedCalls)} calls in six hours found that nobody was there; ${amount(down.mostWaiting)} uploads waited and, where nothing more arrives, were done ${hours(down.drainSeconds)} hours after the gateway came back.
  At ${datasetsPerSecond} requests/s that backlog cannot take less than ${hours(down.mostWaiting / datasetsPerSecond)} hours; where ${amount(evenlyPerSecond)} uploads/s go on arriving, ${amount(datasetsPerSecond - evenlyPerSecond)} requests/s are left for it, and it takes ${hours(down.mostWaiting / (datasetsPerSecond - evenlyPerSecond))} hours.
- C: ${amount(backlog.drainSeconds)} s where ${amount(backlog.messages / backlogPerSecond)} s is ideal; \`npm run bench -- --only drain\` compares it with other ways to drain a queue.
- D: all ${amount(schedules.applied)} starts within ${amount(Math.ceil(schedules.drainSeconds / 60))} minutes, each after a GET of its campaign. Their stops come later in the same way, and are never too late to count.
- E: ${amount(schedulesAsShipped.applied)} starts within their half hour; the others are skipped as MISSED_WINDOW, in the ledger and as an event. The rate is the limit, not AWS.
`;
}

function budgetsTable(full: Measured['full'], stack: StackSize): string {
  const body = budgets(full, stack).map(({ quota, who, arithmetic, binds }) => {
    const { value, unit, source, isAdjustable } = quotas[quota];
    const adjustable = isAdjustable ? 'adjustable' : 'fixed';
    return [`[${amount(value)}](${source}) ${unit} (${adjustable})`, who, arithmetic, binds];
  });
  return table(['quota', 'who spends it', 'arithmetic', 'binds at'], body);
}

function bindsFirst({ down, backlog }: Measured['full'], { resources, schedules }: StackSize): string {
  const perUpload = backlog.openIndexWriteUnits / backlogPerSecond;
  return `## What binds first

1. **The configured rate**, nearly always: it is the gateway's, and everything else follows from it.
2. **Schedules: the resources of a stack.** ${quotas.stackResources.value} − ${resources - schedules} others leave ${amount(quotas.stackResources.value - resources + schedules)} schedules and watches for a stage.
   Ten thousand starts in one minute are a run plan, or another sender of commands, or several stages; the commands worker does not mind (D).
3. **Outages: messages in flight.** A message that waits for the gateway is hidden, and SQS counts hidden ones. At a million uploads a day ${amount(quotas.queueInFlight.value)} are reached
   after ${amount(Math.round((quotas.queueInFlight.value / (1e6 / 24)) * 10) / 10)} hours; B reached ${amount(down.mostInFlight)}. Nothing is lost: the others stay visible in the queue, and are received as soon as others are done.
4. **Fast drains: one key of the index \`open\`.** What is being sent is entered there and taken out, ${amount(perUpload)} units an upload, all under one key: ${amount(Math.floor(quotas.keyWrites.value / perUpload))} uploads/s.
   DynamoDB's burst capacity of five minutes hides it for a short drain.
`;
}

function settings({ backlog, schedules }: Measured['full']): string {
  const fastest = Math.floor((quotas.keyWrites.value / backlog.openIndexWriteUnits) * backlogPerSecond);
  return `## What to configure then

| you have | set | why |
| --- | --- | --- |
| a million uploads a day | \`requestsPerSecond: { datasets: ${datasetsPerSecond} }\`, if the gateway allows it | half as much again as the busiest hours of A bring; with less than these the queue grows in the day and drains at night |
| an outage that may not cost more time than it lasted | \`datasets\` at twice the average rate of uploads | B drains what is left over from the arrivals alone |
| more than ${amount(fastest)} uploads/s for minutes | several stages, each with its prefix and its share of the rate | the key of the index \`open\` is one for each stage |
| a new account with 10 executions at once | \`datasets\` at most 125 | five environments for uploads, two for commands, and some for the others |
| 10,000 starts in one minute | \`requestsPerSecond: { runs: ${ratesForSchedules.runs}, reads: ${ratesForSchedules.reads} }\` and \`validFor\` of half an hour | D: ${amount(schedules.environments)} environments, ${amount(Math.ceil(schedules.drainSeconds / 60))} minutes. A smaller rate needs a longer \`validFor\`: starts ÷ rate |
| a gateway that answers slower than 140 ms | nothing, or a little more than the rate that you want | an upload may take 0.2 s before the maximum concurrency is too small; the rate falls in proportion then, and nothing else happens |
`;
}

function assumptions(): string {
  const ports = Object.entries(portMs)
    .filter(([, [least]]) => least > 0)
    .map(([port, [least, most]]) => `${port} ${least} to ${most} ms`);
  return `- The gateway answers within ${gatewayMs} ms and refuses what is beyond its rate (the embedded gateway's own token bucket, one second deep).
- ${ports.join(', ')}; ${betweenBatchesMs} ms between two batches.
- register-datasets takes ${uploadsBatchSize} messages a batch and has ${uploadsAtOnce} of them under way ([ADR 0024](adr/0024-one-read-of-a-file.md)). Its rule checks no content; with \`check: 'prompt-label-csv'\` a GET takes the place of the HEAD. \`npm run bench -- --only drain\` checks.
- All environments of the maximum concurrency are there at once. Lambda begins with ${lambdaScaling.atFirst} and adds ${lambdaScaling.perSecond} a second; \`npm run bench -- --only drain\` prints what that costs.
- Every message is delivered once. What duplicates, kills and faults do is [reliability.md](reliability.md).
`;
}

function hours(seconds: number): string {
  return amount(seconds / 3600);
}
