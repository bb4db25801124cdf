/** Where the responder answers, and what else a subject has to know. */
interface SubjectInput {
  /** `http://127.0.0.1:PORT` of the responder. */
  readonly origin: string;
  /** Messages that arrive together. @default 10 */
  readonly batch?: number;
}

/** Work that was made ready and can be measured. */
export interface Work {
  /** Does the work this many times, one after the other. */
  readonly run: (times: number) => Promise<void>;
}

/**
 * What a file in `subjects/` and `peers/` exports as `prepare`: it makes the work ready, which is
 * not measured.
 */
export type Prepare = (input: SubjectInput) => Promise<Work>;

/** What a process makes ready. */
export interface Task {
  /** Absolute path of the file that exports `prepare`. */
  readonly file: string;
  readonly input: SubjectInput;
  /** Done before anything is measured, so that the engine has compiled what it will compile. */
  readonly warmUp: number;
}

/** What a process used for a turn of its work. */
export interface Sample {
  /** Of one unit of the work: user and system time of this process. */
  readonly cpuUs: number;
  readonly wallUs: number;
}

/**
 * What a process is sent: first what to make ready, then as often as wanted how many units to do.
 */
export type Order = { readonly task: Task } | { readonly times: number };

/** What it answers to each of them. */
export type Answer = 'ready' | Sample;
