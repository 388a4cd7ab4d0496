import { Field, Mutation, ObjectType, type ClassType } from 'type-graphql';
import type { GraphQLScalarType } from 'graphql';

type FieldType = ClassType | GraphQLScalarType | StringConstructor | BooleanConstructor | object;
type PayloadFields = Readonly<Record<string, () => FieldType | readonly [FieldType]>>;

/**
 * Returns the result type of a mutation. It is an object, so that fields can be added later. `PayloadMutation` creates
 * it; a name is needed only if the method has another name than the mutation.
 */
export function payloadObject<Fields extends PayloadFields>(
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

/**
 * A mutation with a payload of its own: `@PayloadMutation({ user: () => UserObject }, 'Bans a user.')` on `banUser` returns
 * `BanUserPayload { user: User! }`.
 * @param descriptions of the fields that need one
 */
export const PayloadMutation =
  <Fields extends PayloadFields>(
    fields: Fields,
    description?: string,
    descriptions?: { readonly [Key in keyof Fields]?: string },
  ): MethodDecorator =>
  (target, name, descriptor) => {
    const type = `${String(name).charAt(0).toUpperCase()}${String(name).slice(1)}Payload`;
    const payload = payloadObject(type, fields, descriptions);
    Mutation(() => payload, { ...(description !== undefined && { description }) })(target, name, descriptor);
  };
