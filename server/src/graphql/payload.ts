import { Field, ObjectType, type ClassType } from 'type-graphql';
import type { GraphQLScalarType } from 'graphql';

type FieldType = ClassType | GraphQLScalarType | StringConstructor | BooleanConstructor | object;

/**
 * The result type of a mutation: an object, so that fields can be added later. `payloadObject('BanUserPayload', { user:
 * () => UserObject })`
 */
export function payloadObject<Fields extends Record<string, () => FieldType | readonly [FieldType]>>(
  name: string,
  fields: Fields,
  descriptions: { readonly [Key in keyof Fields]?: string } = {},
): ClassType<{ [Key in keyof Fields]: unknown }> {
  @ObjectType(name)
  class Payload {}
  for (const [field, type] of Object.entries(fields)) {
    const description = descriptions[field];
    Field(type as () => ClassType, { ...(description !== undefined && { description }) })(Payload.prototype, field);
  }
  return Payload as ClassType<{ [Key in keyof Fields]: unknown }>;
}
