import type { Stored } from '#shared/ledger/ledger.ts';
import type { FindingRow } from '#shared/ledger/results/finding-row.ts';
import type { ParkableRow } from '#shared/ledger/ledger-row.ts';
import { readRunsInFlight } from '#shared/ledger/open-rows.ts';
import { stageSwitch, type SwitchSubject } from '#shared/ledger/switches.ts';
import { modeOf } from '#shared/vocabulary/stack-outputs.ts';
import { sendStops, stopElsewhere } from '#operator/runs/runs-in-flight.ts';
import { UsageError } from '#operator/errors.ts';
import { resolveFinding } from '#operator/parked/findings.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import { resolveAll } from '#operator/parked/resolve-plan.ts';
import { subjectToPause, subjectToResume } from '#operator/switches/pause-subject.ts';
import { switchTo } from '#operator/switches/switches.ts';
import { uploadFile } from '#operator/uploads/upload-file.ts';
import { convertSources } from '#operator/uploads/judge-sources.ts';
import { readingOptions } from '#operator/uploads/reading-options.ts';
import { plannedUpload, type UploadSource } from '#operator/uploads/upload-source.ts';
import { keyOfSidecar } from '#shared/uploads/object-key.ts';
import {
  type ResolveAnswer,
  resolveBody,
  type ResolveBody,
  type SentUploadAnswer,
  type StopAnswer,
  stopBody,
  type SwitchAnswer,
  switchBody,
  type SwitchBody,
} from '../api-work.ts';
import { answer, bodyOf, bytesOf, type ConsoleApp, type ServedStage } from '../server/served-stage.ts';
import type { WriteKind } from '../api.ts';
import { RequestProblem } from '../server/problems.ts';
import type { Session } from '../server/session.ts';
import { planned } from './parked.ts';
import { neededText } from './history.ts';
import { maxFileBytes, ruleOf } from './uploads.ts';

/** What changes something. A kind that a person did not allow has no route. */
export function addWriteRoutes(app: ConsoleApp, allow: readonly WriteKind[]): void {
  const mayStart = allow.includes('upload-and-start');
  if (mayStart || allow.includes('upload')) addUploading(app, mayStart);
  if (allow.includes('resolve')) addResolving(app);
  if (allow.includes('switch')) addSwitching(app);
  if (allow.includes('stop')) addStopping(app);
}

/** A slip of a tab must not reach a deployed stage: its name is typed once a session. */
function checkTyped(served: ServedStage, session: Session, typed: string | undefined): void {
  const { kind, stage } = served.fresh().target;
  if (kind === 'local' || session.confirmed.has(served.name)) return;
  if (typed !== stage) {
    throw new RequestProblem(403, 'TYPE_STAGE', `this changes the deployed stage ${stage}: type its name once`);
  }
  session.confirmed.add(served.name);
}

function addResolving(app: ConsoleApp): void {
  app.post('/api/stages/:stage/parked/resolve', async (c) => {
    const body = await bodyOf(resolveBody, c.req.raw);
    const because = neededText(body.because, 'because');
    const { stage, session } = c.var;
    checkTyped(stage, session, body.typed);
    const waiting = await unchangedRows(body, stage);
    const findings = waiting.filter((row) => row.kind === 'finding');
    if (findings.length > 0) {
      if (findings.length < waiting.length) throw new UsageError('a finding is decided about alone');
      const found = await decideFound(findings, body.decision, { because, deps: stage.fresh() });
      stage.live.refresh();
      return answer<ResolveAnswer>({ resolved: found });
    }
    const rows = waiting.filter((row) => row.kind !== 'finding');
    const { todo, left, verdict, decision } = await planned(rows, body, stage, because);
    if (left.length > 0) throw changed(`${left.length} of them cannot be decided so: ${left[0]?.problem ?? ''}`);
    const resolved = await resolveAll(todo, { verdict, decision }, stage.fresh());
    stage.live.refresh();
    return answer<ResolveAnswer>({ resolved });
  });
}

/** A repeat is a new start; its outcome is not waited for. */
async function decideFound(
  rows: readonly Stored<FindingRow>[],
  kind: ResolveBody['decision'],
  { because: reason, deps }: { readonly because: string; readonly deps: OperatorDeps },
): Promise<ResolveAnswer['resolved']> {
  if (kind === 'applied') throw new UsageError('a finding is repeated or dismissed');
  const resolved: ResolveAnswer['resolved'][number][] = [];
  for (const row of rows) {
    const decision = { kind, by: deps.operator, reason, at: await deps.now() };
    const { id, run, problem } = await resolveFinding(row, decision, { deps, patience: undefined });
    resolved.push({ id, subject: `${run}: ${row.finding}`, problem });
  }
  return resolved;
}

/** The rows as they are now; one that is not what it was when it was shown refuses them all. */
async function unchangedRows(
  { rows }: ResolveBody,
  stage: ServedStage,
): Promise<readonly Stored<ParkableRow | FindingRow>[]> {
  const ledger = await stage.fresh().stage.ledger();
  const found = await Promise.all(rows.map(async ({ row }) => ledger.read<ParkableRow | FindingRow>(row)));
  return found.map((row, index) => {
    if (row?.openState !== 'PARKED' || row.version !== rows[index]?.version)
      throw changed('one of them has changed since');
    return row;
  });
}

function changed(why: string): RequestProblem {
  return new RequestProblem(409, 'ROWS_CHANGED', `${why}: nothing was resolved, look again with a dry run`);
}

function addUploading(app: ConsoleApp, mayStart: boolean): void {
  app.post('/api/stages/:stage/uploads', async (c) => {
    const key = neededText(c.req.query('key'), 'key');
    const because = neededText(c.req.query('because'), 'because').slice(0, mostOfReason);
    const { stage, session } = c.var;
    checkTyped(stage, session, c.req.query('typed'));
    if (!mayStart) await refuseStarting(key, stage);
    const name = key.split('/').at(-1) ?? key;
    const by = stage.fresh().operator.slice(0, mostOfName);
    const plan = plannedUpload(name, key, { 'asked-by': by, 'asked-because': because });
    const source = { ...plan, body: await bytesOf(c.req.raw, maxFileBytes) };
    const given = (word: string) => c.req.query(word) || undefined;
    const sent = await uploadFile(await convertedIf(given, source), undefined, stage.fresh());
    stage.live.refresh();
    return answer<SentUploadAnswer>({ key: sent.key, versionId: sent.versionId });
  });
}

/** Of a reason and a name, in the metadata of its object. S3 takes 2 kB of metadata, and a character may take four bytes. */
const mostOfReason = 300;
const mostOfName = 100;

/** A file whose rule starts a run, or the sidecar of one, is a start; so may be one whose rule is not known. */
async function refuseStarting(key: string, stage: ServedStage): Promise<void> {
  const { rule, ruleUnknownBecause } = await ruleOf(keyOfSidecar(key) ?? key, stage);
  const why = rule?.thenStart === undefined ? ruleUnknownBecause : `its rule starts ${rule.thenStart}`;
  if (why !== undefined)
    throw new RequestProblem(
      403,
      'STARTS_A_RUN',
      `nothing was sent: ${why}; the console needs --allow upload-and-start`,
    );
}

/** With `convert` the file as `upload --convert` writes it. */
async function convertedIf(given: (word: string) => string | undefined, source: UploadSource): Promise<UploadSource> {
  if (given('convert') === undefined) return source;
  const { sources, refused } = await convertSources([source], readingOptions(given));
  const [converted] = sources;
  if (converted !== undefined) return converted;
  throw new RequestProblem(400, 'CHECK_FAILED', `nothing was sent: ${refused[0]?.problems[0] ?? 'it has problems'}`);
}

function addStopping(app: ConsoleApp): void {
  app.post('/api/stages/:stage/stops', async (c) => {
    const body = await bodyOf(stopBody, c.req.raw);
    const because = neededText(body.because, 'because');
    const { stage, session } = c.var;
    checkTyped(stage, session, body.typed);
    const fresh = stage.fresh();
    if (modeOf(await fresh.stage.outputs()) === 'observe')
      throw new RequestProblem(409, 'STAGE_OBSERVES', `nothing was stopped: the stage only observes. ${stopElsewhere}`);
    const inFlight = await readRunsInFlight(await fresh.stage.acting());
    const meant = inFlight.filter(({ entry }) => body.startIds.includes(entry.startId));
    if (meant.length < new Set(body.startIds).size) {
      const why = 'one of these runs is in flight no longer: nothing was stopped, look again';
      throw new RequestProblem(409, 'RUNS_CHANGED', why);
    }
    const sent = await sendStops(meant, because, fresh);
    stage.live.refresh();
    return answer<StopAnswer>({ sent: sent.map(({ command }) => command.id) });
  });
}

function addSwitching(app: ConsoleApp): void {
  app.post('/api/stages/:stage/switches', async (c) => {
    const body = await bodyOf(switchBody, c.req.raw);
    const reason = neededText(body.because, 'because');
    const { stage, session } = c.var;
    checkTyped(stage, session, body.typed);
    const isOn = body.action === 'freeze' || body.action === 'pause';
    const subject = await subjectOf(body, stage);
    const until = isOn ? endOf(body, await stage.fresh().now()) : undefined;
    const { isChanged } = await switchTo(subject, { isOn, reason, until }, stage.fresh());
    stage.live.refresh();
    return answer<SwitchAnswer>({ isChanged });
  });
}

async function subjectOf({ action, subject, because }: SwitchBody, stage: ServedStage): Promise<SwitchSubject> {
  const fresh = stage.fresh();
  if (action === 'freeze' || action === 'thaw') return stageSwitch;
  const words = [neededText(subject?.scope, 'subject.scope'), neededText(subject?.name, 'subject.name')];
  if (action === 'pause') return subjectToPause(words, because, fresh);
  return subjectToResume(words, await fresh.stage.ledger(), await fresh.now());
}

function endOf({ until }: SwitchBody, now: Date): Date | undefined {
  if (until === undefined) return undefined;
  const end = new Date(until);
  if (end <= now) throw new RequestProblem(400, 'USAGE', 'until has passed already');
  return end;
}
