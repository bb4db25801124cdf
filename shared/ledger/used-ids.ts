import type { BindingItem } from './items.ts';

/** Whether an id was used by any start of its run, however long ago. */
export function isUsed({ used, usedBefore }: BindingItem, campaignRunId: string): boolean {
  return used.some((use) => use.campaignRunId === campaignRunId) || usedBefore?.includes(campaignRunId) === true;
}
