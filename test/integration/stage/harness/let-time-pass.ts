import type { InProcessStage } from './in-process-stage.ts';
import { until } from './stage-process.ts';

/**
 * Moves the clock while nothing is under way, and waits until what fell due is worked off. A worker
 * in whose hands hours pass loses its lease, and its message is delivered again. Several commands
 * that fall due on the way want a move each.
 */
export async function letTimePass({ stage }: InProcessStage, milliseconds: number): Promise<void> {
  const isIdle = () =>
    stage.host.busyCount() === 0 &&
    Object.values(stage.frontDoor.queueDepths()).every(({ visible, inFlight }) => visible + inFlight === 0);
  const untilIdle = async () => until('the workers to be idle', async () => isIdle() || undefined);

  await untilIdle();
  await stage.schedules.moveForward(milliseconds);
  await untilIdle();
}
