/**
 * Asks answer-questions for its part of the configuration. So the person who asks reads what is deployed, the same in AWS and on one machine,
 * and needs no permission beyond the invocation. No secret is ever in it.
 */
export const configQuestion = { ask: 'config' } as const;
