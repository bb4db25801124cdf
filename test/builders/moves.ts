/** One line of the table by which commands about runs are decided. */
interface Move {
  /** Its number, as the comments of this folder name it. */
  readonly row: number;
  /** What has happened, and how the entry of the run is. */
  readonly on: string;
  /** What becomes of the entry, and of the rows beside it. */
  readonly to: string;
  /** What is sent. */
  readonly sends: string;
  /** The outcome, or that it waits. */
  readonly ends: string;
}

/** The lines about one kind of event. */
export interface MovesOf {
  readonly event: string;
  readonly moves: readonly Move[];
}

const table = `
a start without an entry
1 | its row names an id: its entry is gone | – | – | the refusal in its row, else superseded if a stop ended it, else skipped UNCONFIRMED; it may have run
2 | a guard before overlap refuses; a blackout defers; it is deferred and not due | deferred: the row of its name has its order as \`latest\` | – | skipped or superseded; or deferred
3 | \`skip\`: an entry is \`running\` and not nearly due, and, if runs can be read, has not ended. \`stop-previous\`: one has a later start, or its \`end\` was refused | – | – | skipped OVERLAP
4 | \`skip\`: any other entry. \`stop-previous\`: any entry, if gap, budget and a free id would pass | \`stop-previous\`: each \`stopping\` | \`stop-previous\`: \`end\` for each | waits
5 | gap or budget refuses; no id is free | – | – | skipped; parked NO_RUN_LEFT
6 | else | \`starting\`, one request unanswered; the id is used, the month counts it, its row names the id | PATCH start | waits for its answer
a start with an entry
7 | \`starting\` or \`running\`: its campaign shows it as the last run. If runs can be read: it has begun, or has this \`startAt\` | \`running\` | – | applied; removed and parked if the run reads as cancelled
8 | \`starting\`: a guard refuses by now | \`stopping\`; its row keeps the refusal | \`end\` | waits
9 | \`starting\`, else | one request more unanswered | PATCH start, if a repeat is safe | waits for its answer
10 | \`stopping\` | – | – | waits
11 | \`running\` without an outcome | – | – | waits until it would have begun, and its campaign would show it; then the refusal in its row, else skipped UNCONFIRMED; it may have run
an answer to a start
12 | a 2xx; or \`alreadyInState.start\` while another request of it is unanswered | \`running\` | – | applied
13 | proven not applied, and no other request of it is unanswered | removed; the id and the place in the month are free again, the id not if the run is not going | – | waits; refused for good: parked
14 | the run is not going, and another request of it is unanswered | \`running\` | – | waits
a stop
15 | entries of its name or uuid with an earlier start; of that start alone, if it is an \`end\` or a planned stop | all \`stopping\` | PATCH stop of the one that was tried least | waits for its answer
16 | a uuid without an entry, and without a later start | the id is used | PATCH stop | by its answer
17 | none is left | – | – | parked if one was refused; else applied if one was stopped; else skipped ALREADY_ENDED or NOTHING_TO_STOP; superseded if its start is gone or later
an answer to a stop
18 | a 2xx or \`alreadyInState.stop\`: stopped. The run is not going: ended | removed | – | the next entry, or row 17
19 | refused for good otherwise | \`running\` | – | the next entry, or row 17`;

/** The table of `decide`, as docs/reference/ledger.md shows it. The order is that of the questions. */
export const moves: readonly MovesOf[] = table
  .trim()
  .split(/\n(?=[a-z])/)
  .map((part) => {
    const [event = '', ...lines] = part.split('\n');
    return { event, moves: lines.map((line) => moveOf(line.split(' | '))) };
  });

function moveOf([row, on = '', to = '', sends = '', ends = '']: readonly string[]): Move {
  return { row: Number(row), on, to, sends, ends };
}
