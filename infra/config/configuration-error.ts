/** The configuration cannot be deployed; the message is for the person who wrote it, and no stack trace would help. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
