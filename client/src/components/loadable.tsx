import { lazy, Suspense, useState, type ComponentType } from 'react';

/** The code of a component could not be loaded. */
export class NotLoadedError extends Error {
  constructor(
    cause: unknown,
    readonly loadAgain: () => Promise<unknown>,
  ) {
    super('The code of a component could not be loaded', { cause });
  }
}

interface Loadable<P> {
  /** The component. It throws a `NotLoadedError` if its code cannot be loaded. The next mount loads it again. */
  readonly Component: ComponentType<P>;
  /** Loads the code ahead of the first render. Never rejects: the component shows the failure. */
  preload(): Promise<void>;
}

/**
 * A component in a chunk of its own. Use it instead of `lazy`, which keeps a failure until the page is reloaded.
 * @param Fallback shown while the code loads, with the same props
 */
export function loadable<P extends object>(
  load: () => Promise<ComponentType<P>>,
  Fallback: ComponentType<P> = () => null,
): Loadable<P> {
  let loading: Promise<{ default: ComponentType<P> }> | undefined;
  let loaded: ComponentType<P> | undefined;
  let Latest = lazy(loadOnce);

  function loadOnce() {
    loading ??= load().then(
      (component) => {
        loaded = component;
        return { default: component };
      },
      (cause: unknown) => {
        loading = undefined;
        Latest = lazy(loadOnce);
        throw new NotLoadedError(cause, loadOnce);
      },
    );
    return loading;
  }

  return {
    // The state is outside `Suspense`, so that it lasts until the failure reaches an error boundary.
    Component: function Loaded(props: P) {
      // A component that was loaded ahead is drawn with the first render: `lazy` would wait for the screen beside it.
      const [Chosen] = useState(() => loaded ?? Latest);
      return (
        <Suspense fallback={<Fallback {...props} />}>
          <Chosen {...props} />
        </Suspense>
      );
    },
    preload: async () => {
      await loadOnce().catch(() => undefined);
    },
  };
}
