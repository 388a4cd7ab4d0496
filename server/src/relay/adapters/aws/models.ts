/**
 * Bedrock's ids that cannot be derived from the model name, and the regions whose profiles have the model
 * (docs/reference/providers/aws.md#keys-and-models).
 */
const known: Readonly<Record<string, readonly [id: string, ...profiles: string[]]>> = {
  'claude-instant-1.2': ['anthropic.claude-instant-v1'],
  'claude-2.0': ['anthropic.claude-v2'],
  'claude-2.1': ['anthropic.claude-v2:1'],
  'claude-3-sonnet-20240229': ['anthropic.claude-3-sonnet-20240229-v1:0', 'us', 'eu', 'apac'],
  'claude-3-opus-20240229': ['anthropic.claude-3-opus-20240229-v1:0', 'us'],
  'claude-3-haiku-20240307': ['anthropic.claude-3-haiku-20240307-v1:0', 'us', 'eu', 'apac'],
  'claude-3-5-sonnet-20240620': ['anthropic.claude-3-5-sonnet-20240620-v1:0', 'us', 'eu', 'apac'],
  'claude-3-5-sonnet-20241022': ['anthropic.claude-3-5-sonnet-20241022-v2:0', 'us', 'apac'],
  'claude-3-5-haiku-20241022': ['anthropic.claude-3-5-haiku-20241022-v1:0', 'us'],
  'claude-3-7-sonnet-20250219': ['anthropic.claude-3-7-sonnet-20250219-v1:0', 'us', 'eu', 'apac'],
  'claude-sonnet-4-20250514': ['anthropic.claude-sonnet-4-20250514-v1:0', 'us', 'eu', 'apac'],
  'claude-opus-4-20250514': ['anthropic.claude-opus-4-20250514-v1:0', 'us'],
};

/** The profile that serves a region. */
function profileOf(region: string): string {
  if (region.startsWith('us-gov-')) return 'us-gov';
  const [family = ''] = region.split('-', 1);
  return family === 'ap' ? 'apac' : family;
}

/**
 * Bedrock's id of a model in a region. Bedrock's own names, profiles and ARNs are used unchanged; models newer than the
 * table above are only available through profiles.
 */
export function bedrockId(model: string, region: string): string {
  const profile = profileOf(region);
  const found = known[model];
  if (found) {
    const [id, ...profiles] = found;
    return profiles.includes(profile) ? `${profile}.${id}` : id;
  }
  return model.startsWith('claude-') ? `${profile}.anthropic.${model}-v1:0` : model;
}
