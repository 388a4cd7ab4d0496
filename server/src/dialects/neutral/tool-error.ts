import type { Part, ToolResultPart } from './message.js';

/**
 * The content of a result for dialects without a flag for a failed tool. Without a note, the model would take the
 * content for a success.
 */
export const resultContent = ({ isError, content }: ToolResultPart): readonly Part[] =>
  isError ? [{ kind: 'text', text: '[Tool error]' }, ...content] : content;
