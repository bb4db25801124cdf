/**
 * The movable clock inside one process: `Date` reads the real time plus an offset. Timers are left
 * alone, so a process whose clock moves by eight hours still waits its real seconds. Plain
 * JavaScript, because function processes load it on their cold start, and a caller waits for every
 * millisecond.
 */

const REAL_DATE = Symbol.for('autopilot.realDate');

/**
 * The Date that the machine's own clock drives, also in a process where `Date` was replaced before
 * this was loaded.
 */
const RealDate = globalThis.Date[REAL_DATE] ?? globalThis.Date;

/** The real time of this machine, without the offset of `Date`. */
export function realNow() {
  return RealDate.now();
}

/**
 * Replaces `Date` in this process: `Date.now()`, `new Date()` and `Date()` read the real time plus
 * the offset. Dates made from a value are not touched. Returns the way back.
 */
export function applyClock(getOffsetMs) {
  const before = globalThis.Date;
  const now = () => RealDate.now() + getOffsetMs();

  function MovedDate(...parts) {
    if (new.target === undefined) return new RealDate(now()).toString();
    const values = parts.length === 0 ? [now()] : parts;
    return Reflect.construct(RealDate, values, new.target === MovedDate ? RealDate : new.target);
  }
  // One prototype for both, so that a date made before and one made after are both
  // `instanceof Date`.
  MovedDate.prototype = RealDate.prototype;
  Object.defineProperties(MovedDate, {
    name: { value: 'Date' },
    length: { value: RealDate.length },
    now: { value: now, writable: true, configurable: true },
    parse: { value: RealDate.parse, writable: true, configurable: true },
    UTC: { value: RealDate.UTC, writable: true, configurable: true },
    [REAL_DATE]: { value: RealDate },
  });
  globalThis.Date = MovedDate;
  RealDate.prototype.constructor = MovedDate;

  return () => {
    globalThis.Date = before;
    RealDate.prototype.constructor = before;
  };
}
