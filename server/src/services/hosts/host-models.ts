/** Bedrock's ids: a profile or ARN before the model, a version after it. */
const ofBedrock = /(?:^|[./])anthropic\.(claude-.+?)(?:-v\d+(?::\d+)?)?$/;
/** Vertex AI's names have the date after `@`, and some a version of the host before it. */
const ofVertex = /^(claude-.+?)(?:-v\d+)?@(\d{8}|default)$/;

/** Returns Anthropic's name of a model that is named as its host names it, or the same name. */
export function plainModel(named: string): string {
  const bedrock = ofBedrock.exec(named)?.[1];
  if (bedrock !== undefined) return bedrock;
  const [, name, date] = ofVertex.exec(named) ?? [];
  if (name === undefined) return named;
  return date === 'default' ? name : `${name}-${date}`;
}
