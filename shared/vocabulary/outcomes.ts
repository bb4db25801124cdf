/** The exactly-one outcome of each accepted message (design: messages and outcomes). */
export type OutcomeKind = 'applied' | 'superseded' | 'skipped' | 'ignored' | 'parked';
