import { CurrentToolFees, toolFeesThere } from './tool-fees.js';

it('has the fees that new-api has built in', () => {
  const fees = new CurrentToolFees(undefined);
  const others = { mapsPrompt: 0, fileSearch: 0.0025, codeExecution: 0 };
  expect(fees.table()).toEqual({
    '*': { webSearch: 0.01, ...others },
    'gemini*': { groundedPrompt: 0.014, ...others },
    'gpt-4o*': { webSearch: 0.025, ...others },
    'gpt-4.1*': { webSearch: 0.025, ...others },
  });
  expect(fees.unlike('gpt-5')).toEqual([]);
  expect(fees.unlike('gpt-4o-mini')).toEqual(['web_search: 0.01 USD there, 0.025 USD here']);
  expect(fees.general).toEqual(['image_generation: 0.15 USD a drawing there, the tokens of the drawing here']);
});

it('puts what the site has saved before them, by the longest prefix; a price of 0 counts', () => {
  const fees = new CurrentToolFees(
    '{"web_search":30,"file_search":0,"web_search:claude-opus*":50,"web_search:claude*":40,"google_search":"7","image_generation":-1}',
  );
  expect(fees.of('claude-opus-4-6')).toMatchObject({ webSearch: 0.05, fileSearch: 0 });
  expect(fees.of('claude-haiku-4-5')).toMatchObject({ webSearch: 0.04 });
  expect(fees.of('gpt-5')).toMatchObject({ webSearch: 0.03 });
  // Values that new-api ignores.
  expect(fees.of('gemini-3-pro')).toMatchObject({ groundedPrompt: 0.014 });
  expect(fees.general).toEqual(['image_generation: 0.15 USD a drawing there, the tokens of the drawing here']);
  expect(fees.table()).toMatchObject({ 'claude*': { webSearch: 0.04 }, 'claude-opus*': { webSearch: 0.05 } });
});

it.each(['veloera', 'new-api 2025'] as const)('has the fees of %s, which has no settings for them', (generation) => {
  const fees = toolFeesThere(generation, new Map());
  const others = { groundedPrompt: 0, mapsPrompt: 0, codeExecution: 0 };
  expect(fees?.table()).toEqual({
    '*': { webSearch: 0.0275, fileSearch: 0.0025, ...others },
    'gpt-4o*': { webSearch: 0.035, fileSearch: 0.0025, ...others },
    'gpt-4.1*': { webSearch: 0.035, fileSearch: 0.0025, ...others },
    'gpt-4o-mini*': { webSearch: 0.0275, fileSearch: 0.0025, ...others },
    'gpt-4.1-mini*': { webSearch: 0.0275, fileSearch: 0.0025, ...others },
    'claude*': { webSearch: 0, fileSearch: 0, ...others },
    'gemini*': { webSearch: 0, fileSearch: 0, ...others },
  });
  expect(fees?.unlike('gpt-4.1')).toEqual([
    'web_search_preview: 0.03, 0.035 or 0.05 USD there, by the size of the context, 0.035 USD here',
  ]);
  expect(fees?.unlike('claude-3-opus')).toEqual([]);
});

it('leaves the fees of one-api and one-hub to other code', () => {
  expect([toolFeesThere('one-api', new Map()), toolFeesThere('one-hub', new Map())]).toEqual([null, null]);
});
