import type { Choice } from './SelectBox.js';

/** A value to choose, with the number of rows that have it, where that is known. */
export interface FilterChoice extends Choice {
  readonly count?: number;
  /** There are more rows than `count`. */
  readonly isCapped?: boolean;
}

/** A filter of a list. */
export interface FilterField {
  /** The name of the field in the URL. */
  readonly name: string;
  readonly label: string;
  /** The values to choose from. Undefined: there are none, or they load. */
  readonly choices?: readonly FilterChoice[] | undefined;
  readonly isLoading?: boolean;
  /** How a value is typed; absent for a mere choice. */
  readonly typed?: 'text' | 'digits';
  /** An example that the text field shows. */
  readonly placeholder?: string;
  /** Explains which text the field accepts. */
  readonly hint?: string;
  /** Finds the choices for a text, which are then shown as they are. */
  readonly onType?: (text: string) => void;
  /** Why a text cannot be a filter. */
  readonly problemOf?: (text: string) => string | undefined;
}

/** Values that are shown as they are. */
export const namesAsChoices = (names: readonly string[] = []): FilterChoice[] =>
  names.map((name) => ({ value: name, label: name }));
