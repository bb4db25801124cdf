/** The key of a stage that a test starts: what its front door takes from the developer. */
export const developerKey = { accessKeyId: 'invented', secretAccessKey: 'invented' };
