import { configurations, ofType, synthesize } from '../../infra/template.ts';

/** How big the stack is that the schedules live in. */
export interface StackSize {
  readonly resources: number;
  readonly schedules: number;
}

/** Counts the example as it ships. */
export async function workersStackSize(): Promise<StackSize> {
  const { workers } = await synthesize(configurations.example);
  return {
    resources: Object.keys(workers.resources).length,
    schedules: ofType(workers, 'AWS::Scheduler::Schedule').length,
  };
}
