import type { ToolPrices } from '../../../shared/tool-fees.js';

const usual = { fileSearch: 0.0025, codeExecution: 0.03 };
const free: ToolPrices = {
  webSearch: 0,
  groundedPrompt: 0,
  mapsPrompt: 0,
  fileSearch: 0,
  codeExecution: 0,
};
const withSearch = (webSearch: number): ToolPrices => ({ ...free, ...usual, webSearch });

/**
 * USD that one-hub charges for the tools of a Responses call; it has no settings for them. It charges for no tool of Anthropic and
 * Google.
 */
export const toolPricesThere: Readonly<Record<string, ToolPrices>> = {
  '*': withSearch(0.01),
  'gpt-4.1*': withSearch(0.025),
  'gpt-4o*': withSearch(0.025),
  'claude*': free,
  'gemini*': free,
};
