import type { CommandRow } from '#shared/ledger/rows/command-row.ts';
import type { Played } from '../play.ts';
import { type CommandAsSent, isLater, parkedMessagesOf } from '../sent-work.ts';
import { processes } from '../stage-config.ts';
import { type RunsSeen, runsSeenIn, type Stint } from '../stints.ts';

/**
 * What must hold of every command and every run: I1, I2, I4, I5, I6 and I8, by what took effect at
 * the gateway. Each broken promise is one sentence.
 */
export function brokenRunPromises(played: Played): readonly string[] {
  const seen = runsSeenIn(played);
  const givenUp = parkedMessagesOf(played).map(({ parked }) => parked?.message ?? '');
  const isGivenUp = ({ command }: CommandAsSent) => givenUp.some((message) => message.includes(`"${command.id}"`));
  return [
    ...seen.commands.flatMap((sent) => {
      const untrue = sent.command.action === 'start' ? untrueStart(sent, seen) : untrueStop(sent, seen);
      return [...lost(sent, isGivenUp(sent)), ...untrue].map((sentence) => `command ${sent.command.id}: ${sentence}`);
    }),
    ...begunTwice(seen),
    ...seen.stints.flatMap((stint) => [...foreignStop(stint), ...goneOn(stint, seen), ...overdue(stint, seen, played)]),
  ];
}

/** Two workers' clocks, by which instants are recorded. */
const skewMs = 2 * processes.commands.mostSkewMs;

function lost({ row }: CommandAsSent, isGivenUp: boolean): readonly string[] {
  return row?.outcome === undefined && !isGivenUp ? ['I1: no outcome in the ledger'] : [];
}

/** I2: a run begins once, and a start begins one run. A person's repeat is a command of its own. */
function begunTwice({ stints }: RunsSeen): readonly string[] {
  const twice = (nameOf: (stint: Stint) => string) =>
    [...Map.groupBy(stints, nameOf)].filter(([, all]) => all.length > 1).map(([name]) => name);
  return [
    ...twice(({ campaignRunId }) => campaignRunId).map((id) => `I2: run ${id} began twice`),
    ...twice(({ by }) => by.command.id).map((id) => `I2: command ${id} began two runs`),
  ];
}

/** I4: an effect that the ledger denies, or one that it claims and the gateway never saw. */
function untrueStart(sent: CommandAsSent, { stints, ends, excused }: RunsSeen): readonly string[] {
  const { row } = sent;
  const outcome = row?.outcome;
  if (row === undefined || outcome === undefined) return [];
  const begun = stints.find(({ by }) => by === sent);
  if (outcome.kind === 'applied') {
    const isKnown = begun !== undefined || ends.has(row.campaignRunId ?? '');
    return isKnown ? [] : ['I4: the ledger says applied, the gateway never saw it'];
  }
  return begun === undefined ? [] : hiddenBy({ ...row, outcome }, begun, excused);
}

type EndedRow = Pick<CommandRow, 'mayHaveRun'> & Required<Pick<CommandRow, 'outcome'>>;

function hiddenBy({ outcome, mayHaveRun }: EndedRow, begun: Stint, excused: RunsSeen['excused']): readonly string[] {
  const says = `${outcome.kind} ${outcome.reason ?? ''}`;
  if (mayHaveRun === undefined) return [`I4: it is ${says} without an interval, and it began a run`];
  if (begun.fromMs < Date.parse(mayHaveRun.from) - skewMs) return [`I4: its run began before its interval`];
  const isOpen = outcome.reason === 'START_OUTCOME_UNKNOWN' || excused.has(begun.campaignRunId);
  return begun.fromMs > Date.parse(outcome.at) + skewMs && !isOpen ? [`I3: its run began after it was ${says}`] : [];
}

function untrueStop({ row }: CommandAsSent, { ends, stints }: RunsSeen): readonly string[] {
  const { outcome, stops = {} } = row ?? {};
  if (outcome?.kind !== 'applied') return [];
  const stopped = Object.entries(stops).flatMap(([id, state]) => (state === 'stopped' ? [id] : []));
  return stopped.flatMap((id) => {
    const endedMs = ends.get(id);
    if (endedMs === undefined || endedMs > Date.parse(outcome.at) + skewMs) {
      return [`I4: the ledger says that ${id} is stopped, the gateway never saw it`];
    }
    const isAgain = stints.some(({ campaignRunId, fromMs }) => campaignRunId === id && fromMs > endedMs);
    return isAgain ? [`I8: ${id} began after it was stopped`] : [];
  });
}

/** I5, I6: a stop ends no run of a later start; the stop of one start ends no other run. */
function foreignStop({ by, endedBy, campaignRunId }: Stint): readonly string[] {
  const { startId, id } = endedBy?.command ?? {};
  if (startId !== undefined && startId !== by.command.id) {
    return [`I6: the stop of ${startId} ended ${campaignRunId}, the run of ${by.command.id}`];
  }
  const isEarlier = endedBy?.command.action === 'stop' && startId === undefined && !isLater(endedBy, by);
  return isEarlier ? [`I5: the earlier ${id} ended ${campaignRunId}, the run of ${by.command.id}`] : [];
}

/** I5: once a stop has its outcome, no run of an earlier start goes on, and none begins. */
function goneOn(stint: Stint, { commands, excused }: RunsSeen): readonly string[] {
  if (excused.has(stint.campaignRunId)) return [];
  return commands.flatMap((stop) => {
    const { outcome } = stop.row ?? {};
    if (stop.command.action !== 'stop' || outcome === undefined || !isAbout(stop, stint)) return [];
    if (outcome.kind === 'parked' || outcome.kind === 'superseded' || isLater(stint.by, stop)) return [];
    const endedMs = Date.parse(outcome.at);
    if (stint.endMs <= endedMs + skewMs || wasCountedOut(stop, stint, endedMs)) return [];
    const what = stint.fromMs > endedMs ? 'began after' : 'went on after';
    return [`I5: the run of ${stint.by.command.id} ${what} ${stop.command.id} was ${outcome.kind}`];
  });
}

function isAbout({ command: { run, campaignRunId, startId } }: CommandAsSent, stint: Stint): boolean {
  if (startId !== undefined) return startId === stint.by.command.id;
  return run === undefined ? campaignRunId === stint.campaignRunId : run === stint.by.command.run;
}

/** A stop by name does not see a run that counts no more. */
function wasCountedOut({ command }: CommandAsSent, { by: { row } }: Stint, atMs: number): boolean {
  const facts = row?.facts;
  if (command.run === undefined || facts === undefined || facts.plansStop) return false;
  return Date.parse(facts.endsAt) <= atMs + skewMs;
}

/** A tick of the watcher, the queue, and a few answers that fail; a stop that SQS gave up comes again after an hour. */
const stopSlackMs = { kept: 20 * 60_000, givenUp: 100 * 60_000 } as const;

/** I8: a planned stop ends its run, once nothing is broken any more. */
function overdue(
  { by, endMs, campaignRunId }: Stint,
  { excused }: RunsSeen,
  { healedMs, scenario }: Played,
): readonly string[] {
  const facts = by.row?.facts;
  if (facts?.plansStop !== true || excused.has(campaignRunId)) return [];
  const slackMs = scenario.maxReceiveCount < 1000 ? stopSlackMs.givenUp : stopSlackMs.kept;
  const latestMs = Math.max(Date.parse(facts.endsAt), healedMs) + slackMs;
  return endMs <= latestMs ? [] : [`I8: the run of ${by.command.id} went on past its planned stop at ${facts.endsAt}`];
}
