/**
 * Translates a compiled server module to a call of Node's own `require` (`requireNatively` of `environment.mjs`), which keeps the module for
 * the next test file of the worker.
 */
module.exports = {
  process: (_source, path) => ({ code: `module.exports = requireNatively(${JSON.stringify(path)});` }),
};
