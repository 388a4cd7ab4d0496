import eslint from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import typescript from 'typescript-eslint';

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration',
  message: 'Export by name: one name for one thing, wherever it is used.',
};

const noLiteralSpread = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'List the fields: a literal needs no spread.',
};

/** Forms of the older consoles: only the presentation for them (`*.wire.ts`) and the import read and make these. */
const olderForms = [
  {
    selector: "CallExpression[callee.property.name='split'] > Literal[value=',']",
    message:
      'A list is an array. Only *.wire.ts knows the texts of the older consoles; for headers: shared/comma-list.ts.',
  },
  {
    selector: 'BinaryExpression[operator=/^[*\\u002F]$/] > Literal[value=1000]',
    message: 'A moment is a Date: shared/clock.ts. Only *.wire.ts knows Unix seconds.',
  },
  {
    selector: "BinaryExpression[operator=/^[!=]==$/] > UnaryExpression[operator='-'] > Literal[value=1]",
    message: 'Null means none. Only *.wire.ts knows -1.',
  },
];

/** Rooms of nouns. Everywhere else, lines are the form of files, streams and programs. */
const nouns = [
  'server/src/billing/{budgets,organisations,payments,plans,rollups,statements}/**/*.ts',
  'server/src/{compose,console,options}/**/*.ts',
  'server/src/services/{batches,chat,embeddings,hosts,interactions,media,objects,playground,tasks}/**/*.ts',
];
const olderLines = {
  selector: "CallExpression[callee.property.name='split'] > Literal[value='\\n']",
  message: 'A list is an array. Only *.wire.ts knows the texts of the older consoles.',
};

export default typescript.config(
  {
    ignores: [
      'dist/',
      'data/',
      'coverage/',
      'tests/.output/',
      '.cache/',
      'tests/recorded/',
      'tests/fixtures/',
      '**/*.generated.ts',
      'client/src/gql/',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [typescript.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ['server/tsconfig.json', 'client/tsconfig.json', 'tests/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-restricted-syntax': ['error', noDefaultExport, noLiteralSpread],
      'no-console': 'error',
      // `== null` asks for null and undefined at once.
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      // An implementation of an interface may answer at once; a wrapper is async so that it always rejects.
      '@typescript-eslint/require-await': 'off',
      // Numbers in texts are what they look like.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // A handler given for its effect: `() => list.push(item)`.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // TypeGraphQL and TypeORM classes may have decorators and no members.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // Rows and wires are typed by what we expect; checking what a type says cannot happen is not a mistake there.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/unified-signatures': 'off',
      // An entity is spread into a draft on purpose, and a GraphQL object is any object of its shape.
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
    },
  },
  {
    files: ['server/src/**/*.ts'],
    ignores: ['**/*.wire.ts', '**/*.test.ts', 'server/src/import/**', 'server/src/shared/{clock,comma-list}.ts'],
    rules: { 'no-restricted-syntax': ['error', noDefaultExport, noLiteralSpread, ...olderForms] },
  },
  {
    files: nouns,
    ignores: ['**/*.wire.ts', '**/*.test.ts'],
    rules: { 'no-restricted-syntax': ['error', noDefaultExport, noLiteralSpread, ...olderForms, olderLines] },
  },
  {
    files: ['server/src/**/*.ts'],
    languageOptions: { globals: globals.node },
    rules: {
      // One reader of the environment, parsed and typed.
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only config.ts knows the environment; main.ts hands it over.' },
        {
          object: 'Math',
          property: 'random',
          message: 'Not for anything an outsider may want to guess: shared/ids.ts.',
        },
      ],
    },
  },
  {
    files: [
      'server/src/main.ts',
      'server/src/**/*.main.ts',
      // Hands the surroundings on to Postgres' own programs.
      'server/src/platform/db/embedded/run-tool.ts',
      'server/src/**/*.test.ts',
    ],
    rules: { 'no-restricted-properties': 'off', 'no-console': 'off' },
  },
  {
    files: ['client/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    languageOptions: { globals: globals.browser },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      'no-console': ['error', { allow: ['error'] }],
      // The libraries' types declare functions as methods.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['client/src/**/*.{ts,tsx}'],
    ignores: ['client/src/components/loadable.tsx'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'react',
          importNames: ['lazy'],
          message: 'It keeps a failure until the page is reloaded: components/loadable.tsx.',
        },
      ],
    },
  },
  { files: ['client/public/**/*.js', 'docs/site/*.js'], languageOptions: { globals: globals.browser } },
  {
    // Tests look into answers of unknown shape and hand over what types would refuse.
    files: ['**/*.test.{ts,tsx}', 'tests/**/*.ts'],
    languageOptions: { globals: { ...globals.node, ...globals.jest } },
    rules: {
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.{mjs,cjs}'],
    languageOptions: { globals: globals.node },
  },
  {
    // Tools want their settings as the default export.
    files: ['*.config.{mjs,ts}', 'client/vite.config.ts', '.dependency-cruiser.mjs', 'tests/support/global-*.mjs'],
    rules: { 'no-restricted-syntax': ['error', noLiteralSpread] },
  },
);
