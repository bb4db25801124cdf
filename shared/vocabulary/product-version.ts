import manifest from '../../package.json' with { type: 'json' };

/**
 * The version of the product that runs here: that of its package, `1.4.2`. A stage says the one
 * that it was deployed by.
 */
export const productVersion = manifest.version;
