import { ArgsType, Field, Float, InputType, InterfaceType, Int, ObjectType, type ClassType } from 'type-graphql';
import { GraphQLJSON, GraphQLQuota, GraphQLSafeInt } from './scalars.js';

type Type = () => unknown;
type AbstractClass<Instance> = abstract new () => Instance;

/** A field with its GraphQL type and its description. `Value` is its type in TypeScript. */
interface FieldOf<Value> {
  readonly type: Type;
  readonly description: string;
  readonly nullable: boolean;
  readonly decorators: readonly PropertyDecorator[];
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
  for (const [name, { type, decorators, ...options }] of Object.entries(shape)) {
    for (const decorated of [Field(type as () => ClassType, options), ...decorators]) decorated(Fields.prototype, name);
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

/**
 * Returns a base class with these fields for an interface. Types of the interface extend its class, too: one that only
 * implements it gets none of these fields.
 */
export const interfaceFields = <Fields extends Shape>(shape: Fields): ClassType<Values<Fields>> =>
  withFields(InterfaceType, shape) as ClassType<Values<Fields>>;

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

/** @param decorators those of `access.ts` */
type Make<One> = (description: string, ...decorators: PropertyDecorator[]) => One;

const kind = <Value>(type: Type) => {
  const required: Make<FieldOf<Value>> = (description, ...decorators) => ({
    type,
    description,
    decorators,
    nullable: false,
  });
  const orNull: Make<NullableOf<Value>> = (...given) => ({ ...required(...given), nullable: true });
  return Object.assign(required, { orNull });
};

/** A field of any other type: `of<ChannelStatus>(() => ChannelStatusEnum, '…')`. */
export const of = <Value>(type: Type, ...given: Parameters<Make<unknown>>) => kind<Value>(type)(...given);
export const nullable = <Value>(type: Type, ...given: Parameters<Make<unknown>>) => kind<Value>(type).orNull(...given);

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
