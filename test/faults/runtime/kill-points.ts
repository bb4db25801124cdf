import type { Log } from '#functions/_handler/output.ts';
import type { UploadDeps } from '#functions/register-datasets/upload.ts';

/**
 * Everywhere that the worker of an upload can be killed with another state of the world around it,
 * in the order of its work.
 */
export const killPoints = [
  'before_claim',
  'after_claim',
  'after_read',
  'after_reservation',
  'after_sending_mark',
  'after_request_written',
  'after_answer',
  'after_id_logged',
  'after_outcome',
  'after_start_sent',
  'after_event_published',
] as const;

/** One of the points above. */
export type KillPoint = (typeof killPoints)[number];

/** What the worker is killed in. */
interface Victim {
  readonly deps: UploadDeps;
  readonly log: Log;
  /** Until the gateway holds the whole request. */
  readonly requestArrived: () => Promise<void>;
}

/**
 * Parts whose worker is killed at a point: `die` never returns, and nothing that the worker does
 * afterwards happens.
 */
export function killedAt(point: KillPoint | undefined, die: () => never, victim: Victim): Pick<Victim, 'deps' | 'log'> {
  const { deps, log } = victim;
  let isDead = false;
  const passing = (here: KillPoint): void => {
    if (!isDead && here !== point) return;
    isDead = true;
    die();
  };
  const alive = (): void => {
    if (isDead) die();
  };
  const effect = async <Result>(make: () => Promise<Result>, after?: KillPoint): Promise<Result> => {
    alive();
    const result = await make();
    if (after !== undefined) passing(after);
    return result;
  };

  return {
    log: {
      ...log,
      info(event, sentence, fields) {
        log.info(event, sentence, fields);
        if (event === 'dataset_created') passing('after_id_logged');
      },
    },
    deps: {
      ...deps,
      ledger: {
        ...deps.ledger,
        read: (pk) => effect(() => deps.ledger.read(pk)),
        async write(before, after) {
          const state = after.kind === 'upload' ? after.state : after.kind;
          if (state === 'CLAIMED') passing('before_claim');
          return effect(() => deps.ledger.write(before, after), pointAfter(state));
        },
      },
      objects: {
        head: (version) => effect(() => deps.objects.head(version)),
        read: (version) => effect(() => deps.objects.read(version)),
        open: (version) => effect(() => deps.objects.open(version), 'after_read'),
      },
      commands: { send: (body) => effect(() => deps.commands.send(body), 'after_start_sent') },
      bus: { publish: (type, detail) => effect(() => deps.bus.publish(type, detail), 'after_event_published') },
      async sleep(ms) {
        alive();
        return deps.sleep(ms);
      },
      async createDataset(input, budget) {
        alive();
        const answer = deps.createDataset(input, budget);
        answer.catch(() => {}); // who died does not hear it
        if (point === 'after_request_written') await victim.requestArrived();
        passing('after_request_written');
        await Promise.allSettled([answer]);
        passing('after_answer');
        return answer;
      },
    },
  };
}

function pointAfter(state: string): KillPoint | undefined {
  switch (state) {
    case 'CLAIMED':
      return 'after_claim';
    case 'dataset':
      return 'after_reservation';
    case 'SENDING':
      return 'after_sending_mark';
    case 'APPLIED':
    case 'PARKED':
    case 'UNKNOWN':
      return 'after_outcome';
    default:
      return undefined;
  }
}
