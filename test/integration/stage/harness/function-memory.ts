import { readdirSync, readFileSync } from 'node:fs';

/**
 * The most resident memory that a function's process ever had, beside what its function declares.
 */
export interface FunctionMemory {
  readonly name: string;
  readonly peakMb: number;
  readonly memoryMb: number;
}

/**
 * The function processes of a run, by what Linux says of the children of its process: Lambda, too,
 * counts the resident set.
 */
export function functionMemory(runPid: number): readonly FunctionMemory[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        if (field(status, 'PPid') !== runPid) return [];
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        const name = variable(environment, 'AWS_LAMBDA_FUNCTION_NAME');
        if (name === '') return [];
        const memoryMb = Number(variable(environment, 'AWS_LAMBDA_FUNCTION_MEMORY_SIZE'));
        return [{ name, peakMb: Math.round(field(status, 'VmHWM') / 1024), memoryMb }];
      } catch {
        // It ended meanwhile.
        return [];
      }
    });
}

function field(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
}

function variable(environment: readonly string[], name: string): string {
  return environment.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
}
