import { ToolFeesThere } from './tool-fees.js';

it('has the fees that new-api has built in', () => {
  const fees = new ToolFeesThere(undefined);
  const others = { mapsPrompt: 0, fileSearch: 0.0025, codeExecution: 0 };
  expect(fees.table()).toEqual({
    '*': { webSearch: 0.01, ...others },
    'gemini*': { groundedPrompt: 0.014, ...others },
    'gpt-4o*': { webSearch: 0.025, ...others },
    'gpt-4.1*': { webSearch: 0.025, ...others },
  });
  expect(fees.unlike('gpt-5')).toEqual([]);
  expect(fees.unlike('gpt-4o-mini')).toEqual(['web_search: 0.01 USD there, 0.025 USD here']);
  expect(fees.drawing).toBe(0.15);
});

it('puts what the site has saved before them, by the longest prefix; a price of 0 counts', () => {
  const fees = new ToolFeesThere(
    '{"web_search":30,"file_search":0,"web_search:claude-opus*":50,"web_search:claude*":40,"google_search":"7","image_generation":-1}',
  );
  expect(fees.of('claude-opus-4-6')).toMatchObject({ webSearch: 0.05, fileSearch: 0 });
  expect(fees.of('claude-haiku-4-5')).toMatchObject({ webSearch: 0.04 });
  expect(fees.of('gpt-5')).toMatchObject({ webSearch: 0.03 });
  // Values that new-api ignores.
  expect(fees.of('gemini-3-pro')).toMatchObject({ groundedPrompt: 0.014 });
  expect(fees.drawing).toBe(0.15);
  expect(fees.table()).toMatchObject({ 'claude*': { webSearch: 0.04 }, 'claude-opus*': { webSearch: 0.05 } });
});
