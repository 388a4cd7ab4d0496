import { Field, Mutation, ObjectType, type ClassType } from 'type-graphql';
import type { GraphQLScalarType } from 'graphql';

type FieldType = ClassType | GraphQLScalarType | StringConstructor | BooleanConstructor | object;
/** Types of fields by name, each with the description of the field. */
type PayloadFields = Readonly<Record<string, readonly [() => FieldType | readonly [FieldType], string]>>;

/** The field of payloads of mutations that take an idempotency key. */
export const replayed = [
  () => Boolean,
  'True when an earlier call with this idempotency key did it. This call changed nothing then.',
] as const;

/**
 * Returns the result type of a mutation. It is an object, so that fields can be added later. `PayloadMutation` creates
 * it; a name is needed only if the method has another name than the mutation.
 */
export function payloadObject<Fields extends PayloadFields>(
  name: string,
  description: string,
  fields: Fields,
): ClassType<{ [Key in keyof Fields]: unknown }> {
  @ObjectType(name, { description })
  class Payload {}
  for (const [field, [type, text]] of Object.entries(fields)) {
    Field(type as () => ClassType, { description: text })(Payload.prototype, field);
  }
  return Payload as ClassType<{ [Key in keyof Fields]: unknown }>;
}

/**
 * A mutation with a payload of its own: `@PayloadMutation({ user: [() => UserObject, 'The banned user.'] }, 'Bans a
 * user.')` on `banUser` returns `BanUserPayload { user: User! }`.
 */
export const PayloadMutation =
  <Fields extends PayloadFields>(fields: Fields, description: string): MethodDecorator =>
  (target, name, descriptor) => {
    const type = `${String(name).charAt(0).toUpperCase()}${String(name).slice(1)}Payload`;
    const payload = payloadObject(type, `The result of \`${String(name)}\`.`, fields);
    Mutation(() => payload, { description })(target, name, descriptor);
  };
