import type { JsonSchema } from '../platform/http/openapi/operation.js';

/** Parts of the JSON schemas of relay bodies. */
export const text = { type: 'string' } as const;
export const whole = { type: 'integer' } as const;
export const number = { type: 'number' } as const;
export const flag = { type: 'boolean' } as const;
export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
export const oneOf = (...schemas: JsonSchema[]): JsonSchema => ({ anyOf: schemas });
export const anything = { type: 'object', additionalProperties: true } as const;
/** Returns the schema of an object. Fields that are not listed reach providers that know them. */
export const object = (properties: Record<string, JsonSchema>, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: true,
  ...(required.length > 0 ? { required } : {}),
});
