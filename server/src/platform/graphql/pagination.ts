import { ArgsType, Field, InputType, Int, InterfaceType, ObjectType, type ClassType } from 'type-graphql';
import { argFields, fields, flag, int, text } from './fields.js';
import { InvalidInputError } from '../../shared/errors.js';
import {
  clampPageSize,
  type ListQuery,
  type Slice,
  type SortBy,
  type SortDirection,
  type Total,
} from '../../shared/page.js';
import { DirectionEnum, enumType } from './enums.js';

const bounds = 'More than 100 is 100, less than 1 is absent.';
/** The description of the `pageSize` of a list, which has 10 rows when it is absent. */
export const pageSizeText = `1 to 100, 10 when absent. ${bounds}`;
/** The description of the `pageSize` of a list that is read whole when it is absent. */
export const wholeListText = `1 to 100, all when absent. ${bounds}`;

/** The description of the `filter` of a list. */
export const filterText = 'Only rows that match every field of the filter. All rows when absent.';

/** Arguments of every list. A list extends this class with its `filter` and `sort`. */
@ArgsType()
export class ListArgs extends argFields({
  page: int.orNull('Starts at 0. Cannot be combined with `after`.'),
  pageSize: int.orNull(pageSizeText),
  after: text.orNull('`pageInfo.endCursor` of the previous page, read with the same filter and sort.'),
}) {}

/** GraphQL name to the field that the service sorts by and its description: `{ CREATED_AT: ['createdAt', '…'] }`. */
export type SortFields<Field extends string> = Readonly<Record<string, readonly [Field, string]>>;

/** `<Noun>Sort { field: <Noun>SortField!, direction: Direction! = DESC }`. */
export function sortInput<Field extends string>(noun: string, fields: SortFields<Field>): ClassType<SortBy<Field>> {
  const entries = Object.entries(fields);
  const SortField = enumType(
    `${noun}SortField`,
    Object.fromEntries(entries.map(([name, [field]]) => [name, field])),
    `A key of \`${noun}Sort\`. Rows without a value come last in both directions.`,
    Object.fromEntries(entries.map(([name, [, description]]) => [name, description])),
  );
  @InputType(`${noun}Sort`, {
    description: 'One key of the order of a list. The first key counts most, and the id decides between equal rows.',
  })
  class SortType implements SortBy<Field> {
    @Field(() => SortField, { description: 'The key. A list takes each key once.' })
    field: Field;

    @Field(() => DirectionEnum, {
      defaultValue: DirectionEnum.DESC,
      description: 'Which end of the order comes first.',
    })
    direction: SortDirection;
  }
  return SortType;
}

/**
 * Arguments of a list with a filter and sorting:
 * `@ArgsType() class TokenListArgs extends listArgs(TokenFilterInput, TokenSort, 'Default: newest first.') {}`.
 * @param order which rows come first, for the reference
 */
export function listArgs<Filter extends object, Field extends string>(
  filterType: ClassType<Filter>,
  sortType: ClassType<SortBy<Field>>,
  order: string,
): ClassType<ListArgs & { filter?: Filter | null; sort?: Array<SortBy<Field>> | null }> {
  @ArgsType()
  class FilteredListArgs extends ListArgs {
    @Field(() => filterType, { nullable: true, description: filterText })
    filter?: Filter | null;

    @Field(() => [sortType], { nullable: true, description: order })
    sort?: Array<SortBy<Field>> | null;
  }
  return FilteredListArgs;
}

/** @throws InvalidInputError for `after` beside `page` */
export function listQueryOf<Field extends string>(
  args: ListArgs & { readonly sort?: ReadonlyArray<SortBy<Field>> | null },
): ListQuery<Field> {
  const after = args.after ?? null;
  if (after !== null && args.page != null) throw new InvalidInputError('Use either page or after', 'after');
  return {
    page: Math.max(0, args.page ?? 0),
    pageSize: clampPageSize(args.pageSize),
    after,
    sort: args.sort ?? [],
  };
}

@ObjectType('PageInfo', { description: 'The end of a page.' })
export class PageInfoObject extends fields({
  endCursor: text.orNull('Pass it as `after` to read the next page; null for an empty page.'),
  hasNextPage: flag('Whether rows follow after this page.'),
}) {}

@InterfaceType('Page', { description: 'One page of a list.' })
export abstract class PageInterface {
  @Field(() => Int, { description: 'Number of rows that match the filter. Counted only when selected.' })
  totalCount: number;

  @Field(() => Boolean, { description: 'True when there are more rows than `totalCount`.' })
  totalCapped: boolean;

  @Field(() => PageInfoObject, { description: 'Whether there are more rows, and the cursor that reads them.' })
  pageInfo: PageInfoObject;
}

/** The description of the `items` of a page. */
export const itemsText = 'The rows of this page, in the order that was asked for.';

/**
 * Returns the class with the `items` of a page type, for lists that add fields of their own: `@ObjectType('UserPage', {
 * implements: PageInterface }) class UserPage extends pageItems(UserObject) { @Field() sums }`.
 */
export function pageItems<Item extends object>(item: ClassType<Item>): ClassType<{ items: Item[] }> {
  @ObjectType()
  class PageItems {
    @Field(() => [item], { description: itemsText })
    items: Item[];
  }
  return PageItems;
}

/** Returns the type of a list's pages: `pageObject(UserObject, 'UserPage', 'A page of users.')`. */
export function pageObject<Item extends object>(
  item: ClassType<Item>,
  name: string,
  description: string,
): ClassType<{ items: Item[] }> {
  @ObjectType(name, { description, implements: PageInterface })
  class PageObject extends pageItems(item) {}
  return PageObject;
}

/** The result of a list resolver. The rows are read already; the count is read when it is selected. */
export class PageOf<Item> {
  private total: Promise<Total> | undefined;

  private constructor(
    readonly items: readonly Item[],
    private readonly slice: Slice<unknown>,
  ) {}

  /** @param more further fields of the page type, such as `sums`, which are called when they are selected */
  static from<Row, Item>(
    slice: Slice<Row>,
    toItem: (row: Row) => Item,
    more: Readonly<Record<string, () => unknown>> = {},
  ): PageOf<Item> {
    const page = new PageOf<Item>(slice.items.map(toItem), slice);
    for (const [name, get] of Object.entries(more)) Object.defineProperty(page, name, { get });
    return page;
  }

  get totalCount(): Promise<number> {
    return this.counted().then(({ count }) => count);
  }

  get totalCapped(): Promise<boolean> {
    return this.counted().then(({ capped }) => capped);
  }

  get pageInfo(): PageInfoObject {
    const { endCursor, hasNextPage } = this.slice;
    return { endCursor, hasNextPage };
  }

  private counted(): Promise<Total> {
    return (this.total ??= this.slice.total());
  }
}
