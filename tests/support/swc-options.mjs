/** Sources are ES modules. Jest runs them as CommonJS, because its own ES module mode needs Node 24.9. */
export const swcOptions = ({ tsx }) => ({
  jsc: {
    target: 'es2022',
    keepClassNames: true,
    parser: { syntax: 'typescript', tsx, decorators: true },
    transform: { legacyDecorator: true, useDefineForClassFields: false, react: { runtime: 'automatic' } },
  },
  module: { type: 'commonjs' },
});
