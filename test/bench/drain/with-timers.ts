import { takeTimers, type VirtualTime } from '../../faults/model/world/virtual-time.ts';

/**
 * Does something while the timers of this process are those of a virtual clock, and gives them
 * back.
 */
export async function withTimersOf<T>(time: VirtualTime, work: () => Promise<T>): Promise<T> {
  const taken: [string, PropertyDescriptor | undefined][] = [];
  takeTimers(time, (name, value) => {
    taken.push([name, Object.getOwnPropertyDescriptor(globalThis, name)]);
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  });
  try {
    return await work();
  } finally {
    for (const [name, before] of taken) if (before !== undefined) Object.defineProperty(globalThis, name, before);
  }
}
