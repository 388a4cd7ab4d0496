import { useColorScheme } from '@mui/material/styles';
import Box from '@mui/material/Box';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '../../lib/status.js';

interface TurnstileApi {
  render(element: HTMLElement, options: Record<string, unknown>): string;
  reset(widget: string): void;
  remove(widget: string): void;
}

declare global {
  interface Window {
    turnstile?: TurnstileApi;
  }
}

/** The only third-party script that the page's policy allows, and only while the check is enabled. */
const script = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';
let loading: Promise<TurnstileApi> | null = null;

function loadTurnstile(): Promise<TurnstileApi> {
  loading ??= new Promise<TurnstileApi>((resolve, reject) => {
    const element = document.createElement('script');
    element.src = script;
    element.async = true;
    element.onload = () => {
      if (window.turnstile) resolve(window.turnstile);
      else reject(new Error('no widget'));
    };
    element.onerror = () => {
      loading = null;
      element.remove();
      reject(new Error('not loaded'));
    };
    document.head.append(element);
  });
  return loading;
}

export interface BotCheck {
  /** The token to send; undefined while the check is disabled. */
  readonly token: string | undefined;
  /** True while the form must wait for the widget. */
  readonly waiting: boolean;
  /** Requests a new token; each is valid for one call. */
  renew(): void;
  readonly widget: React.ReactNode;
}

/** The bot check of public forms. If the site disables it, nothing is shown and nothing waits. */
export function useBotCheck(): BotCheck {
  const { turnstileCheck, turnstileSiteKey } = useStatus();
  const [token, setToken] = useState('');
  const [round, setRound] = useState(0);
  const renew = useCallback(() => {
    setToken('');
    setRound((before) => before + 1);
  }, []);
  return {
    token: token || undefined,
    waiting: turnstileCheck && token === '',
    renew,
    widget: turnstileCheck ? <Widget siteKey={turnstileSiteKey} round={round} onToken={setToken} /> : null,
  };
}

function Widget({
  siteKey,
  round,
  onToken,
}: {
  readonly siteKey: string;
  readonly round: number;
  readonly onToken: (token: string) => void;
}) {
  const { t, i18n } = useTranslation();
  const { colorScheme } = useColorScheme();
  const place = useRef<HTMLDivElement>(null);
  const widget = useRef<string | null>(null);
  const [failed, setFailed] = useState(false);
  const language = i18n.language;
  useEffect(() => {
    let current = true;
    loadTurnstile().then(
      (api) => {
        if (!current || !place.current) return;
        widget.current = api.render(place.current, {
          sitekey: siteKey,
          theme: colorScheme === 'dark' ? 'dark' : 'light',
          language: language === 'zh' ? 'zh-cn' : language,
          callback: onToken,
          'expired-callback': () => onToken(''),
        });
      },
      () => {
        if (current) setFailed(true);
      },
    );
    return () => {
      current = false;
      if (widget.current !== null) window.turnstile?.remove(widget.current);
      widget.current = null;
    };
  }, [colorScheme, language, onToken, siteKey]);
  useEffect(() => {
    if (round > 0 && widget.current !== null) window.turnstile?.reset(widget.current);
  }, [round]);
  return (
    <Box>
      {/* The widget's own size, so that nothing moves when it comes. */}
      <Box ref={place} sx={{ minHeight: 65, width: 300, maxWidth: '100%' }} />
      {failed && (
        <Box role="alert" sx={{ fontSize: 12, color: 'error.main' }}>
          {t('oauth.checkFailed')}
        </Box>
      )}
    </Box>
  );
}
