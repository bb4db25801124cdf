/** Puts the seed into an empty gateway: fixed ids, fixed dates, no randomness. */
import type { Store } from '../store/store.ts';
import { seedCampaignRuns, seedCampaigns } from './campaigns.ts';
import { seedEndpoints } from './endpoints.ts';
import { seedProjects } from './projects.ts';
import { seedScannerPackages } from './scanner-packages.ts';

/** All of it or none: a kill half way leaves the database empty, and the next start seeds it again. */
export function seed(store: Store): void {
  store.atomically(() => {
    for (const { project, earlier } of seedProjects) {
      store.projects.put(project);
      for (const { at, config } of earlier) store.projectConfigs.record(project.id, new Date(at), config);
      store.projectConfigs.record(project.id, new Date(project.updatedAt), project.config);
    }
    for (const { campaign, earlier } of seedCampaigns) {
      store.campaigns.put(campaign);
      for (const { at, config } of earlier) store.campaignConfigs.record(campaign.id, new Date(at), config);
    }
    for (const run of seedCampaignRuns) store.campaignRuns.table.put(run);
    for (const scannerPackage of seedScannerPackages()) store.scannerPackages.put(scannerPackage);
    for (const endpoint of seedEndpoints) store.endpoints.put(endpoint);
  });
}
