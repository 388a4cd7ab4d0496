import { Field, InputType } from 'type-graphql';
import type { ProposedSetting } from '../../billing/prices/index.js';

@InputType({ description: 'A price setting with another value. It is not saved.' })
export class ProposedSettingInput implements ProposedSetting {
  @Field(() => String, {
    description:
      '`ModelRatio`, `ModelPrice`, `CompletionRatio`, `CacheRatio`, `GroupRatio`, `PriceCards` or `ToolPrices`.',
  })
  key: string;

  @Field(() => String, { description: 'As text, as `setOption` takes it.' })
  value: string;
}
