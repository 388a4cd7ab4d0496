import Paper from '@mui/material/Paper';
import { Component, useState, type ComponentType, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Delayed } from './Delayed.js';
import { LoadAgainButton } from './LoadAgainButton.js';
import { loadable } from './loadable.js';

/**
 * A part of the page in a chunk of its own, for what most visits never open. If the chunk cannot be loaded, for example
 * because the server was upgraded under an open tab, a message offers to load it again.
 *
 * @param isNeeded whether these props show anything. The chunk is requested with the first props that do; afterwards the
 *   part stays mounted, so that it can animate its way out.
 */
export function lazyPart<P extends object>(
  load: () => Promise<ComponentType<P>>,
  isNeeded: (props: P) => boolean = () => true,
): ComponentType<P> & { readonly preload: () => Promise<void> } {
  const { Component: Part, preload } = loadable(load, PartLoading);
  function LazyPart(props: P) {
    const [wasNeeded, setWasNeeded] = useState(false);
    if (!wasNeeded && isNeeded(props)) setWasNeeded(true);
    if (!wasNeeded) return null;
    return (
      <PartBoundary>
        <Part {...props} />
      </PartBoundary>
    );
  }
  return Object.assign(LazyPart, { preload });
}

class PartBoundary extends Component<{ readonly children: ReactNode }, { readonly error?: unknown }> {
  override readonly state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <PartFailure error={error} onLoaded={() => this.setState({ error: undefined })} />;
  }
}

/** The message is above everything else, because the failed part may be a dialog. */
function PartFailure({ error, onLoaded }: { readonly error: unknown; readonly onLoaded: () => void }) {
  const { t } = useTranslation();
  return (
    <Paper
      role="alert"
      variant="outlined"
      sx={({ zIndex }) => ({
        position: 'fixed',
        zIndex: zIndex.snackbar,
        bottom: 20,
        left: '50%',
        transform: 'translateX(-50%)',
        display: 'flex',
        alignItems: 'center',
        gap: 2,
        width: 'max-content',
        maxWidth: 'calc(100% - 32px)',
        padding: '8px 8px 8px 16px',
        fontSize: 13,
        boxShadow: '0 8px 28px rgba(8, 16, 18, 0.18)',
      })}
    >
      {t('errors.partFailed')}
      <LoadAgainButton error={error} onLoaded={onLoaded} />
    </Paper>
  );
}

/** A line at the top while the part loads on a slow line. */
function PartLoading() {
  const { t } = useTranslation();
  return (
    <Delayed>
      <div role="status" aria-label={t('grid.loading')} className="part-loading" />
    </Delayed>
  );
}
