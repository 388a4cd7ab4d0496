/** Largest value of a Postgres `integer` and of a GraphQL `Int`. */
export const maxInt32 = 2_147_483_647;
/** The end of the year 9999, Unix seconds: later times have another form as text. */
export const lastSecond = 253_402_300_799;
/** Largest number of tokens that a request may ask for: 2^30 - 1. */
export const maxTokenCount = 1_073_741_823;
