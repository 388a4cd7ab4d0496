import type { Part, ToolResultPart } from './message.js';

/**
 * The content of a result for dialects that cannot say that a tool failed. Without a word of it, the model would take the
 * content for a success.
 */
export const resultContent = ({ isError, content }: ToolResultPart): readonly Part[] =>
  isError ? [{ kind: 'text', text: '[Tool error]' }, ...content] : content;
