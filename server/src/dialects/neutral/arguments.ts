import { parseArguments } from '../../shared/exact-json.js';
import { asFields } from './fields.js';

/**
 * Parses arguments of a tool call. If the output limit cut them off, they are returned as text under a special key,
 * which a client sends back like any other argument.
 */
export const argumentsOf = (text: string): unknown =>
  text.trim() === '' ? {} : (asFields(parseArguments(text)) ?? { INVALID_JSON: text });

/** Whether the text of arguments is complete JSON. */
export const areWhole = (text: string): boolean => text.trim() === '' || asFields(parseArguments(text)) !== null;

/** Returns arguments that every provider accepts, or the same text if they are complete. */
export const wholeArguments = (text: string): string => (areWhole(text) ? text : JSON.stringify(argumentsOf(text)));
