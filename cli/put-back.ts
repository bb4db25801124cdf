/** Steps for what was changed by hand in an account: a plain deployment compares templates and leaves it as it is. */

const page = 'docs/runbook.md#changed-by-hand';

/** Where the resource is there, and is not as it was deployed. */
export const putBack = `deploy with --revert-drift (${page})`;

/** Where it is gone; nobody has promised that a deployment of any kind makes it again. */
export const makeAgain = `deploy with --revert-drift; where it stays away, and nothing runs, destroy the workers and deploy them again (${page})`;
