/**
 * Returns a function that computes a value for each object once, and keeps it as long as the object lives. The turns of
 * a conversation are the same objects in each of its calls, so that only new turns are computed.
 * @param valueOf must depend on nothing but the object and the context. Neither the object nor the value ever changes.
 * Of each object the value with its last context is kept
 */
export function ofEachObject<Key extends object, Context extends readonly unknown[], Value>(
  valueOf: (object: Key, ...context: Context) => Value,
): (object: Key, ...context: Context) => Value {
  const name = Symbol('value');
  return (object, ...context) => {
    const found = (object as Remembering<Value>)[name];
    if (found && areSame(found.context, context)) return found.value;
    const value = valueOf(object, ...context);
    remember(object, name, { context, value });
    return value;
  };
}

/** Returns a function that computes a value for each group of objects once, as long as its first object lives. */
export function ofEachGroup<Key extends object, Value>(
  valueOf: (group: readonly [Key, ...Key[]]) => Value,
): (group: readonly [Key, ...Key[]]) => Value {
  const name = Symbol('value');
  return (group) => {
    const found = (group[0] as Remembering<Value>)[name];
    if (found && areSame(found.context, group)) return found.value;
    const value = valueOf(group);
    remember(group[0], name, { context: group, value });
    return value;
  };
}

interface Remembered<Value> {
  readonly context: readonly unknown[];
  readonly value: Value;
}

type Remembering<Value> = Readonly<Record<symbol, Remembered<Value> | undefined>>;

/**
 * Keeps a value in a hidden property, which neither copies of the object nor its JSON contain. In a WeakMap for each
 * function the values of a thousand conversations would make the pauses of the garbage collector several times as long.
 */
function remember(object: object, name: symbol, value: Remembered<unknown>): void {
  if (Object.isExtensible(object))
    Object.defineProperty(object, name, { value, enumerable: false, configurable: true, writable: true });
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index++) if (one[index] !== other[index]) return false;
  return true;
}
