/** Largest value of a Postgres `integer` and of a GraphQL `Int`. */
export const maxInt32 = 2_147_483_647;
/** Largest number of tokens that a request may ask for: 2^30 - 1. */
export const maxTokenCount = 1_073_741_823;
