import { either, without, type Fields, type Json } from './fields.js';
import {
  optionalCount,
  optionalFields,
  optionalFlag,
  optionalList,
  optionalNumber,
  optionalText,
  textList,
} from './given.js';

/**
 * Reads the fields of a client's object by name. All other fields are `rest`, so a parser needs no list of the fields
 * that it knows. Methods throw AppError INVALID_INPUT naming the field, as the functions of `given.ts` do.
 */
export class FieldReader {
  private readonly names: Set<string>;

  /**
   * @param at prefix of names in errors, such as `generationConfig.`
   * @param handled names that are read elsewhere, so `rest` omits them
   */
  constructor(
    private readonly object: Fields,
    private readonly at = '',
    ...handled: readonly string[]
  ) {
    this.names = new Set(handled);
  }

  /** Marks the field as read: `rest` omits it. All methods below do, and refuse wrong types with INVALID_INPUT. */
  get(name: string): unknown {
    this.names.add(name);
    return this.object[name];
  }

  /** The first of these names that is present. */
  either(...names: readonly string[]): unknown {
    for (const name of names) this.names.add(name);
    return either(this.object, ...names);
  }

  number(name: string): number | undefined {
    return optionalNumber(this.get(name), this.at + name);
  }

  count(name: string): number | undefined {
    return optionalCount(this.get(name), this.at + name);
  }

  flag(name: string): boolean | undefined {
    return optionalFlag(this.get(name), this.at + name);
  }

  text(name: string): string | undefined {
    return optionalText(this.get(name), this.at + name);
  }

  texts(name: string): string[] {
    return textList(this.get(name), this.at + name);
  }

  fields(name: string): Fields | undefined {
    return optionalFields(this.get(name), this.at + name);
  }

  list(name: string): readonly unknown[] {
    return optionalList(this.get(name), this.at + name);
  }

  /** The fields that were not read so far. */
  rest(): Json {
    return without(this.object, this.names);
  }

  /** `{ [name]: rest }`, or `{}` when every field was read. */
  restIn(name: string): Json {
    const rest = this.rest();
    return Object.keys(rest).length > 0 ? { [name]: rest } : {};
  }
}
