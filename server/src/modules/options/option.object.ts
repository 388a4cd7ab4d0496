import { ArgsType, Field, InputType, ObjectType, registerEnumType } from 'type-graphql';
import { PageArgs, pageType } from '../../graphql/page.object.js';
import type { OptionEntry } from './option.service.js';

export const OptionKind = {
  BOOLEAN: 'boolean',
  INTEGER: 'integer',
  DECIMAL: 'decimal',
  TEXT: 'text',
  LIST: 'list',
  JSON: 'json',
} as const;
registerEnumType(OptionKind, { name: 'OptionKind' });

@ObjectType('Option', { description: 'A setting. Values are text: `true`, `0.8`, or JSON for tables.' })
export class OptionObject implements OptionEntry {
  @Field(() => String)
  key: OptionEntry['key'];

  @Field(() => String, { description: 'Always empty for a secret.' })
  value: string;

  @Field(() => OptionKind)
  kind: OptionEntry['kind'];

  @Field(() => Boolean)
  secret: boolean;

  @Field(() => Boolean, {
    description: 'Whether it differs from the built-in value; for a secret: whether one is stored.',
  })
  isSet: boolean;

  @Field(() => Boolean, { description: 'Whether the caller may change it.' })
  writable: boolean;
}

export const OptionPage = pageType(OptionObject, 'OptionPage');

@InputType()
export class OptionFilter {
  @Field(() => String, { nullable: true, description: 'Part of a key.' })
  keyword?: string | null;

  @Field(() => [String], { nullable: true, description: 'Only these keys.' })
  keys?: string[] | null;

  @Field(() => Boolean, { nullable: true, description: 'Differs from the built-in value; for a secret: has a value.' })
  isSet?: boolean | null;
}

@ArgsType()
export class OptionListArgs extends PageArgs {
  @Field(() => OptionFilter, { nullable: true })
  filter?: OptionFilter | null;
}
