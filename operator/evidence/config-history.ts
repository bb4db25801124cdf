import { compareConfigs, toldChanges } from '#shared/changes/compare-configs.ts';
import type { ReadConfig } from '#shared/changes/read-config.ts';
import { describeChange } from '#shared/changes/words.ts';
import type { ProjectChange } from '#shared/ledger/rows/watch-row.ts';
import { type ConfigAtAnswer, configAtAnswer, type ConfigAtQuestion } from '#shared/messages/questions.ts';
import { askStage } from '../stage/ask-stage.ts';
import type { AskingDeps } from '../stage/operator-deps.ts';

/** A project or a campaign around a run: as it was when the run began, and whether it was another one when the run ended. */
export type ConfigHistory =
  | { readonly kind: 'unknown'; readonly why: string }
  | {
      readonly kind: 'known';
      readonly id: string;
      readonly name?: string;
      /** What it was then. */
      readonly at: string;
      readonly config: ShownConfig;
      readonly drift: ConfigDifference;
    };

/** A configuration in words: of the fields that the interface names, and of no others. */
interface ShownConfig {
  readonly lists: Readonly<Record<string, readonly ShownEntry[]>>;
  readonly fields: Readonly<Record<string, string>>;
}

/** A scanner, a package, a provider, an attack. */
export interface ShownEntry {
  readonly id: string;
  readonly fields: Readonly<Record<string, string>>;
}

type ConfigDifference =
  | { readonly kind: 'none'; readonly until: string }
  | {
      readonly kind: 'changed';
      readonly until: string;
      readonly changes: readonly ProjectChange[];
      /** The same in lines for people. */
      readonly difference: readonly string[];
    }
  | { readonly kind: 'unknown'; readonly until: string; readonly why: string };

/** From when to when, and of which run. */
export interface ConfigWindow extends Pick<ConfigAtQuestion, 'of' | 'run'> {
  readonly from: string;
  readonly until: string;
}

type ReadAnswer = Extract<ConfigAtAnswer, { kind: 'read' }>;

/** Asks the stage how the project or the campaign was at both ends of the window. */
export async function readConfigHistory(
  { of, run, from, until }: ConfigWindow,
  deps: AskingDeps,
): Promise<ConfigHistory> {
  const askAt = async (at: string) => {
    const question: ConfigAtQuestion = { ask: 'config-at', of, run, at };
    return askStage(question, configAtAnswer, deps);
  };
  const first = await askAt(from);
  if (first.kind !== 'read') return { kind: 'unknown', why: first.why };
  const { id, name } = first;
  return {
    kind: 'known',
    id,
    name,
    at: from,
    config: shownConfig(first),
    drift: await driftSince(first, { of, until }, askAt),
  };
}

async function driftSince(
  first: ReadAnswer,
  { of, until }: Pick<ConfigWindow, 'of' | 'until'>,
  askAt: (at: string) => Promise<ConfigAtAnswer>,
): Promise<ConfigDifference> {
  const last = await askAt(until);
  if (last.kind !== 'read') return { kind: 'unknown', until, why: last.why };
  const changes = changesOf(first, last);
  if (changes.length > 0) return { kind: 'changed', until, changes, difference: changes.map(describeChange) };
  const hidden = hiddenLists(of, [first, last]);
  if (hidden.length > 0) return { kind: 'unknown', until, why: `the gateway does not show its ${hidden.join(', ')}` };
  return (await looksBack(first, askAt))
    ? { kind: 'none', until }
    : { kind: 'unknown', until, why: sameAtEveryInstant };
}

/** What a run tests with: nothing is called the same if this was not seen. */
const decisiveLists = { project: ['scanners'], campaign: ['attacks'] } as const;

/** Lists that one of the answers does not show: they cannot be compared. */
function hiddenLists(of: ConfigWindow['of'], answers: readonly ReadAnswer[]): readonly string[] {
  const shown = answers.flatMap(({ fingerprints }) => Object.keys(fingerprints.lists));
  return [...new Set([...decisiveLists[of], ...shown])].filter((list) =>
    answers.some(({ fingerprints }) => !Object.hasOwn(fingerprints.lists, list)),
  );
}

const sameAtEveryInstant =
  'the gateway answers the same for a time before this was created: it may not look back at all (`configAt`)';

/**
 * A gateway that takes no notice of `configAt` answers what is now, so that two answers that are the same prove nothing. One that refuses an
 * instant before this was created, or answers something else for it, looks back.
 */
async function looksBack(first: ReadAnswer, askAt: (at: string) => Promise<ConfigAtAnswer>): Promise<boolean> {
  const createdMs = Date.parse(first.createdAt ?? '');
  if (Number.isNaN(createdMs)) return false;
  const before = await askAt(new Date(createdMs - 1000).toISOString());
  if (before.kind === 'read') return changesOf(before, first).length > 0;
  return before.kind === 'unread' && before.httpStatus !== undefined && isRefusal(before.httpStatus);
}

/** The question was understood, and there is nothing at that instant; 401, 403 and 429 are about the caller. */
function isRefusal(httpStatus: number): boolean {
  return [400, 404, 410, 422].includes(httpStatus);
}

function changesOf(before: ReadAnswer, after: ReadAnswer): readonly ProjectChange[] {
  const [earlier, later] = [configOf(before), configOf(after)];
  const differences = compareConfigs(earlier.fingerprints, later.fingerprints);
  return toldChanges(differences, earlier.fingerprints, earlier, later);
}

function configOf({ fingerprints, words }: ReadAnswer): ReadConfig {
  return { fingerprints, words: new Map(Object.entries(words)) };
}

function shownConfig({ fingerprints, words }: ReadAnswer): ShownConfig {
  const wordsOf = (prefix: string, fields: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.keys(fields).flatMap((field) => {
        const text = words[`${prefix}${field}`];
        return text === undefined ? [] : [[field, text]];
      }),
    );
  return {
    lists: Object.fromEntries(
      Object.entries(fingerprints.lists).map(([list, entries]) => [
        list,
        Object.entries(entries).map(([id, fields]) => ({ id, fields: wordsOf(`${list}.${id}.`, fields) })),
      ]),
    ),
    fields: wordsOf('', fingerprints.fields),
  };
}
