/** The real time of this machine in milliseconds, without the offset of `Date`. */
export function realNow(): number;

/**
 * Replaces `Date` in this process (`Date.now()`, `new Date()`, `Date()`; not timers) by one that
 * reads the real time plus the offset. Returns the way back.
 */
export function applyClock(getOffsetMs: () => number): () => void;
