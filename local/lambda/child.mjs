/**
 * The inside of a function's process: loads the handler, answers one invocation at a time, and says
 * why when it cannot. Messages: `{ ready }` or `{ initError }` once; for each `{ requestId, event,
 * deadlineInMs, context }` one `{ requestId, payload, isError }`. After the last line of an
 * invocation it writes LOG_END to both streams, so the host can assign each line to an invocation.
 */
import { loadHandler } from './child-handler.mjs';

const LOG_END = '\u0000autopilot log end ';

const { LAMBDA_TASK_ROOT: taskRoot, _HANDLER: handlerName } = process.env;
let handler;
let current;

// Ctrl-C reaches the whole process group; the host decides when a function ends.
process.on('SIGINT', () => {});
// The host has ended, so nothing waits for an answer.
process.on('disconnect', () => process.exit(0));
process.on('uncaughtException', (error) => void die(describeError(error)));
process.on('unhandledRejection', (reason) => {
  const described = describeError(reason);
  void die({
    errorType: 'Runtime.UnhandledPromiseRejection',
    errorMessage: `${described.errorType}: ${described.errorMessage}`,
    trace: described.trace,
  });
});
process.on('message', (message) => {
  if (typeof message.requestId === 'string') void invoke(message);
});
process.channel.ref();

try {
  handler = await loadHandler(taskRoot, handlerName);
  process.send({ ready: true });
} catch (error) {
  console.error(error);
  await logEnd('init');
  process.send({ initError: describeError(error) }, () => process.exit(1));
}

async function invoke({ requestId, event, deadlineInMs, context }) {
  current = requestId;
  const deadline = performance.now() + deadlineInMs;
  const lambdaContext = {
    ...context,
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  };
  try {
    const answer = await handler(JSON.parse(event), lambdaContext);
    await answerWith(requestId, JSON.stringify(answer ?? null), false);
  } catch (error) {
    console.error(error);
    await answerWith(requestId, JSON.stringify(describeError(error)), true);
  }
}

async function answerWith(requestId, payload, isError) {
  await logEnd(requestId);
  current = undefined;
  process.send({ requestId, payload, isError });
}

/**
 * An uncaught error ends the process, as it does in Lambda; the interrupted invocation gets the
 * error as its answer.
 */
async function die(error) {
  console.error(error.trace?.join('\n') ?? error.errorMessage);
  const requestId = current ?? 'idle';
  await logEnd(requestId);
  process.send({ requestId, payload: JSON.stringify(error), isError: true, fatal: true }, () => process.exit(1));
}

async function logEnd(requestId) {
  const line = `${LOG_END}${requestId}\n`;
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write(line, done))));
}

/** What was thrown, in the shape that Lambda answers with. */
function describeError(thrown) {
  if (!(thrown instanceof Error)) {
    return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  }
  return {
    errorType: thrown.name || 'Error',
    errorMessage: thrown.message,
    trace: (thrown.stack ?? '').split('\n').slice(0, 50),
  };
}
