import type { Stored } from '#shared/ledger/ledger.ts';
import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import { isParkReason, parkReasonFacts } from '#shared/vocabulary/reason-codes.ts';
import { UsageError } from '#operator/errors.ts';
import { stageClock } from '#operator/run-state/run-report.ts';
import { findParked } from '#operator/parked/find-parked.ts';
import { entriesOf, groupsOf, listWaiting, reasonIn } from '#operator/parked/parked-rows.ts';
import { readFindings } from '#operator/parked/findings.ts';
import { entriesWithNewer } from '#operator/parked/newer-version.ts';
import {
  planResolve,
  refuseRunId,
  wantedRows,
  type WantedRows,
  leftEntries,
  resolveWords,
} from '#operator/parked/resolve-plan.ts';
import type { RowVerdict } from '#operator/parked/resolve-rows.ts';
import { rowFacts, shownRow } from '#operator/parked/shown-row.ts';
import {
  type Choices,
  type DryRunAnswer,
  dryRunBody,
  type DryRunBody,
  type ParkedAnswer,
  type PageNode,
  type ParkedItemAnswer,
  type RowAsRead,
} from '../api-work.ts';
import { answer, type AppParts, bodyOf, type ConsoleApp, depsOf, type ServedStage } from '../server/served-stage.ts';
import { depsUntil } from '../server/console-stage.ts';

/** Rows of one dry run: a person can read no more of them, and decides about the rest in a second one. */
const mostRows = 200;

/** What needs a decision, each item with its own commands, and what a decision would do. */
export function addParkedRoutes(app: ConsoleApp, { assets }: Pick<AppParts, 'assets'>): void {
  app.get('/api/stages/:stage/parked', async (c) => {
    const deps = depsOf(c);
    const ledger = await deps.stage.ledger();
    const waiting = await listWaiting(ledger);
    const parked = await entriesWithNewer(waiting.parked, deps);
    const found = await readFindings(waiting.findings, ledger, await stageClock(deps));
    const groups = groupsOf(parked).map((group) => ({ ...group, ...choicesOf(group.reason) }));
    const findings = found.map((one, index) => ({ ...one, ...identityOf(waiting.findings[index]) }));
    return answer<ParkedAnswer>({ asOf: c.var.asOf, groups, parked, findings });
  });
  app.get('/api/stages/:stage/parked/:id', async (c) => {
    const deps = depsUntil(c.var.stage.fresh(), c.req.raw.signal);
    const handle = c.req.param('id');
    const [row] = await findParked([handle], deps);
    if (row === undefined) throw new UsageError('nothing parked has this id');
    const { row: _row, ...shown } = await shownRow(row, handle, deps);
    const facts = rowFacts(row, shown, (instant) => instant).filter(([, text]) => text !== '');
    const message = row.parked?.message;
    const page = await sectionOf((await assets()).runbook, shown.reason);
    return answer<ParkedItemAnswer>({ ...shown, ...choicesOf(shown.reason), asOf: c.var.asOf, facts, message, page });
  });
  app.post('/api/stages/:stage/parked/dry-run', async (c) => {
    const body = await bodyOf(dryRunBody, c.req.raw);
    const { stage } = c.var;
    const rows = await wantedRows(wanted(body), stage.fresh());
    const plan = await planned(rows.slice(0, mostRows), body, stage);
    const entries = entriesOf(plan.todo);
    const ids = entries.map(({ id }) => id);
    return answer<DryRunAnswer>({
      decision: body.decision,
      todo: entries.map((entry, index) => ({ ...entry, ...identityOf(plan.todo[index]) })),
      left: leftEntries(plan),
      more: Math.max(0, rows.length - mostRows),
      command: [...resolveWords(ids, plan.verdict, body.acceptsSecondEffect === true), '--reason', 'TEXT'],
    });
  });
}

/** What may be decided about rows of a reason, and whether a repeat may have its effect a second time. */
function choicesOf(reason: string): Choices {
  if (!isParkReason(reason)) return { decisions: ['repeat', 'dismiss'], mayDouble: false };
  const { decisions, mayDouble } = parkReasonFacts(reason);
  return { decisions, mayDouble: mayDouble === true };
}

/**
 * The section of the runbook about a reason, without its heading and its commands: those name the
 * row of an example.
 */
export async function sectionOf(runbook: string | undefined, reason: string): Promise<readonly PageNode[] | undefined> {
  // Every console loads this file, and few of them are asked for an item.
  const { lexer } = await import('marked');
  const tokens: readonly MarkdownToken[] = lexer(runbook?.replaceAll(/^ {4}.*\n/gm, '') ?? '');
  const begin = tokens.findIndex(({ type, text }) => type === 'heading' && text === reason);
  if (begin === -1) return undefined;
  const end = tokens.findIndex(({ type }, index) => type === 'heading' && index > begin);
  return nodesOf(tokens.slice(begin + 1, end === -1 ? undefined : end));
}

const elements: Readonly<Record<string, Exclude<PageNode, string>['element']>> = {
  paragraph: 'p',
  list: 'ul',
  list_item: 'li',
  strong: 'strong',
  codespan: 'code',
};

/** Paragraphs, lists, code and strong words become elements. Of everything else the text stays. */
function nodesOf(tokens: readonly MarkdownToken[]): readonly PageNode[] {
  return tokens.flatMap((token): readonly PageNode[] => {
    if (token.type === 'space') return [];
    const inner = token.items ?? token.tokens;
    const children = inner === undefined ? [(token.text ?? token.raw).replaceAll('\n', ' ')] : nodesOf(inner);
    const element = elements[token.type];
    return element === undefined ? children : [{ element, children }];
  });
}

/** What is read of a token of `marked`. */
interface MarkdownToken {
  readonly type: string;
  readonly raw: string;
  readonly text?: string;
  readonly tokens?: readonly MarkdownToken[];
  /** Of a list. */
  readonly items?: readonly MarkdownToken[];
}

function identityOf(row: Stored | undefined): RowAsRead {
  return { row: row?.pk ?? '', version: row?.version ?? 0 };
}

function wanted({ rows }: DryRunBody): WantedRows {
  if ('ids' in rows) return rows;
  const reason = reasonIn(rows.reason);
  if (reason === undefined) throw new UsageError(`${rows.reason} is no reason to park`);
  const before = rows.before === undefined ? undefined : new Date(rows.before);
  return { filter: { reasons: [reason], before, isClosed: before !== undefined } };
}

/** A decision as a request names it. */
export type WantedDecision = Pick<DryRunBody, 'decision' | 'datasetId' | 'acceptsSecondEffect'>;

/**
 * What a decision would do to rows, by the rules that write it.
 * @param because - why; a dry run needs no reason
 */
export async function planned(
  rows: readonly Stored<ParkableRow>[],
  body: WantedDecision,
  stage: Pick<ServedStage, 'fresh'>,
  because = 'no reason given',
) {
  const fresh = stage.fresh();
  const verdict = verdictOf(body);
  if (verdict.kind === 'applied') {
    if (rows.length !== 1) throw new UsageError('applied is about one upload');
    await refuseRunId(verdict.datasetId, fresh);
  }
  const decision = { by: fresh.operator, reason: because, at: await fresh.now() };
  const acceptsSecondEffect = body.acceptsSecondEffect === true;
  return { ...planResolve(rows, { verdict, decision, acceptsSecondEffect }), verdict, decision };
}

function verdictOf({ decision, datasetId }: WantedDecision): RowVerdict {
  if (decision !== 'applied') return { kind: decision };
  if (datasetId === undefined || datasetId.trim() === '') throw new UsageError('applied needs the id of the dataset');
  return { kind: 'applied', datasetId: datasetId.trim() };
}
