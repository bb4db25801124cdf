/** The guards of a start, in the order in which they are asked: the first that says no gives the reason. */
export const guardNames = ['frozen', 'paused', 'validity', 'blackout', 'overlap', 'gap', 'budget'] as const;

/** One of the guards. */
export type GuardName = (typeof guardNames)[number];
