const { Script } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

/** The compiled modules of this worker, by their path. */
const compiled = new Map();

/**
 * Each test file of the console evaluates React, MUI and the console anew, in a window of its own. Jest also compiles them
 * anew. This runtime keeps the compiled code from one file to the next.
 */
module.exports = class CompilingOnceRuntime extends JestRuntime {
  constructor(...parameters) {
    super(...parameters);
    const [, environment] = parameters;
    const names = this.executor.injectedModuleParameters.join(', ');
    this.executor.compile = (source, filename) => {
      const context = environment.getVmContext();
      // Jest reads null as the end of the file's environment.
      if (context === null) return null;
      let known = compiled.get(filename);
      if (known?.source !== source) {
        // On the first line, so that lines of stack traces stay right.
        const script = new Script(`(function (${names}) {${source}\n})`, { filename });
        known = { source, script };
        compiled.set(filename, known);
      }
      return known.script.runInContext(context);
    };
  }
};
