const { compileFunction } = require('node:vm');
const { default: JestRuntime } = require('jest-runtime');

/**
 * The modules that a worker keeps from one test file to the next: packages and the sources of the server. Tests and
 * what they share (`tests/`) are evaluated for every file.
 */
const isKept = (path) => /\/(node_modules|server\/src)\//.test(path) && !/\.test\.ts$/.test(path);

/** Every kept module that a file of this worker has loaded, by its path. */
const kept = new Map();
/** The files with the source maps of kept modules, by the path of the module. */
const keptSourceMaps = new Map();
/** Where packages collect what classes declare when they are evaluated. */
const registries = ['typeormMetadataArgsStorage', 'TypeGraphQLMetadataStorage'];
/** The runtime of the file that runs now. */
let current;

/**
 * Jest evaluates every module again for every test file, and in a V8 context of its own, where each access to a global
 * is slow. For a whole server that took more than half of the time of a test file. This runtime evaluates in the
 * worker's own context (`environment.mjs`), and evaluates a kept module once for each worker.
 *
 * So a test must not change a kept module, except with `jest.spyOn`, which is undone at the end of its file, nor call
 * `jest.resetModules`: of the copies that it makes, later files would get some. For a file that calls `jest.doMock` everything is
 * evaluated again from that call on, and nothing of it is kept.
 */
module.exports = class KeepingRuntime extends JestRuntime {
  constructor(...parameters) {
    const { getBuiltinModule } = process;
    super(...parameters);
    // A file that names another environment, such as jsdom, is evaluated in that environment, as Jest does.
    const [, environment] = parameters;
    if (!environment.sharesContext) return;
    // Jest replaces it in the `process` of a test, which is the real one here.
    if (getBuiltinModule) process.getBuiltinModule = getBuiltinModule;
    this.keepsModules = true;
    current = this;
    this.executor.compile = (source, filename) =>
      compileFunction(source, this.executor.injectedModuleParameters, { filename });
    const ownRequire = this.requireBuilder.for.bind(this.requireBuilder);
    this.requireBuilder.for = (module, options) =>
      options?.isInternalModule || !isKept(module.filename) ? ownRequire(module, options) : requireOfKept(module);
    for (const [path, module] of kept) this.registries.moduleRegistry.set(path, module);
  }

  setMock(...parameters) {
    if (this.keepsModules && !this.registriesBefore) {
      this.registriesBefore = registries.map((name) => [name, globalThis[name]]);
      for (const name of registries) delete globalThis[name];
      const loaded = this.registries.moduleRegistry;
      for (const path of [...loaded.keys()]) if (isKept(path)) loaded.delete(path);
    }
    super.setMock(...parameters);
  }

  /** Also of modules that an earlier file has loaded, for the stack traces of errors. */
  getSourceMaps() {
    const own = super.getSourceMaps();
    if (this.keepsModules) for (const [path, file] of keptSourceMaps) if (!own.has(path)) own.set(path, file);
    return own;
  }

  teardown() {
    if (this.registriesBefore) {
      for (const [name, before] of this.registriesBefore) {
        if (before === undefined) delete globalThis[name];
        else globalThis[name] = before;
      }
    } else if (this.keepsModules) {
      for (const [path, module] of this.registries.moduleRegistry) {
        if (module.loaded && isKept(path)) kept.set(path, module);
      }
      for (const [path, file] of super.getSourceMaps()) if (isKept(path)) keptSourceMaps.set(path, file);
    }
    super.teardown();
  }
};

/** `require` of a kept module, which outlives the runtime that loaded it. */
function requireOfKept({ filename }) {
  const require = (name) => current.requireModuleOrMock(filename, name);
  require.extensions = Object.create(null);
  require.resolve = (name, options) => current.requireBuilder.resolve(filename, name, options);
  require.resolve.paths = (name) => current.requireBuilder.resolvePaths(filename, name);
  // Fastify looks through it for every plugin, and Jest answers each of its keys with a search.
  require.cache = Object.create(null);
  Object.defineProperty(require, 'main', { enumerable: true, get: () => current.testMainModule.current });
  return require;
}
