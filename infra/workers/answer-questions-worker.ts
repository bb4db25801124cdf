import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { WorkerFunction } from '../constructs/compute/worker-function.ts';
import type { WorkerProps } from './worker-props.ts';

/** What it needs: neither the outcome bus nor a queue. */
export type AnswerQuestionsWorkerProps = Omit<WorkerProps, 'bus'>;

/**
 * Answers `autopilot`. It may read and nothing else, so that a person who may only look need not be
 * able to invoke a function that acts. It has no row on the dashboard: the two metrics of a row
 * would take the dashboard past the fifty that are free.
 */
export class AnswerQuestionsWorker extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, props: AnswerQuestionsWorkerProps) {
    super(scope, id);
    const { state, ledger, acting } = props;
    const worker = new WorkerFunction(this, 'Function', {
      name: 'answer-questions',
      surroundings: props,
      monitoring: {
        none: 'the person who asked sees the failure as the answer, and no work waits behind it',
      },
      memoryMb: 512, // processor time for a quick cold start: a person waits for the answer
      environment: {
        LEDGER_TABLE: ledger.tableName,
        ACTING_TABLE: state.ledger.tableName,
        TOKEN_SECRET_ARN: state.token.secretArn,
      },
    });
    const asked = [
      'command',
      'run',
      'run-id',
      'target',
      'switch',
      'gate',
      'confirmation',
      'run-readings',
      'calendars',
    ] as const;
    ledger.grantRead(worker, asked, 'the rows that an answer is about');
    ledger.grantListOpen(worker, 'what is in flight and what is deferred');
    acting?.grantRead(
      worker,
      ['command', 'run', 'switch'],
      'switches, bound ids, and what was begun before the stage observed',
    );
    state.token.grantRead(worker);
    this.function = worker.function;
  }
}
