import { InputType } from 'type-graphql';
import { inputFields, text } from '../../platform/graphql/fields.js';
import type { ProposedSetting } from '../../billing/prices/index.js';

@InputType({ description: 'A price setting with another value. It is not saved.' })
export class ProposedSettingInput
  extends inputFields({
    key: text(
      '`ModelRatio`, `ModelPrice`, `CompletionRatio`, `CacheRatio`, `GroupRatio`, `PriceCards` or `ToolPrices`.',
    ),
    value: text('As text, as `setOption` takes it.'),
  })
  implements ProposedSetting {}
