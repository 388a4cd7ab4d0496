/** Allowed imports between layers (server/ARCHITECTURE.md). Every rule is an error. */
const skins = '\\.(resolver|routes|jobs)\\.ts$';
const tests = '\\.test\\.tsx?$|^tests/';
/** Packages that only REST and GraphQL layers may import. */
const skinPackages =
  '^node_modules/(graphql|graphql-[^/]+|type-graphql|fastify|@fastify|@apollo|@as-integrations|@escape\\.tech)(/|$)';
const graphqlPackages =
  '^node_modules/(graphql|graphql-[^/]+|type-graphql|@apollo|@as-integrations|@escape\\.tech)(/|$)';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'skins-on-top',
      comment: 'Skins translate; nothing but what puts the server together knows them.',
      severity: 'error',
      from: { path: '^server/src', pathNot: `^server/src/(main|compose/[^/]+)\\.ts$|${tests}` },
      to: { path: skins },
    },
    {
      name: 'services-know-no-skin',
      comment: 'A service serves both skins, so it knows neither.',
      severity: 'error',
      from: { path: '^server/src/.*\\.(service|entity)\\.ts$' },
      to: { path: `${skinPackages}|^server/src/(http|graphql)/|\\.(object|wire)\\.ts$` },
    },
    {
      name: 'modules-meet-through-services',
      comment: 'A module shows its neighbours its services and its rows, and their resolvers its GraphQL types.',
      severity: 'error',
      from: { path: '^server/src/modules/([^/]+)/', pathNot: [tests, '\\.(resolver|object)\\.ts$'] },
      to: { path: '^server/src/modules/', pathNot: ['^server/src/modules/$1/', '\\.(service|entity)\\.ts$'] },
    },
    {
      name: 'resolvers-meet-through-types',
      comment: 'A relation names the GraphQL type of another module.',
      severity: 'error',
      from: { path: '^server/src/modules/([^/]+)/.*\\.(resolver|object)\\.ts$', pathNot: tests },
      to: { path: '^server/src/modules/', pathNot: ['^server/src/modules/$1/', '\\.(service|entity|object)\\.ts$'] },
    },
    {
      name: 'relay-meets-modules-through-services',
      comment: 'To a module the relay is a neighbour like any other.',
      severity: 'error',
      from: { path: '^server/src/relay/', pathNot: tests },
      to: { path: '^server/src/modules/', pathNot: '\\.(service|entity)\\.ts$' },
    },
    {
      name: 'relay-without-graphql',
      comment: 'The hot path loads no GraphQL, over whatever way.',
      severity: 'error',
      from: { path: '^server/src/relay/', pathNot: tests },
      to: { path: graphqlPackages, reachable: true },
    },
    {
      name: 'adapters-are-pure',
      comment: 'An adapter is data or pure functions: no network, no clock, no database.',
      severity: 'error',
      from: { path: '^server/src/dialects/makers/([^/]+)/', pathNot: tests },
      to: {
        pathNot: [
          '^server/src/dialects/makers/($1|openai-compatible)/',
          '^server/src/relay/(accepts|adapter)\\.ts$',
          '^server/src/relay/(protocols|neutral|sse|errors|forms|overrides|pass-through)/',
          '^server/src/shared/',
          '^node_modules/zod/',
          // Signatures and event frames: computed from what is given, like everything else here.
          '^(node:)?crypto$',
          '^node_modules/@smithy/',
        ],
      },
    },
    {
      name: 'modules-stand-on-the-ground',
      comment:
        'The ground (database, cache, mail, GraphQL, HTTP, …) serves modules and the relay, so it imports neither.',
      severity: 'error',
      from: { path: '^server/src/(db|cache|graphql|http|live|mail|observability|outbound)/', pathNot: tests },
      to: { path: '^server/src/(modules|relay|compose)/' },
    },
    {
      name: 'modules-without-relay',
      comment: 'The relay uses services of modules, never the other way round; both read the provider table.',
      severity: 'error',
      from: { path: '^server/src/modules/', pathNot: tests },
      to: { path: '^server/src/(relay|compose)/', pathNot: '^server/src/dialects/providers/' },
    },
    {
      name: 'providers-are-pure',
      comment: 'The provider table is data and pure functions, so that modules and the relay may both read it.',
      severity: 'error',
      from: { path: '^server/src/dialects/providers/', pathNot: tests },
      to: {
        pathNot: [
          '^server/src/relay/(providers|adapters)/',
          '^server/src/relay/(accepts|adapter)\\.ts$',
          '^server/src/shared/',
          '^node_modules/zod/',
        ],
      },
    },
    {
      name: 'relay-is-composed',
      comment: 'Only the entry points know how the server is put together.',
      severity: 'error',
      from: { path: '^server/src/relay/', pathNot: tests },
      to: { path: '^server/src/compose/' },
    },
    {
      name: 'shared-is-the-floor',
      comment: 'What everything stands on stands on nothing of ours.',
      severity: 'error',
      from: { path: '^server/src/shared/', pathNot: tests },
      to: { path: '^(server|client)/', pathNot: '^server/src/shared/' },
    },
    {
      name: 'screens-are-islands',
      comment: 'A screen is opened by its route, never by another screen.',
      severity: 'error',
      from: { path: '^client/src/screens/([^/]+)/' },
      to: { path: '^client/src/screens/', pathNot: '^client/src/screens/$1/' },
    },
    {
      name: 'screens-below-app',
      comment: 'The app composes the screens. What screens share is in components, lib or a feature folder.',
      severity: 'error',
      from: { path: '^client/src/(screens|sign-in|site)/' },
      to: { path: '^client/src/app/', pathNot: '^client/src/app/theme/' },
    },
    {
      name: 'client-is-apart',
      comment: 'The console knows the server by its schema.',
      severity: 'error',
      from: { path: '^client/' },
      to: { path: '^server/' },
    },
    {
      name: 'client-parts-are-blind',
      comment: 'Shared components and helpers know no screen and no route; the theme is for everybody.',
      severity: 'error',
      from: { path: '^client/src/(components|lib)/' },
      to: { path: '^client/src/(screens|app)/', pathNot: '^client/src/app/theme/' },
    },
    {
      name: 'no-circles',
      comment: 'Two files that need each other are one file, or three. On the server imports of types count too.',
      severity: 'error',
      from: { path: '^server/' },
      to: { circular: true },
    },
    {
      name: 'no-circles-in-the-console',
      comment: 'Two files that need each other are one file, or three. A component may take its types from its page.',
      severity: 'error',
      from: { path: '^client/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'tests-stay-outside',
      comment: 'What is shipped needs no test to run.',
      severity: 'error',
      from: { path: '^(server|client)/src/', pathNot: tests },
      to: { path: tests },
    },
    {
      name: 'only-what-is-declared',
      comment: 'A package that works by luck stops working by luck.',
      severity: 'error',
      from: { path: '^(server|client)/src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'server-runs-without-development-packages',
      comment: 'The image installs production dependencies alone.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: tests },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-dangling-imports',
      comment: 'What is imported has to be there.',
      severity: 'error',
      from: {},
      // A package of types alone has nothing to resolve to.
      to: { couldNotResolve: true, pathNot: '^@graphql-typed-document-node/core$' },
    },
  ],
  options: {
    doNotFollow: { path: '^node_modules' },
    exclude: { path: '^(dist|data|coverage|tests/\\.output|tests/fixtures)/' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['main', 'types'],
    },
  },
};
