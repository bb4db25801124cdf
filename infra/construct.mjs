/**
 * What `gateway-autopilot` exports in the package. An app brings the CDK along; one that does not gets a sentence, and not the stack trace of
 * an import that fails. Not by `await import`: an app in CommonJS requires this file.
 */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const missing = ['aws-cdk-lib', 'constructs'].filter((name) => !isThere(`${name}/package.json`));
if (missing.length > 0) {
  const error = new Error(
    `the construct of gateway-autopilot needs ${missing.join(' and ')} in your app: npm install ${missing.join(' ')}; a configuration imports gateway-autopilot/config`,
  );
  error.stack = `Error: ${error.message}`;
  throw error;
}

function isThere(path) {
  try {
    require.resolve(path);
    return true;
  } catch {
    return false;
  }
}

export const { Autopilot, ConfigurationError, defineAutomation } = require('./autopilot.js');
