import type { Lane } from '../../nights/lanes.ts';
import type { Mark } from '../../nights/marks.ts';

/** The place of a mark, for the arrow keys. */
export interface Position {
  readonly mark: Mark;
  readonly lane: number;
  readonly minutes: number;
}

/** Every mark of the lanes, in the order of time. */
export function positionsOf(lanes: readonly Lane[]): readonly Position[] {
  return lanes.flatMap(({ marks }, lane) => marks.map(({ mark, minutes }) => ({ mark, lane, minutes })));
}

/** The mark that a key leads to from the current one; undefined if the key is not of these, or leads out. Pure. */
export function nextMark(
  positions: readonly Position[],
  currentId: string | undefined,
  key: string,
): Position | undefined {
  const index = positions.findIndex(({ mark }) => mark.key === currentId);
  const current = positions[index];
  if (current === undefined) return positions[0];
  switch (key) {
    case 'ArrowRight':
      return positions[index + 1];
    case 'ArrowLeft':
      return positions[index - 1];
    case 'Home':
      return positions[0];
    case 'End':
      return positions.at(-1);
    case 'ArrowDown':
      return nearest(
        current,
        positions.filter(({ lane }) => lane > current.lane),
      );
    case 'ArrowUp':
      return nearest(current, positions.filter(({ lane }) => lane < current.lane).toReversed());
    default:
      return undefined;
  }
}

/** Of the first lane that has marks, the one that is nearest by wall clock. */
function nearest({ minutes }: Position, others: readonly Position[]): Position | undefined {
  const lane = others[0]?.lane;
  return others
    .filter((other) => other.lane === lane)
    .toSorted((a, b) => Math.abs(a.minutes - minutes) - Math.abs(b.minutes - minutes))[0];
}
