/** What was asked for is not done; the message is the one line that says why and what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly exitCode: number;

  /** @param exitCode - 2 where the command line is to be another one, 1 where the deployment failed */
  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}
