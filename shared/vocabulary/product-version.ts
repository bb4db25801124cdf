import manifest from '../../package.json' with { type: 'json' };

/** The version of the product that runs here: that of its package. */
export const productVersion = manifest.version;
