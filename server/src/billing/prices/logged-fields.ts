/** The members of the details of a log row from which charges are computed. Dry runs read no others. */
export const loggedMembers = {
  task: true,
  carried: true,
  uncharged: true,
  uncharged_quota: true,
  price_when: true,
  request_path: true,
  price_card: true,
  components: true,
  claude: true,
  ws: true,
  audio: true,
  upstream_model_name: true,
  drawn: true,
  advised: true,
  transcribed: true,
  cache_tokens: true,
  cache_creation_tokens: true,
  cache_creation_1h_tokens: true,
  reasoning_tokens: true,
  text_input: true,
  text_output: true,
  audio_input: true,
  audio_output: true,
  image: true,
  image_size: true,
  image_quality: true,
  image_count: true,
  video_seconds: true,
  video_audio: true,
  admin_info: { upstream_cost: true, cost_basis: true, cost_card: true, cost_lines: true },
} as const;

/**
 * The details of a log row (docs/reference/relay/usage-log.md#the-other-field). Code that computes a charge from another
 * member does not compile, because dry runs would not have it.
 */
export type LoggedFields = { readonly [Member in keyof typeof loggedMembers]?: unknown };

/** The part of the details that only admins see. */
export type AdminFields = { readonly [Member in keyof (typeof loggedMembers)['admin_info']]?: unknown };
