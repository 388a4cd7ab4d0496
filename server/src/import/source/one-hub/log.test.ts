import { logOf } from './log.js';

const otherOf = (metadata: object): Record<string, unknown> =>
  JSON.parse(
    String(
      logOf({ request_time: 1, prompt_tokens: 100, completion_tokens: 1, metadata: JSON.stringify(metadata) }, 500_000)[
        'other'
      ],
    ),
  ) as Record<string, unknown>;

it.each([
  [{ cached_write_tokens: 7 }, { cache_creation_tokens: 7 }],
  [{ cached_write_1h_tokens: 5 }, { cache_creation_tokens: 5, cache_creation_tokens_1h: 5 }],
  [
    { cached_write_tokens: 7, cached_write_1h_tokens: 5 },
    { cache_creation_tokens: 12, cache_creation_tokens_1h: 5 },
  ],
])('counts the cache writes %o, of which those of an hour are a part here', (metadata, expected) => {
  const { cache_creation_tokens, cache_creation_tokens_1h } = otherOf({ input_ratio: 1, group_ratio: 1, ...metadata });
  expect({ cache_creation_tokens, cache_creation_tokens_1h }).toEqual({
    cache_creation_tokens_1h: undefined,
    ...expected,
  });
});
