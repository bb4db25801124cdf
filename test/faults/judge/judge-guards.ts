import { type CampaignRunCommand, defaultValidFor } from '#shared/messages/campaign-run-command.ts';
import { durationMs } from '#shared/schedule/duration.ts';
import type { GuardName } from '#shared/vocabulary/reason-codes.ts';
import { type Evidence, isExcused, isLater, minuteMs, type SeenEntry, type Stint } from './evidence.ts';

/** A run of this stage that began. */
interface Own {
  readonly stint: Stint;
  readonly entry: SeenEntry;
  readonly command: CampaignRunCommand;
}

/** What the guards promise, by what began and by the requests that left. */
export function judgeGuards(stints: readonly Stint[], evidence: Evidence): string[] {
  const { entries, commands } = evidence;
  const own = stints.flatMap((stint): readonly Own[] => {
    const entry = entries.get(stint.by);
    const command = commands.find(({ id }) => id === stint.by);
    return entry === undefined || command === undefined ? [] : [{ stint, entry, command }];
  });
  const pairs = own.flatMap((a) => own.filter((b) => a.entry.madeMs < b.entry.madeMs).map((b) => [a, b] as const));
  const starts = commands.filter(({ action }) => action === 'start');
  return [
    ...pairs
      .filter(([a, b]) => overlaps(a, b, evidence))
      .map(([a, b]) => `I11: the runs of ${a.stint.by} and ${b.stint.by} overlap`),
    ...pairs
      .filter(([a, b]) => isTooNear(a, b, evidence))
      .map(([a, b]) => `${b.stint.by} began within the minimum gap of ${a.stint.by}`),
    ...judgeBudget(own, evidence),
    ...own.filter((one) => isInBlackout(one, evidence)).map(({ stint }) => `${stint.by} began in a blackout`),
    ...starts.flatMap((start) => [...judgeRequests(start, evidence), ...judgeRefused(start, evidence)]),
  ];
}

function overrides({ override }: CampaignRunCommand, guard: GuardName): boolean {
  return override?.guards.includes(guard) === true;
}

/** Of a run by its name; one that a deployment renamed has the guards of the others. */
function guardsOf({ config: { runs } }: Evidence, run?: string) {
  return (runs[run ?? ''] ?? Object.values(runs)[0])?.guards;
}

function overlaps(a: Own, b: Own, evidence: Evidence): boolean {
  const isTogether = a.stint.endMs > b.stint.fromMs && b.stint.endMs > a.stint.fromMs;
  if (!isTogether || guardsOf(evidence, b.entry.run)?.overlap === 'allow' || overrides(b.command, 'overlap'))
    return false;
  // Known limits: a run that was counted out, a stop that was refused, a target that was renamed.
  const isCountedOut = !a.entry.plansStop && Date.parse(a.entry.endsAt) <= b.entry.madeMs + minuteMs;
  return !isCountedOut && !isExcused(a.stint, evidence) && a.entry.target === b.entry.target;
}

function isTooNear(a: Own, b: Own, evidence: Evidence): boolean {
  const gapMs = durationMs(guardsOf(evidence, b.entry.run)?.minimumGap ?? '') ?? 0;
  const apartMs = Math.abs(b.stint.fromMs - Date.parse(a.entry.due));
  return apartMs < gapMs - 2 * minuteMs && !overrides(b.command, 'gap') && a.entry.target === b.entry.target;
}

/** A request that lands late, and a clock that is ahead, move a begin by two minutes at most. */
function isInBlackout({ stint, command }: Own, { blackouts }: Evidence): boolean {
  const isIn = blackouts.some(
    ({ fromMs, untilMs }) => stint.fromMs > fromMs + 2 * minuteMs && stint.fromMs < untilMs - 2 * minuteMs,
  );
  return isIn && !overrides(command, 'blackout');
}

function judgeBudget(own: readonly Own[], evidence: Evidence): string[] {
  const counted = own.filter(({ command }) => !overrides(command, 'budget'));
  return [...Map.groupBy(counted, ({ entry }) => entry.target)].flatMap(([target, starts]) => {
    const most = guardsOf(evidence, starts[0]?.entry.run)?.startsPerMonth ?? Infinity;
    return starts.length > most ? [`${starts.length} starts of ${target} began, and the budget is ${most}`] : [];
  });
}

/** An attempt that has read the rows may still send its request. */
const attemptMs = minuteMs;

/** No request of a start leaves in a freeze, after its validity, or after a later start of its name was deferred. */
function judgeRequests(start: CampaignRunCommand, evidence: Evidence): string[] {
  const { frozen, requests, deferred } = evidence;
  const { id, run } = start;
  const later = deferred.find(({ command }) => command.run === run && isLater(command, start, evidence));
  const sent = requests.filter(({ by }) => by === id).map(({ atMs }) => atMs - attemptMs);
  const isIn = (fromMs: number, untilMs: number) => sent.some((atMs) => atMs > fromMs && atMs + attemptMs < untilMs);
  // The clock of its worker may be ahead.
  const isFrozen = frozen.some(({ fromMs, untilMs }) => isIn(fromMs, untilMs - minuteMs));
  const broken: readonly (readonly [boolean, string])[] = [
    [isFrozen && !overrides(start, 'frozen'), 'in a freeze'],
    [isIn(validUntilMs(start, evidence), Infinity) && !overrides(start, 'validity'), 'after its validity'],
    [isIn(later?.atMs ?? Infinity, Infinity), 'although a later start of its name was deferred'],
  ];
  return broken.filter(([isBroken]) => isBroken).map(([, when]) => `${id} was sent ${when}`);
}

function validUntilMs({ id, issuedAt, validFor = defaultValidFor }: CampaignRunCommand, { entries }: Evidence): number {
  const due = entries.get(id)?.due ?? issuedAt;
  return Math.max(Date.parse(issuedAt), Date.parse(due)) + (durationMs(validFor) ?? 0);
}

/** A start that a guard refuses has a cause: of a budget so many others that began, or may have. */
function judgeRefused({ id, run }: CampaignRunCommand, evidence: Evidence): string[] {
  const { outcomes, entries } = evidence;
  const outcome = outcomes.get(id);
  const { overlap, startsPerMonth: most = Infinity } = guardsOf(evidence, run) ?? {};
  if (outcome?.reason === 'OVERLAP' && overlap === 'allow') return [`${id} is skipped OVERLAP, and may overlap`];
  if (outcome?.reason !== 'BUDGET') return [];
  const others = [...entries.keys()].filter((startId) => {
    const other = outcomes.get(startId);
    const isRefused = other?.kind === 'parked' && other.row.mayHaveRun === undefined;
    return startId !== id && !(isRefused && other.atMs < outcome.atMs);
  });
  return others.length >= most ? [] : [`${id} is skipped BUDGET, and ${others.length} of ${most} starts were made`];
}
