import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { enumType, RoleEnum } from '../../platform/graphql/enums.js';
import { listArgs, pageObject, sortInput, wholeListText } from '../../platform/graphql/pagination.js';
import { GraphQLJSON } from '../../platform/graphql/scalars.js';
import type { OptionEntry, OptionSortField } from '../../options/option-entry.js';

export const OptionKindEnum = enumType(
  'OptionKind',
  {
    BOOLEAN: 'boolean',
    INTEGER: 'integer',
    DECIMAL: 'decimal',
    TEXT: 'text',
    LIST: 'list',
    JSON: 'json',
  },
  'How the value of a setting is read.',
  {
    BOOLEAN: '`true` or `false`.',
    INTEGER: 'A whole number.',
    DECIMAL: 'A number, such as `0.8`.',
    TEXT: 'Any text.',
    LIST: 'Entries in one text; `Option.json` has them as a list.',
    JSON: 'JSON, such as the table of a price.',
  },
);

@ObjectType('Option', { description: 'A setting.' })
export class OptionObject implements OptionEntry {
  @Field(() => String, { description: 'The name of the setting, for `setOption`.' })
  key: OptionEntry['key'];

  @Field(() => String, { description: 'As text: `true`, `0.8`, or JSON for tables. Always empty for a secret.' })
  value: string;

  @Field(() => GraphQLJSON, {
    nullable: true,
    description: '`value` read as a boolean, a number, a list or a table. Null for secrets and texts.',
  })
  json: unknown;

  @Field(() => String, { description: 'The built-in value, as text.' })
  defaultValue: string;

  @Field(() => OptionKindEnum, { description: 'How `value` is read.' })
  kind: OptionEntry['kind'];

  @Field(() => Boolean, { description: 'True: the value is stored encrypted and never shown.' })
  isSecret: boolean;

  @Field(() => Boolean, {
    description: 'Whether it differs from the built-in value; for a secret: whether one is stored.',
  })
  isSet: boolean;

  @Field(() => RoleEnum, { description: 'The least role that may change it.' })
  writer: OptionEntry['writer'];

  @Field(() => Boolean, { description: 'Whether the caller may change it.' })
  isWritable: boolean;

  @Field(() => Date, { nullable: true, description: 'When it was saved last. Null: never, or it was reset.' })
  changedAt: Date | null;

  changedById: number | null;
}

export const OptionPage = pageObject(OptionObject, 'OptionPage', 'A page of settings.');

export const OptionSort = sortInput<OptionSortField>('Option', {
  KEY: ['key', 'The key.'],
  CHANGED_AT: ['changedAt', 'When the setting was saved last.'],
});

@InputType({ description: 'Conditions on settings. All must match.' })
export class OptionFilter {
  @Field(() => String, { nullable: true, description: 'Part of a key.' })
  keyword?: string | null;

  @Field(() => [String], { nullable: true, description: 'Only these keys.' })
  keys?: string[] | null;

  @Field(() => Boolean, { nullable: true, description: 'Differs from the built-in value; for a secret: has a value.' })
  isSet?: boolean | null;
}

@ArgsType()
export class OptionListArgs extends listArgs(
  OptionFilter,
  OptionSort,
  'Default: groups of settings that belong together.',
) {
  @Field(() => Int, { nullable: true, description: wholeListText })
  declare pageSize?: number | null;
}

@InputType({ description: 'A setting and its new value.' })
export class SetOptionInput {
  @Field(() => String, { description: '`Option.key`.' })
  key: string;

  @Field(() => String, { description: 'As in `Option.value`. An empty text removes a secret.' })
  value: string;
}
