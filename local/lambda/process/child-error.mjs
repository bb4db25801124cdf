/** What was thrown, in the shape that Lambda answers with. */
export function describeError(thrown) {
  if (!(thrown instanceof Error)) {
    return { errorType: typeof thrown, errorMessage: String(thrown), trace: [] };
  }
  return {
    errorType: thrown.name || 'Error',
    errorMessage: thrown.message,
    trace: (thrown.stack ?? '').split('\n').slice(0, 50),
  };
}
