/**
 * The memory of a function's process, as Lambda limits it: all that is resident, buffers and native memory too, which no
 * limit of the heap sees. Above it Lambda ends the process with "signal: killed", and its REPORT line says Max Memory Used
 * (https://www.smplogs.com/guides/lambda-memory-errors). Linux alone shows it; elsewhere nothing is enforced.
 */
import { readFileSync } from 'node:fs';

/** A process that grows faster than this is found out by its peak when it answers. */
const LOOK_EVERY_MS = 100;

/** The watch over one invocation. */
export interface MemoryWatch {
  /** Ends the watch: the most that the process ever had, in MB; undefined if this machine does not show it. */
  readonly end: () => number | undefined;
}

/** Looks at a process again and again, and says so once if it has had more than the limit. */
export function watchMemory(pid: number | undefined, limitMb: number, onExcess: () => void): MemoryWatch {
  let peakMb: number | undefined;
  const look = (): void => {
    peakMb = peakOf(pid) ?? peakMb;
    if (peakMb === undefined || peakMb <= limitMb) return;
    clearInterval(timer);
    onExcess();
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    end() {
      clearInterval(timer);
      peakMb = peakOf(pid) ?? peakMb;
      return peakMb;
    },
  };
}

/** The peak of the resident set; undefined if the process is gone, or the machine has no /proc. */
function peakOf(pid: number | undefined): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Math.ceil(Number(kilobytes) / 1024);
  } catch {
    return undefined;
  }
}
