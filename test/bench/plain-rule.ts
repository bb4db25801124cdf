import type { ResolvedDatasetRule } from '#shared/config/resolve/resolved-automation.ts';

/** The plainest rule that does the whole job: fields, check, POST. */
export const plainRule: ResolvedDatasetRule = {
  prefix: 'datasets/',
  fileId: '{stem}',
  name: '{stem}',
  scannerId: '019ba000-0000-7000-8000-000000000702',
  scannerPackageId: '019ba000-0000-7000-8000-000000000602',
  check: 'prompt-label-csv',
  announce: false,
  locked: [],
};
