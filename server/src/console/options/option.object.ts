import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import { fields, flag, inputFields, json, moment, of, text, texts } from '../../platform/graphql/fields.js';
import { enumType, RoleEnum } from '../../platform/graphql/enums.js';
import { listArgs, pageObject, sortInput, wholeListText } from '../../platform/graphql/pagination.js';
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
export class OptionObject
  extends fields({
    key: of<OptionEntry['key']>(() => String, 'The name of the setting, for `setOption`.'),
    value: text('As text: `true`, `0.8`, or JSON for tables. Always empty for a secret.'),
    json: json.orNull('`value` read as a boolean, a number, a list or a table. Null for secrets and texts.'),
    defaultValue: text('The built-in value, as text.'),
    kind: of<OptionEntry['kind']>(() => OptionKindEnum, 'How `value` is read.'),
    isSecret: flag('True: the value is stored encrypted and never shown.'),
    isSet: flag('Whether it differs from the built-in value; for a secret: whether one is stored.'),
    writer: of<OptionEntry['writer']>(() => RoleEnum, 'The least role that may change it.'),
    isWritable: flag('Whether the caller may change it.'),
    changedAt: moment.orNull('When it was saved last. Null: never, or it was reset.'),
  })
  implements OptionEntry
{
  changedById: number | null;
}

export const OptionPage = pageObject(OptionObject, 'OptionPage', 'A page of settings.');

export const OptionSort = sortInput<OptionSortField>('Option', {
  KEY: ['key', 'The key.'],
  CHANGED_AT: ['changedAt', 'When the setting was saved last.'],
});

@InputType({ description: 'Conditions on settings. All must match.' })
export class OptionFilter extends inputFields({
  keyword: text.orNull('Part of a key.'),
  keys: texts.orNull('Only these keys.'),
  isSet: flag.orNull('Differs from the built-in value; for a secret: has a value.'),
}) {}

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
export class SetOptionInput extends inputFields({
  key: text('`Option.key`.'),
  value: text('As in `Option.value`. An empty text removes a secret.'),
}) {}
