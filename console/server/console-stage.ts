import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import type { StageAccess } from '#operator/stage/stage-access.ts';
import { kept } from '#operator/stage/stage-clients.ts';
import type { InvocationAnswer } from '#operator/aws/lambda-function.ts';
import type { Schedules } from '#shared/aws/schedules.ts';
import type { AskedLedger } from '#shared/ledger/ledger.ts';
import { pacedLedger } from './paced-ledger.ts';
import { configQuestion, type SuppliesAnswer, suppliesQuestion } from '#shared/messages/questions.ts';
import { ledgerKeys } from '#shared/ledger/rows/row-keys.ts';

/** A stage as the console knows it. One that cannot be opened, such as a local run that has ended, is opened again with the next request. */
export interface ConsoleStage {
  /** In every path; no two stages of a console have the same. */
  readonly name: string;
  /** The words that lead a command of the CLI to the same stage. */
  readonly words: readonly string[];
  /**
   * For reading: what changes slowly is kept for a while.
   * @throws UnreachableError if there is no such stage on this machine
   */
  readonly deps: () => OperatorDeps;
  /** For deciding: everything is read when it is asked for. */
  readonly fresh: () => OperatorDeps;
  /** Forgets what was kept for reading: a decision was taken. */
  readonly forget: () => void;
}

/** For one question: what it reads ends when the tab that asked has left. */
export function depsUntil(deps: OperatorDeps, signal: AbortSignal): OperatorDeps {
  return { ...deps, signal, stage: deps.stage.until(signal) };
}

/** A stage that a person named. */
export interface WantedStage {
  /** Their own word for it: `prod@eu-west-1:ops`, or a folder. Empty if they named none. */
  readonly label: string;
  /** The words that lead another command to it. */
  readonly words: readonly string[];
  readonly open: () => OperatorDeps;
}

/** Makes stages for a console. In the ledger, the operator acts by the console. */
export function consoleStages(wanted: readonly WantedStage[]): readonly ConsoleStage[] {
  const names = distinctNames(wanted.map(({ label }) => label || 'local'));
  return wanted.map(({ words, open }, index) => {
    let fresh: OperatorDeps | undefined;
    let deps: OperatorDeps | undefined;
    const openFresh = () => (fresh ??= asConsole(open()));
    const paced = () => (deps ??= { ...openFresh(), stage: pacedAccess(openFresh().stage, openFresh()) });
    return {
      name: names[index] ?? '',
      words,
      fresh: openFresh,
      deps: paced,
      forget: () => (deps = undefined),
    };
  });
}

function asConsole(deps: OperatorDeps): OperatorDeps {
  return {
    ...deps,
    operator: `${deps.operator}, by the console`,
    // What is under way when the console ends is finished: the person reads its end in the ledger.
    interruption: () => new AbortController().signal,
    progress: () => {},
  };
}

/** A word that stands there twice gets a number. Pure. */
function distinctNames(labels: readonly string[]): readonly string[] {
  return labels.map((label, index) => {
    const before = labels.slice(0, index).filter((other) => other === label).length;
    return before === 0 ? label : `${label}-${before + 1}`;
  });
}

// A stage for a process that looks at it all day. The ledger is read each time; what changes
// slowly, or costs more, is kept for a while. The functions of `operator/` read through it as they
// read for the CLI.

/** How long a count of a queue is kept. */
const queuesForMs = 60_000;

/** How long schedules, the configuration, ids and budgets are kept: they change with a deployment, an outcome, or ids that a person binds. */
const slowForMs = 120_000;

const [slowQuestion, suppliesText] = [JSON.stringify(configQuestion), JSON.stringify(suppliesQuestion)];

/** Wraps the access to a stage. */
export function pacedAccess(stage: StageAccess, { elapsedMs }: Pick<OperatorDeps, 'elapsedMs'>): StageAccess {
  const slowly = { forMs: slowForMs, elapsedMs };
  const depths = keptByKey((url: string) => stage.depth(url), { forMs: queuesForMs, elapsedMs });
  // A tab that closes must not end a question whose answer all tabs share: no signal goes with it.
  const ask = async (key: string): Promise<InvocationAnswer> => {
    const [functionName = '', input = ''] = JSON.parse(key) as string[];
    return stage.invoke(functionName, input);
  };
  const answers = keptByKey(ask, slowly);
  let outcomes = 0;
  const ofOutcomes = async (open: () => Promise<AskedLedger>) =>
    pacedLedger(await open(), { elapsedMs, onOutcomes: (version) => (outcomes = version) });
  const acting = kept(async () => ofOutcomes(stage.acting), slowly);
  const suppliesNow = suppliesKept(
    acting,
    () => outcomes,
    () => keptByKey(ask, slowly),
  );
  const schedules = kept(async (): Promise<Schedules> => {
    const group = await stage.schedules();
    return { names: kept(group.names, slowly), find: keptByKey(group.find, slowly) };
  }, slowly);
  const paced = (access: StageAccess): StageAccess => ({
    ...access,
    depth: depths,
    schedules,
    invoke: (functionName, input, signal) => {
      const key = JSON.stringify([functionName, input]);
      if (input === suppliesText) return suppliesNow(key);
      return input === slowQuestion ? answers(key) : access.invoke(functionName, input, signal);
    },
    until: (signal) => paced(access.until(signal)),
  });
  return {
    ...paced(stage),
    ledger: kept(async () => ofOutcomes(stage.ledger), slowly),
    acting,
  };
}

/** Ids and budgets, until something ends, which may have used one, or a person binds ids, which writes the row of a run. */
function suppliesKept(
  ledger: () => Promise<AskedLedger>,
  outcomes: () => number,
  ask: () => (key: string) => Promise<InvocationAnswer>,
) {
  let last: { readonly stand: string; readonly answer: ReturnType<typeof ask> } | undefined;
  let runs: readonly string[] = [];
  return async (key: string): Promise<InvocationAnswer> => {
    const rows = await (await ledger()).readMany(runs.map((run) => ledgerKeys.run(run)));
    const stand = JSON.stringify([outcomes(), ...[...rows.values()].map(({ pk, version }) => [pk, version])]);
    if (last?.stand !== stand) last = { stand, answer: ask() };
    const found = await last.answer(key);
    // One that failed counts none.
    runs = (JSON.parse(found.payload) as Partial<SuppliesAnswer> | null)?.bindings?.map(({ run }) => run) ?? [];
    return found;
  };
}

/** As `kept`, a value for each key. The keys are those of one stage, so they are few. */
function keptByKey<Value>(
  make: (key: string) => Promise<Value>,
  keeping: Parameters<typeof kept>[1],
): (key: string) => Promise<Value> {
  const held = new Map<string, () => Promise<Value>>();
  return (key) => {
    const value = held.get(key) ?? kept(() => make(key), keeping);
    held.set(key, value);
    return value();
  };
}
