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
export const documentPath = join(import.meta.dirname, '..', '..', '..', 'docs', 'reference', 'limits.md');

const benchCommand = 'npm run bench -- --only scale';
const writeCommand = 'npm run docs -- limits';

/**
 * The whole of docs/reference/limits.md: every number in it is measured, a quota, a setting, or
 * computed here from those.
 */
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
    '## Assumptions\n',
    assumptions(),
    '## The quick form\n',
    `\`${benchCommand} --quick\` and \`npx vitest run test/unit/bench/limits.long.test.ts\` play ${quickPart} of the time, with ${quickPart} of the ` +
      'messages in flight, at the same rates. They compare the result with `test/bench/scale/measured.json`.\n',
  ].join('\n');
}

function introduction({ date }: Measured): string {
  return `# Limits

What a stage can do, which quota of AWS it meets first, and what to configure then. The figures come from the product's own code on a virtual clock with a fixed seed,
measured on ${date}; no account has run a million uploads. \`${writeCommand}\` makes this page; \`${writeCommand} --text\` writes it without measuring.
`;
}

const rows: readonly (readonly [string, (figures: ScaleFigures) => number])[] = [
  ['messages', ({ messages }) => messages],
  ['applied', ({ applied }) => applied],
  ['skipped after their half hour', ({ skipped }) => skipped],
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
  ['read units', ({ ledgerReadUnits }) => ledgerReadUnits],
  ['writes of the ledger', ({ ledgerWrites }) => ledgerWrites],
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
  return `Drain time counts from the last arrival; for B from the gateway's return.

- A: no upload waits. Batches are small when work trickles in
  (${amount(Math.round((10 * day.messages) / day.invocations) / 10)} messages each). The list of recent outcomes, one write a batch, is a good part of the writes.
- B: ${amount(down.failedCalls)} calls in six hours found no gateway; ${amount(down.mostWaiting)} uploads waited, and without new arrivals were done ${hours(down.drainSeconds)} hours after its return.
  At ${datasetsPerSecond} requests/s the backlog takes at least ${hours(down.mostWaiting / datasetsPerSecond)} hours. If ${amount(evenlyPerSecond)} uploads/s keep arriving, ${amount(datasetsPerSecond - evenlyPerSecond)} requests/s remain and it takes ${hours(down.mostWaiting / (datasetsPerSecond - evenlyPerSecond))} hours.
- C: ${amount(backlog.drainSeconds)} s; ideal ${amount(backlog.messages / backlogPerSecond)} s.
- D: all ${amount(schedules.applied)} starts within ${amount(Math.ceil(schedules.drainSeconds / 60))} minutes, each after a GET of its campaign.
- E: ${amount(schedulesAsShipped.applied)} starts within their half hour; the others are skipped as MISSED_WINDOW, in the ledger and as an event. The rate is the limit.
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

1. **The configured rate**, nearly always.
2. **Schedules: the resources of a stack.** ${quotas.stackResources.value} − ${resources - schedules} others leave ${amount(quotas.stackResources.value - resources + schedules)} schedules and watches for a stage.
   Ten thousand starts in one minute need another sender of commands, or several stages.
3. **Outages: messages in flight.** SQS counts the hidden messages that wait for the gateway. At a million uploads a day ${amount(quotas.queueInFlight.value)} are reached
   after ${amount(Math.round((quotas.queueInFlight.value / (1e6 / 24)) * 10) / 10)} hours; B reached ${amount(down.mostInFlight)}. The rest stay visible in the queue and are delivered once earlier ones are done.
4. **Fast drains: one key of the index \`open\`.** ${amount(perUpload)} units an upload under one key: ${amount(Math.floor(quotas.keyWrites.value / perUpload))} uploads/s.
   DynamoDB's burst capacity of five minutes hides it for a short drain.
`;
}

function settings({ backlog, schedules }: Measured['full']): string {
  const fastest = Math.floor((quotas.keyWrites.value / backlog.openIndexWriteUnits) * backlogPerSecond);
  return `## What to configure then

| you have | set | why |
| --- | --- | --- |
| a million uploads a day | \`requestsPerSecond: { datasets: ${datasetsPerSecond} }\`, if the gateway allows it | half more than the busiest hours of A; with less than they bring, the queue grows in the day and drains at night |
| an outage that may not cost more time than it lasted | \`datasets\` at twice the average rate of uploads | B drains with what the arrivals leave |
| more than ${amount(fastest)} uploads/s for minutes | several stages, each with its prefix and its share of the rate | each stage has its own key of the index \`open\` |
| a new account with 10 executions at once | \`datasets\` at most 125 | five environments for uploads, two for commands, some for the others |
| 10,000 starts in one minute | \`requestsPerSecond: { runs: ${ratesForSchedules.runs}, reads: ${ratesForSchedules.reads} }\` and \`validFor\` of half an hour | D: ${amount(schedules.environments)} environments, ${amount(Math.ceil(schedules.drainSeconds / 60))} minutes. A smaller rate needs a longer \`validFor\`: starts ÷ rate |
| a gateway that answers slower than 140 ms | nothing, or a little more than the rate that you want | above 0.2 s an upload the rate falls in proportion |
`;
}

function assumptions(): string {
  const ports = Object.entries(portMs)
    .filter(([, [least]]) => least > 0)
    .map(([port, [least, most]]) => `${port} ${least} to ${most} ms`);
  return `- The gateway answers within ${gatewayMs} ms and refuses requests beyond its rate (a token bucket, one second deep).
- ${ports.join(', ')}; ${betweenBatchesMs} ms between two batches.
- register-datasets takes ${uploadsBatchSize} messages a batch and has ${uploadsAtOnce} of them under way. Its rule checks no content; with \`check: 'prompt-label-csv'\` a GET replaces the HEAD.
- All environments of the maximum concurrency are there at once. Lambda begins with ${lambdaScaling.atFirst} and adds ${lambdaScaling.perSecond} a second.
- Every message is delivered once. Duplicates, kills and faults: [reliability](reliability.md).
`;
}

function hours(seconds: number): string {
  return amount(seconds / 3600);
}
