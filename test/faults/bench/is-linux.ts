/**
 * Some tests need Linux: they ask `/proc` whether a process is stopped, or use 127.0.0.2, which
 * other systems have to be given.
 */
export const isLinux = process.platform === 'linux';
