/** Shorter pieces of a text are copies as it is. */
const copiedBelow = 13;

/**
 * The same text, holding nothing but itself. To the engine a piece of a text is a window on the whole: a word kept from an
 * event would keep everything that was read with it, for as long as a stream is open.
 */
export const detached = (text: string): string => (text.length < copiedBelow ? text : ` ${text}`.slice(1));
