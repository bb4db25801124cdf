/**
 * The configuration cannot be deployed. The message is for the person who wrote the configuration,
 * and names the place. A stack trace would show only our own code, and an app that catches nothing
 * would print it below the message.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.stack = `${this.name}: ${message}`;
  }
}
