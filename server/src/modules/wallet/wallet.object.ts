import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, InputType, Int, ObjectType } from 'type-graphql';
import type { Nullable } from '../../graphql/nullable.js';
import { PageArgs, pageType } from '../../graphql/page.object.js';
import type { TopUpOrder } from './top-up-order.entity.js';
import { formatMoney } from './top-up-price.js';
import type { OrderFilter, StartedPayment } from './wallet.service.js';

type Shown = Omit<TopUpOrder, 'merchantId' | 'providerTradeNo' | 'money' | 'createdTime' | 'paidTime'> & {
  readonly money: string;
  readonly createdTime: Date;
  readonly paidTime: Date | null;
};

@ObjectType('TopUpOrder', { description: 'An order at a payment gateway.' })
export class TopUpOrderObject implements Shown {
  @Field(() => Int)
  id: number;

  @Field(() => Int)
  userId: number;

  @Field(() => String)
  tradeNo: string;

  @Field(() => String)
  provider: string;

  @Field(() => String, { description: '`alipay` or `wxpay`.' })
  paymentMethod: string;

  @Field(() => GraphQLSafeInt, { description: 'What it adds to the balance.' })
  quota: number;

  @Field(() => String, { description: 'Payable, with two decimals.' })
  money: string;

  @Field(() => String)
  currency: string;

  @Field(() => String, { description: '`pending` or `success`.' })
  status: 'pending' | 'success';

  @Field(() => Date)
  createdTime: Date;

  @Field(() => Date, { nullable: true })
  paidTime: Date | null;
}

export const toOrderObject = (order: TopUpOrder): TopUpOrderObject => ({
  id: order.id,
  userId: order.userId,
  tradeNo: order.tradeNo,
  provider: order.provider,
  paymentMethod: order.paymentMethod,
  quota: order.quota,
  money: formatMoney(order.money),
  currency: order.currency,
  status: order.status,
  createdTime: new Date(order.createdTime * 1000),
  paidTime: order.paidTime === 0 ? null : new Date(order.paidTime * 1000),
});

export const TopUpOrderPage = pageType(TopUpOrderObject, 'TopUpOrderPage');

@InputType('TopUpOrderFilter')
export class TopUpOrderFilterInput implements Nullable<OrderFilter> {
  @Field(() => String, { nullable: true, description: '`pending` or `success`.' })
  status?: string | null;

  @Field(() => Int, { nullable: true, description: 'Own lists ignore it.' })
  userId?: number | null;

  @Field(() => String, { nullable: true })
  tradeNo?: string | null;
}

@ArgsType()
export class TopUpOrderListArgs extends PageArgs {
  @Field(() => TopUpOrderFilterInput, { nullable: true })
  filter?: TopUpOrderFilterInput | null;
}

@ObjectType('FormField')
class FormField {
  @Field(() => String)
  name: string;

  @Field(() => String)
  value: string;
}

@ObjectType('StartedPayment', { description: 'A form that the buyer’s browser posts.' })
export class StartedPaymentObject {
  @Field(() => String)
  tradeNo: string;

  @Field(() => String)
  url: string;

  @Field(() => [FormField])
  fields: FormField[];
}

export const toStartedPayment = ({ fields, ...payment }: StartedPayment): StartedPaymentObject => ({
  ...payment,
  fields: Object.entries(fields).map(([name, value]) => ({ name, value })),
});
