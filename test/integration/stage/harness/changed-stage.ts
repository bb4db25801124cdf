import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openMovableClock } from '#local/clock/movable-clock.ts';
import { freePort } from '#local/stage/gateway-access.ts';
import { type Authority, createAuthority } from '#local/aws/iam/authority.ts';
import { asObject, type JsonObject, parseJsonObject, type ResolvedAssembly } from '#local/template/assembly.ts';
import { type RunningStage, runStage } from '#local/stage/run-stage.ts';
import { typedResources } from '#local/template/resource-properties.ts';
import type { OperatorDeps } from '#operator/stage/operator-deps.ts';
import { keyFileName, textOfKey } from '#shared/net/loopback.ts';
import { developerKey } from '../../../builders/developer-key.ts';
import { createStageAccess } from '#operator/stage/stage-access.ts';
import { clientSettings } from '#operator/target.ts';

/** Changes a resource of a template; without an answer it is taken out. */
export type ChangeResource = (resource: JsonObject, logicalId: string) => JsonObject | undefined;

/**
 * A stage of a template that a hand has changed, and an operator who works with it. For him time
 * passes while the stage is idle.
 */
export interface ChangedStage {
  readonly stage: RunningStage;
  readonly deps: OperatorDeps;
  /** What the operator was told beside the result. */
  readonly told: readonly string[];
  /** The actions that the operator asked for. */
  readonly asked: ReadonlySet<string>;
  readonly close: () => Promise<void>;
}

/** Runs a copy of an assembly, each of its resources changed as a test says. */
export async function runChangedStage(run: {
  readonly assemblyDir: string;
  /** An empty folder. */
  readonly dataDir: string;
  readonly change: ChangeResource;
  /** @default the secret has no value */
  readonly token?: string;
  readonly interruption?: AbortSignal;
}): Promise<ChangedStage> {
  const assemblyDir = join(run.dataDir, 'cdk.out');
  cpSync(run.assemblyDir, assemblyDir, { recursive: true });
  changeTemplates(assemblyDir, run.change);
  const clockFile = join(run.dataDir, 'clock.json');
  const clock = openMovableClock(clockFile);
  const port = await freePort(0, '--port');
  const quiet = { onFunctionLog: () => {}, log: () => {} };
  const asked = new Set<string>();
  const authorityFor = (assembly: ResolvedAssembly): Authority => {
    const authority = createAuthority(assembly, developerKey);
    return {
      ...authority,
      authorize(request) {
        if (request.caller.kind === 'developer') asked.add(request.action);
        return authority.authorize(request);
      },
    };
  };
  const stage = await runStage({
    assemblyDir,
    dataDir: run.dataDir,
    port,
    clock,
    clockFile,
    token: run.token,
    key: developerKey,
    authorityFor,
    ...quiet,
  });
  const { endpoint, region } = stage.assembly;
  const target = { kind: 'local', stage: 'local', endpoint, region, folder: run.dataDir } as const;
  writeFileSync(join(run.dataDir, keyFileName), textOfKey(developerKey), { mode: 0o600 });
  const told: string[] = [];
  let runs = 0;
  let idleMs = 0;
  return {
    stage,
    told,
    asked,
    deps: {
      target,
      stage: createStageAccess('local', clientSettings(target)),
      now: async () => new Date(clock.now()),
      interruption: () => run.interruption ?? new AbortController().signal,
      elapsedMs: () => idleMs,
      async wait(milliseconds) {
        await sleep(milliseconds);
        if (isIdle(stage)) idleMs += milliseconds;
      },
      unique: () => String((runs += 1)).padStart(8, '0'),
      operator: 'grace',
      progress: (line) => void told.push(line),
    },
    close: async () => stage.close(),
  };
}

/**
 * Nothing is with a function, and nothing waits for one: on a busy machine work takes long, and is
 * no broken link.
 */
function isIdle({ assembly, host, frontDoor }: RunningStage): boolean {
  const taken = typedResources(assembly, 'AWS::Lambda::EventSourceMapping').flatMap(({ typed }) =>
    typed.Enabled ? [typed.EventSourceArn.split(':').at(-1) ?? ''] : [],
  );
  const depths = frontDoor.queueDepths();
  return host.busyCount() === 0 && taken.every((name) => (depths[name]?.visible ?? 0) === 0);
}

function changeTemplates(assemblyDir: string, change: ChangeResource): void {
  for (const file of readdirSync(assemblyDir).filter((name) => name.endsWith('.template.json'))) {
    const path = join(assemblyDir, file);
    const template = parseJsonObject(readFileSync(path, 'utf8'), file);
    const resources = Object.entries(asObject(template['Resources'])).flatMap(([id, resource]) => {
      const changed = change(asObject(resource), id);
      return changed === undefined ? [] : [[id, changed] as const];
    });
    writeFileSync(path, JSON.stringify({ ...template, Resources: Object.fromEntries(resources) }));
  }
}

/** A resource without some statements of its policy document. */
export function withoutStatements(resource: JsonObject, isOut: (statement: string) => boolean): JsonObject {
  const properties = asObject(resource['Properties']);
  const document = asObject(properties['PolicyDocument']);
  const statements = [document['Statement'] ?? []].flat();
  const Statement = statements.filter((statement) => !isOut(JSON.stringify(statement)));
  return { ...resource, Properties: { ...properties, PolicyDocument: { ...document, Statement } } };
}

/** A resource with other properties. */
export function withProperties(resource: JsonObject, properties: JsonObject): JsonObject {
  return { ...resource, Properties: { ...asObject(resource['Properties']), ...properties } };
}
