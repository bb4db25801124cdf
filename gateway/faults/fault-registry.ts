import { operationOf } from '../model/resources.ts';
import type { FaultRequest } from './fault.ts';

/** A fault as `GET /_control/faults` shows it. */
interface ArmedFault extends FaultRequest {
  readonly id: string;
  skip: number;
  remaining: number | 'forever';
  struck: number;
}

/**
 * Armed faults in the order in which they were added; the first that matches strikes, and uses
 * itself up.
 */
export class FaultRegistry {
  #faults: ArmedFault[] = [];
  #added = 0;

  add(request: FaultRequest): ArmedFault {
    this.#added += 1;
    const fault = { ...request, id: `fault-${this.#added}`, remaining: request.times, struck: 0 };
    this.#faults.push(fault);
    return fault;
  }

  /** The fault that this request meets, counted as used. */
  take(method: string, path: string): ArmedFault | undefined {
    for (const fault of this.#faults) {
      if (fault.remaining === 0 || !isMatch(fault.match, method, path)) continue;
      if (fault.skip > 0) {
        fault.skip -= 1;
        continue;
      }
      if (fault.remaining !== 'forever') fault.remaining -= 1;
      fault.struck += 1;
      return fault;
    }
    return undefined;
  }

  list(): readonly ArmedFault[] {
    return this.#faults;
  }

  /** True if there was such a fault. */
  remove(id: string): boolean {
    const before = this.#faults.length;
    this.#faults = this.#faults.filter((fault) => fault.id !== id);
    return this.#faults.length < before;
  }

  clear(): void {
    this.#faults = [];
  }
}

function isMatch(match: FaultRequest['match'], method: string, path: string): boolean {
  if (match.method !== undefined && match.method !== method) return false;
  if (match.path === undefined || match.path === operationOf(method, path)) return true;
  return match.path.startsWith('/') && path.startsWith(match.path);
}
