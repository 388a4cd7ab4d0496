import { parseArguments } from '../../shared/exact-json.js';
import { asFields } from './fields.js';

/**
 * Arguments of a tool call. The output limit may have cut them off: they are returned as text under a special key, which a client
 * sends back like any others.
 */
export const argumentsOf = (text: string): unknown =>
  text.trim() === '' ? {} : (asFields(parseArguments(text)) ?? { INVALID_JSON: text });

/** Whether the text of arguments is whole. */
export const areWhole = (text: string): boolean => text.trim() === '' || asFields(parseArguments(text)) !== null;

/** Arguments that every provider takes; the same text when they are whole. */
export const wholeArguments = (text: string): string => (areWhole(text) ? text : JSON.stringify(argumentsOf(text)));
