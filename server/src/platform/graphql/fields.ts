import { ArgsType, Field, Float, InputType, Int, ObjectType, type ClassType } from 'type-graphql';
import { GraphQLJSON, GraphQLQuota, GraphQLSafeInt } from './scalars.js';

type Type = () => unknown;
type AbstractClass<Instance> = abstract new () => Instance;

/** A field with its GraphQL type and its description. `Value` is its type in TypeScript. */
interface FieldOf<Value> {
  readonly type: Type;
  readonly description: string;
  readonly nullable: boolean;
  /** The field is never set. It carries the type. */
  readonly value?: { readonly of: Value };
}

/** A field that may be null. Clients may leave it out of an input. */
interface NullableOf<Value> extends FieldOf<Value | null> {
  readonly nullable: true;
}

type Shape = Readonly<Record<string, FieldOf<unknown>>>;
type ValueOf<One> = One extends { readonly value?: { readonly of: infer Value } } ? Value : never;
type Values<Fields extends Shape> = { [Name in keyof Fields]: ValueOf<Fields[Name]> };
type NullableNames<Fields extends Shape> = {
  [Name in keyof Fields]: Fields[Name] extends NullableOf<unknown> ? Name : never;
}[keyof Fields];
type Inputs<Fields extends Shape> = Omit<Values<Fields>, NullableNames<Fields>> &
  Partial<Pick<Values<Fields>, NullableNames<Fields>>>;

const withFields = (decorate: () => ClassDecorator, shape: Shape, Base: AbstractClass<object> = Object): ClassType => {
  class Fields extends Base {}
  for (const [name, { type, description, nullable }] of Object.entries(shape)) {
    Field(type as () => ClassType, { description, nullable })(Fields.prototype, name);
  }
  decorate()(Fields);
  return Fields;
};

/**
 * Returns the class with the fields of an object type, which a class with its name extends:
 * `@ObjectType('Money', { … }) class MoneyObject extends fields({ currency: text('ISO 4217 code.') }) {}`.
 * @param Base a class with further fields
 */
export const fields = <Fields extends Shape, Rest extends object = object>(
  shape: Fields,
  Base?: AbstractClass<Rest>,
): ClassType<Values<Fields> & Rest> => withFields(ObjectType, shape, Base) as ClassType<Values<Fields> & Rest>;

/** Returns a base class with these fields for an input type. */
export const inputFields = <Fields extends Shape, Rest extends object = object>(
  shape: Fields,
  Base?: AbstractClass<Rest>,
): ClassType<Inputs<Fields> & Rest> => withFields(InputType, shape, Base) as ClassType<Inputs<Fields> & Rest>;

/** Returns a base class with these fields for arguments of an operation. */
export const argFields = <Fields extends Shape, Rest extends object = object>(
  shape: Fields,
  Base?: AbstractClass<Rest>,
): ClassType<Inputs<Fields> & Rest> => withFields(ArgsType, shape, Base) as ClassType<Inputs<Fields> & Rest>;

const kind = <Value>(type: Type) =>
  Object.assign((description: string): FieldOf<Value> => ({ type, description, nullable: false }), {
    orNull: (description: string): NullableOf<Value> => ({ type, description, nullable: true }),
  });

/** A field of any other type: `of<ChannelStatus>(() => ChannelStatusEnum, '…')`. */
export const of = <Value>(type: Type, description: string): FieldOf<Value> => kind<Value>(type)(description);
export const nullable = <Value>(type: Type, description: string): NullableOf<Value> =>
  kind<Value>(type).orNull(description);

export const text = kind<string>(() => String);
export const texts = kind<string[]>(() => [String]);
export const int = kind<number>(() => Int);
export const ints = kind<number[]>(() => [Int]);
export const float = kind<number>(() => Float);
export const flag = kind<boolean>(() => Boolean);
export const moment = kind<Date>(() => Date);
export const quota = kind<number>(() => GraphQLQuota);
export const safeInt = kind<number>(() => GraphQLSafeInt);
export const json = kind<unknown>(() => GraphQLJSON);
