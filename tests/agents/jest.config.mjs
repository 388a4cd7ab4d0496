import config from '../../jest.config.mjs';

/** `npm run test:agents`: real programs, which npm and PyPI have to deliver first. Not a part of `npm test`. */
const tests = config.projects.find(({ displayName }) => displayName === 'tests');

export default {
  ...tests,
  displayName: 'agents',
  testMatch: ['<rootDir>/tests/agents/*.agent.ts'],
  testTimeout: 600_000,
  maxWorkers: 1,
};
