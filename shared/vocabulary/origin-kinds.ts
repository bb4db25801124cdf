/** Who may ask for a change of a run. */
export const originKinds = ['schedule', 'upload', 'plan', 'change', 'watcher', 'operator'] as const;
