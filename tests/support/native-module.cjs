/** Jest loads a compiled server module with Node's own loader, which keeps it for the next test file of the worker. */
module.exports = {
  process: (_source, path) => ({ code: `module.exports = requireNatively(${JSON.stringify(path)});` }),
};
