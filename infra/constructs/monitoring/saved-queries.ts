import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { type LogEvent, logEvents } from '#shared/vocabulary/log-events.ts';
import type { OutcomeKind } from '#shared/vocabulary/reason-codes.ts';
import { WorkerFunction } from '../compute/worker-function.ts';

/** A question to the logs of all functions. */
interface SavedQuery {
  readonly id: string;
  /** CloudWatch takes no `:` and no `*` in it; `/` makes folders. */
  readonly name: string;
  /** The commands of the query, one a line; a line that begins with `#` is for the reader. */
  readonly lines: readonly string[];
}

const is = (event: LogEvent) => `event = "${event}"`;
const isOneOf = (...events: readonly LogEvent[]) => `event in [${events.map((event) => `"${event}"`).join(', ')}]`;
const ended = (kind: OutcomeKind) => `${is(logEvents.outcome)} and outcome = "${kind}"`;

const oldestFirst = ['sort @timestamp asc', 'limit 1000'];
const newestFirst = ['sort @timestamp desc', 'limit 200'];

/**
 * The questions of a person who looks into a fault; by the names of the vocabulary, which the
 * functions write.
 */
const savedQueries: readonly SavedQuery[] = [
  {
    id: 'OneUpload',
    name: 'What happened to one upload',
    lines: [
      '# put the key, or a part of it, into both texts',
      'fields @timestamp, service, event, message, outcome, reason, detail, datasetId',
      'filter key like "datasets/" or subject like "datasets/"',
      ...oldestFirst,
    ],
  },
  {
    id: 'OneCommand',
    name: 'What happened to one command',
    lines: [
      '# put the id, or a part of it, into both texts: autopilot history --json shows it',
      'fields @timestamp, service, event, message, outcome, reason, detail',
      'filter subject like "@" or commandId like "@"',
      ...oldestFirst,
    ],
  },
  {
    id: 'OneRun',
    name: 'What happened to one campaign run',
    lines: [
      '# put the id of the run into the text, or its name into: filter run = "nightly"',
      'fields @timestamp, service, event, message, action, run, outcome, reason, detail',
      'filter campaignRunId like "-"',
      ...oldestFirst,
    ],
  },
  {
    id: 'StartsAndStops',
    name: 'Starts and stops',
    lines: [
      'fields @timestamp, action, run, outcome, reason, campaignRunId, detail',
      `filter ${is(logEvents.outcome)} and service = "update-campaign-runs"`,
      ...newestFirst,
    ],
  },
  {
    id: 'Parked',
    name: 'Everything that was parked',
    lines: ['fields @timestamp, service, reason, subject, detail', `filter ${ended('parked')}`, ...newestFirst],
  },
  {
    id: 'Reasons',
    name: 'Why things were parked or skipped, counted',
    lines: [
      `filter (${ended('parked')}) or (${ended('skipped')})`,
      'stats count(*) as times, latest(@timestamp) as last by service, outcome, reason',
      'sort times desc',
    ],
  },
  {
    id: 'Later',
    name: 'Why messages went back to their queue',
    lines: [
      `filter ${is(logEvents.recordLater)}`,
      'parse message "back to the queue: *" as why',
      'stats count(*) as times, max(receiveCount) as deliveries, max(delayMs) as longestWait by service, why',
      'sort times desc',
    ],
  },
  {
    id: 'Gate',
    name: 'The gate and the token',
    lines: [
      'fields @timestamp, service, event, message, probeAt, failedProbes, pausedUntil',
      `filter ${isOneOf(logEvents.gateClosed, logEvents.gatePaused, logEvents.gateOpened, logEvents.gateUnwritten, logEvents.authRefused)}`,
      ...newestFirst,
    ],
  },
  {
    id: 'Errors',
    name: 'Errors and warnings',
    lines: [
      'fields @timestamp, service, level, event, message, requestId',
      'filter level in ["ERROR", "WARN"] or @message like /Task timed out|Runtime exited/',
      ...newestFirst,
    ],
  },
];

/**
 * Queries over the logs of every function of the stack, which stand in Logs Insights under the name
 * of the stage.
 */
export class SavedQueries extends Construct {
  constructor(scope: Construct, id: string, { stage }: { readonly stage: string }) {
    super(scope, id);
    const logGroupNames = Stack.of(this)
      .node.findAll()
      .filter((one) => one instanceof WorkerFunction)
      .map((one) => one.logGroup.logGroupName);
    for (const query of savedQueries) {
      new CfnQueryDefinition(this, query.id, {
        name: `gateway-autopilot/${stage}/${query.name}`,
        queryString: query.lines.map((line, index) => separated(line, query.lines[index - 1])).join('\n'),
        logGroupNames,
      });
    }
  }
}

/** `|` separates commands; there is none before the first one, and before a remark. */
function separated(line: string, before: string | undefined): string {
  const isFirst = before === undefined || before.startsWith('#');
  return isFirst || line.startsWith('#') ? line : `| ${line}`;
}
