/** Where people put objects. Who may write which prefix is a policy each: writers of datasets are not writers of run plans. */
export const objectPrefixes = { datasets: 'datasets/', runPlans: 'run-plans/' } as const;
