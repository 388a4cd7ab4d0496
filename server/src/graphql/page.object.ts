import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, InputType, Int, ObjectType, registerEnumType, type ClassType } from 'type-graphql';
import { toPageQuery, type Page, type PageQuery } from '../shared/page.js';

export const SortDirection = { ASC: 'ASC', DESC: 'DESC' } as const;
registerEnumType(SortDirection, { name: 'SortDirection' });

@InputType({ description: 'How a list is ordered.' })
export class SortInput {
  @Field(() => String, { description: 'A field of the listed type; lists refuse fields they cannot sort by.' })
  field: string;

  @Field(() => SortDirection)
  direction: 'ASC' | 'DESC';
}

/** Arguments of every list; lists with a filter extend this class. */
@ArgsType()
export class PageArgs {
  @Field(() => Int, { nullable: true, description: 'Starts at 0.' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: '1 to 100, 10 when absent.' })
  pageSize?: number | null;

  @Field(() => SortInput, { nullable: true })
  sort?: SortInput | null;
}

export const pageQueryOf = (args: PageArgs): PageQuery => toPageQuery(args);

/** `<Noun>Page { items, totalCount }`. Extend it where a list has further fields. */
export function pageType<Item extends object>(item: ClassType<Item>, name: string): ClassType<Page<Item>> {
  @ObjectType(name)
  class PageType implements Page<Item> {
    @Field(() => [item])
    items: Item[];

    @Field(() => GraphQLSafeInt)
    totalCount: number;
  }
  return PageType;
}
