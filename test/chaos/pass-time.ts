import { longestLateMs } from './gateway-faults.ts';
import type { GatewayTraffic } from './gateway-traffic.ts';
import type { ChaosStage } from './open-stage.ts';

/** Moves the clock of the stage on while all work only waits. */
export interface PassedTime {
  readonly movedMs: () => number;
  readonly stop: () => void;
}

/**
 * So long no request must have come before the clock is moved: whatever was sent has landed by
 * then, the latest fault included.
 */
const quietMs = longestLateMs + 500;
const shortestStepMs = 120_000;
/** The longest back-off of a message. */
const longestStepMs = 3_600_000;
const lookEveryMs = 50;

/**
 * Back-offs, leases, doubts and a closed gate last minutes, and with every fifth request struck
 * some caller always waits for one of them. If all that is left is to wait (the gateway has been
 * silent for a while, no function is busy, no message can be taken), the clock of the whole stage,
 * its functions and its gateway is moved on to the next message, so that all of them see the same
 * time pass. Nothing is under way when it moves, so it moves past nothing.
 */
export function passTime(
  { running, clock }: Pick<ChaosStage, 'running' | 'clock'>,
  traffic: GatewayTraffic,
): PassedTime {
  let movedAt = performance.now();
  let idle = { writes: 0, moves: 0 };
  const timer = setInterval(() => {
    if (traffic.silentMs() < quietMs || performance.now() < movedAt + quietMs || running.host.busyCount() > 0) return;
    const { visible, hidden } = messagesIn(running);
    if (visible > 0 || hidden === 0) return;
    const nextMs = running.frontDoor.nextVisibleInMs() ?? 0;
    const counts = traffic.counts();
    const writes = counts['POST dataset'] + counts['PATCH run'];
    idle = { writes, moves: writes === idle.writes ? idle.moves + 1 : 0 };
    clock.moveForward(stepMs(nextMs, idle.moves));
    movedAt = performance.now();
  }, lookEveryMs);
  return { movedMs: () => clock.offsetMs(), stop: () => clearInterval(timer) };
}

/**
 * Half an hour of the shortest steps: back-offs, leases and the reconciler's age of a silent upload
 * pass in steps that do not grow.
 */
const movesThatStay = 15;

/**
 * How far the clock moves: to the next message, and after half an hour without a write at the
 * gateway twice as far each time. A start in doubt that no reading settles is read each minute for
 * as long as it is valid, and nothing else happens meanwhile.
 * @param idleMoves - moves in a row, before this one, after which the gateway got no POST and no
 *   PATCH
 */
function stepMs(nextMs: number, idleMoves: number): number {
  return Math.min(longestStepMs, Math.max(shortestStepMs * 2 ** Math.max(0, idleMoves - movesThatStay), nextMs));
}

/**
 * Messages of all queues but those named: what can be taken now, and what waits for its time or is
 * being worked on.
 */
export function messagesIn(
  { frontDoor }: ChaosStage['running'],
  isLeftOut: (queueName: string) => boolean = () => false,
): { readonly visible: number; readonly hidden: number } {
  const counted = Object.entries(frontDoor.queueDepths()).flatMap(([name, depth]) => (isLeftOut(name) ? [] : [depth]));
  return {
    visible: counted.reduce((sum, depth) => sum + depth.visible, 0),
    hidden: counted.reduce((sum, { inFlight, delayed }) => sum + inFlight + delayed, 0),
  };
}
