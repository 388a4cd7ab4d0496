type Snake<Text extends string> = Text extends `${infer Head}${infer Rest}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${Snake<Rest>}`
  : Text;

export type SnakeKeys<Fields> = { [Key in keyof Fields & string as Snake<Key>]: Fields[Key] };

export const snakeCase = <Text extends string>(name: Text): Snake<Text> =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) as Snake<Text>;

/** Converts `{ userId: 1 }` to `{ user_id: 1 }`: rows under the names of the REST API, in the same order. */
export const snakeKeys = <Fields extends object>(fields: Fields): SnakeKeys<Fields> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [snakeCase(name), value])) as SnakeKeys<Fields>;

/** Returns some fields of an object, in the order of the names. */
export const pick = <Fields extends object, Name extends keyof Fields>(
  from: Fields,
  names: readonly Name[],
): Pick<Fields, Name> => Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<Fields, Name>;

type Camel<Text extends string> = Text extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : Text;

type CamelKeys<Fields> = {
  [Key in keyof Fields & string as Camel<Key>]: Exclude<Fields[Key], null>;
};

/**
 * Converts `{ user_id: 1 }` to `{ userId: 1 }`: fields of a REST body under the names of services. Null becomes
 * undefined.
 */
export const camelKeys = <Fields extends object>(fields: Fields): CamelKeys<Fields> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      (value as unknown) ?? undefined,
    ]),
  ) as CamelKeys<Fields>;
