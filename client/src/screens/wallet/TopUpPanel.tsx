import { useApolloClient, useMutation } from '@apollo/client/react';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import ButtonBase from '@mui/material/ButtonBase';
import Card from '@mui/material/Card';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import Typography from '@mui/material/Typography';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '../../components/form/Field.js';
import { toast } from '../../components/toast.js';
import { describeFailure } from '../../lib/errors.js';
import { dollars, moneyOf, ratio } from '../../lib/format.js';
import { useStatus } from '../../lib/status.js';
import { useIdempotencyKey } from '../../lib/useIdempotencyKey.js';
import { methodName } from '../../nouns/payments/methodName.js';
import { openCheckout } from '../../nouns/payments/openCheckout.js';
import type { PaymentMethodChoiceFragment } from '../../nouns/payments/paymentMethods.generated.js';
import { PayableDocument, StartTopUpDocument } from './wallet.generated.js';

const presets = [5, 10, 20, 50, 100, 500];

/** Delay after the last keystroke before the price is fetched, in ms. */
const pause = 300;

type Method = PaymentMethodChoiceFragment;

export function TopUpPanel({ methods }: { readonly methods: readonly [Method, ...Method[]] }) {
  const { t, i18n } = useTranslation();
  const client = useApolloClient();
  const { displayInCurrency, quotaPerUnit } = useStatus();
  // The server expects quota if the site shows quota. The typed amount is always USD.
  const unit = displayInCurrency ? 1 : quotaPerUnit;
  const [text, setText] = useState(String(Math.max(20, Math.ceil(methods[0].minTopUp))));
  const [code, setCode] = useState('');
  const [chosen, setChosen] = useState(methods[0].method);
  const {
    method,
    currency,
    pricePerUsd: price,
    minTopUp: minimum,
    ...named
  } = methods.find((one) => one.method === chosen) ?? methods[0];
  const [payable, setPayable] = useState<{
    readonly amount: number;
    readonly method: Method['method'];
    readonly money: number;
  } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const [start, { loading }] = useMutation(StartTopUpDocument);
  const keyOf = useIdempotencyKey();
  /** Number of orders that were started here. Each has a key of its own, so that the same amount can be paid twice. */
  const orders = useRef(0);
  const amount = /^\d{1,9}$/.test(text.trim()) ? Number(text) : null;
  const tooLittle = amount !== null && amount < minimum;
  const offered = presets.filter((preset) => preset >= minimum);
  const error =
    amount === null
      ? t('form.wholeNumber')
      : tooLittle
        ? t('wallet.tooLittle', { amount: dollars(minimum, 0) })
        : problem;

  useEffect(() => {
    setProblem(null);
    if (amount === null || amount < minimum) return;
    let current = true;
    const timer = setTimeout(
      () =>
        void client
          .query({
            query: PayableDocument,
            variables: { amount: Math.round(amount * unit), method },
            fetchPolicy: 'network-only',
          })
          .then(
            ({ data }) => {
              if (current && data?.payableAmount)
                setPayable({ amount, method, money: Number(data.payableAmount.amount) });
            },
            (failure: unknown) => {
              if (current) setProblem(describeFailure(failure, t));
            },
          ),
      pause,
    );
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [amount, method, unit, client, minimum, t, attempt]);

  const fresh = payable !== null && payable.amount === amount && payable.method === method;
  const isComputing = !fresh && error === null;
  const name = methodName({ method, ...named }, i18n.language);
  const money = (amount: number): string => moneyOf(amount, currency);
  const pay = async () => {
    if (amount === null || tooLittle) return;
    const topUpCode = code.trim();
    const order = { amount: Math.round(amount * unit), method, ...(topUpCode === '' ? {} : { topUpCode }) };
    try {
      const { data } = await start({
        variables: { input: { ...order, idempotencyKey: keyOf({ ...order, orders: orders.current }) } },
      });
      const form = data?.startTopUp?.form;
      if (!form) return;
      orders.current += 1;
      openCheckout(form.url, form.fields);
    } catch (failure) {
      toast.failure(failure, t);
    }
  };

  return (
    <Card
      component="section"
      aria-label={t('wallet.topUp')}
      sx={{ padding: 2, display: 'flex', flexDirection: 'column', gap: 2 }}
    >
      <Typography variant="h2" sx={{ fontSize: 14 }}>
        {t('wallet.topUp')}
      </Typography>
      {offered.length > 0 && (
        <Box
          role="group"
          aria-label={t('wallet.amounts')}
          sx={{ display: 'grid', gap: 1, gridTemplateColumns: { xs: 'repeat(3, 1fr)', sm: 'repeat(6, 1fr)' } }}
        >
          {offered.map((preset) => (
            <Choice key={preset} chosen={preset === amount} height={48} onChoose={() => setText(String(preset))}>
              <span className="num">{dollars(preset, 0)}</span>
            </Choice>
          ))}
        </Box>
      )}
      <Field
        id="top-up-amount"
        label={t('fields.amountUsd')}
        hint={t('wallet.minimum', { amount: dollars(minimum, 0) })}
        {...(error === null ? {} : { error })}
      >
        <OutlinedInput
          id="top-up-amount"
          value={text}
          error={error !== null}
          onChange={(event) => setText(event.target.value)}
          startAdornment={<InputAdornment position="start">$</InputAdornment>}
          inputProps={{ className: 'num', inputMode: 'numeric', 'aria-describedby': 'top-up-amount-hint' }}
        />
      </Field>
      <Field id="top-up-code" label={t('wallet.topUpCode')} hint={t('wallet.topUpCodeHint')} optional>
        <OutlinedInput
          id="top-up-code"
          value={code}
          autoComplete="off"
          onChange={(event) => setCode(event.target.value)}
          inputProps={{ maxLength: 64, 'aria-describedby': 'top-up-code-hint' }}
        />
      </Field>
      <Box
        role="group"
        aria-label={t('wallet.method')}
        sx={{ display: 'grid', gap: 1, gridTemplateColumns: { xs: '1fr', sm: '1fr 1fr' } }}
      >
        {methods.map((one) => (
          <Choice key={one.method} chosen={one.method === method} height={44} onChoose={() => setChosen(one.method)}>
            <Box component="img" src={one.icon} alt="" sx={{ width: 20, height: 20, mr: 1 }} />
            {methodName(one, i18n.language)}
          </Choice>
        ))}
      </Box>
      <Box
        className="num"
        aria-busy={isComputing}
        sx={({ vars }) => ({
          padding: '12px 16px',
          borderRadius: '6px',
          backgroundColor: vars.palette.surface.sunken,
          opacity: isComputing ? 0.55 : 1,
          '& > div': { display: 'flex', justifyContent: 'space-between', lineHeight: '24px', color: 'text.secondary' },
        })}
      >
        <div>
          <span>{amount === null ? '–' : `${dollars(amount, 2)} × ${money(price)}`}</span>
          <span>{amount === null ? '–' : money(amount * price)}</span>
        </div>
        <div>
          <span>{t('fields.groupRatio')}</span>
          <span>
            ×{' '}
            {payable && fresh && amount !== null && amount * price > 0
              ? ratio(Number((payable.money / (amount * price)).toFixed(4)))
              : '–'}
          </span>
        </div>
        <Box
          sx={{
            mt: 0.5,
            pt: 0.5,
            borderTop: '1px solid',
            borderColor: 'divider',
            fontWeight: 600,
            fontSize: 14,
            '&&': { color: 'text.primary' },
          }}
        >
          <span>{t('wallet.toPay')}</span>
          <span>{payable && error === null ? money(payable.money) : '–'}</span>
        </Box>
      </Box>
      {error !== null && error === problem ? (
        <Button size="large" variant="outlined" fullWidth onClick={() => setAttempt(attempt + 1)}>
          {t('actions.retry')}
        </Button>
      ) : (
        <Button
          size="large"
          variant="contained"
          fullWidth
          disabled={!fresh || error !== null}
          loading={loading}
          onClick={() => void pay()}
        >
          {payable && error === null
            ? t('wallet.pay', { amount: money(payable.money), method: name })
            : t('wallet.payPlain', { method: name })}
        </Button>
      )}
    </Card>
  );
}

function Choice({
  chosen,
  height,
  onChoose,
  children,
}: {
  readonly chosen: boolean;
  readonly height: number;
  readonly onChoose: () => void;
  readonly children: React.ReactNode;
}) {
  return (
    <ButtonBase
      aria-pressed={chosen}
      onClick={onChoose}
      sx={({ vars }) => ({
        height,
        padding: '0 12px',
        borderRadius: '6px',
        fontFamily: 'inherit',
        fontSize: 13,
        fontWeight: 500,
        border: `1px solid ${chosen ? vars.palette.primary.main : vars.palette.surface.lineStrong}`,
        boxShadow: chosen ? `inset 0 0 0 1px ${vars.palette.primary.main}` : 'none',
        color: chosen ? vars.palette.primary.main : vars.palette.text.primary,
        backgroundColor: chosen ? vars.palette.action.selected : vars.palette.background.paper,
        '&:hover': { backgroundColor: chosen ? vars.palette.action.selected : vars.palette.surface.hover },
      })}
    >
      {children}
    </ButtonBase>
  );
}
