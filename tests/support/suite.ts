/** True under `npm run test:full`, which repeats more and leaves out no combination. */
export const isFullSuite = process.env.TEST_SUITE === 'full';
/** True under `npm run test:quick`, which samples where the others try everything. */
export const isQuickSuite = process.env.TEST_SUITE === 'quick';
