/** Allowed imports between layers (server/ARCHITECTURE.md). Every rule is an error. */
const presentations = '\\.(resolver|routes|jobs)\\.ts$';
/** Files of a noun that are presentations: GraphQL, REST and timers. */
const presented = '\\.(resolver|object|routes|wire|jobs)\\.ts$';
const tests = '\\.test\\.tsx?$|^tests/';
/** Packages that only REST and GraphQL layers may import. */
const presentationPackages =
  '^node_modules/(graphql|graphql-[^/]+|type-graphql|fastify|@fastify|@apollo|@as-integrations|@escape\\.tech)(/|$)';
const graphqlPackages =
  '^node_modules/(graphql|graphql-[^/]+|type-graphql|@apollo|@as-integrations|@escape\\.tech)(/|$)';

/** The rooms of the server. Each may import those before it. */
const rooms = [
  'shared',
  'platform',
  'dialects',
  'options',
  'billing',
  'console',
  'gateway',
  'services',
  'import',
  'compose',
];
/** The stages of a call, in the same order: what is delivered is written by what sends, and `observe` records both. */
const stages = ['upstream', 'admit', 'route', 'reserve', 'observe', 'deliver', 'send', 'settle'];
/** The rooms of the console. */
const consoleRooms = ['theme', 'lib', 'components', 'nouns', 'screens', 'app'];

/**
 * One rule for each folder of a list: it imports none that stands behind it. Imports of types count too.
 * @param except files that are free to do so
 */
const oneWay = (parent, folders, name, except = { pathNot: tests }) =>
  folders.slice(0, -1).map((folder, index) => ({
    name: `${name}-one-way-${folder}`,
    comment: 'Two folders that import each other are one folder.',
    severity: 'error',
    from: { path: `${parent}${folder}/`, ...except },
    to: { path: `${parent}(${folders.slice(index + 1).join('|')})/` },
  }));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'presentations-on-top',
      comment: 'Presentations translate; nothing but what puts the server together knows them.',
      severity: 'error',
      from: { path: '^server/src', pathNot: `^server/src/(main|compose/[^/]+)\\.ts$|${tests}` },
      to: { path: presentations },
    },
    {
      name: 'services-know-no-presentation',
      comment: 'A service serves both presentations, so it knows neither.',
      severity: 'error',
      from: { path: '^server/src/(console|billing|options)/', pathNot: `${presented}|\\.main\\.ts$|${tests}` },
      to: { path: `${presentationPackages}|^server/src/platform/(http|graphql)/|${presented}` },
    },
    {
      name: 'nouns-have-a-door',
      comment: 'A noun is entered through its index.ts. Its presentations are no part of that door.',
      severity: 'error',
      from: { path: '^server/src/(?:(console|billing)/([^/]+)|[^/]+)/', pathNot: tests },
      to: { path: '^server/src/(console|billing)/', pathNot: ['^server/src/$1/$2/', '/index\\.ts$', presented] },
    },
    {
      name: 'presentations-meet-through-types',
      comment: 'A relation names the GraphQL type of another noun; a route names its wire.',
      severity: 'error',
      from: { path: '^server/src/(console|billing)/([^/]+)/', pathNot: tests },
      to: { path: '\\.(resolver|routes|jobs)\\.ts$', pathNot: '^server/src/$1/$2/' },
    },
    {
      name: 'relay-without-graphql',
      comment: 'The hot path loads no GraphQL, over whatever way.',
      severity: 'error',
      from: { path: '^server/src/(dialects|gateway|services)/', pathNot: tests },
      to: { path: graphqlPackages, reachable: true },
    },
    {
      name: 'dialects-are-pure',
      comment: 'A dialect is data or pure functions: no network, no clock, no database.',
      severity: 'error',
      from: { path: '^server/src/dialects/', pathNot: tests },
      to: {
        pathNot: [
          '^server/src/(dialects|shared)/',
          // Signatures, frames and compressed bodies: computed from what is given, like everything else here.
          '^(node:)?(crypto|util|timers/promises|net|http)$',
          '^node_modules/(zod|fzstd|@smithy/[^/]+)/',
        ],
      },
    },
    {
      name: 'makers-are-apart',
      comment:
        'A maker is added and removed without another one; all may speak the dialect of OpenAI. Azure has the models of OpenAI, and a gateway all dialects.',
      severity: 'error',
      from: { path: '^server/src/dialects/makers/([^/]+)/', pathNot: [tests, '/makers/(azure|new-api)/rows.ts$'] },
      to: {
        path: '^server/src/dialects/makers/',
        pathNot: '^server/src/dialects/makers/($1|openai-compatible|hosted)/',
      },
    },
    {
      name: 'providers-know-no-maker',
      comment: 'What a row is made of names no maker.',
      severity: 'error',
      from: { path: '^server/src/dialects/providers/', pathNot: tests },
      to: { path: '^server/src/dialects/makers/' },
    },
    {
      name: 'payment-providers-are-apart',
      comment: 'A payment provider is added and removed without a change elsewhere.',
      severity: 'error',
      from: { path: '^server/src/', pathNot: ['^server/src/billing/payments/providers/', tests] },
      to: { path: '^server/src/billing/payments/providers/.+/' },
    },
    ...oneWay('^server/src/', rooms, 'rooms'),
    ...oneWay('^server/src/gateway/', stages, 'stages'),
    ...oneWay('^client/src/', consoleRooms, 'console', {}),
    {
      name: 'screens-are-islands',
      comment: 'A screen is opened by its route, never by another screen. What screens share of a noun is in nouns.',
      severity: 'error',
      from: { path: '^client/src/screens/([^/]+)/' },
      to: { path: '^client/src/screens/', pathNot: '^client/src/screens/$1/' },
    },
    {
      name: 'components-without-graphql',
      comment: 'What asks the server about a noun belongs to the noun.',
      severity: 'error',
      from: { path: '^client/src/(theme|lib|components)/' },
      to: { path: '^client/.*\\.generated\\.ts$' },
    },
    {
      name: 'client-is-apart',
      comment: 'The console knows the server by its schema.',
      severity: 'error',
      from: { path: '^client/' },
      to: { path: '^server/' },
    },
    {
      name: 'no-circles',
      comment: 'Two files that need each other are one file, or three. Imports of types count too.',
      severity: 'error',
      from: { path: '^(server|client)/' },
      to: { circular: true },
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
